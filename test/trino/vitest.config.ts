import { defineConfig } from 'vitest/config'

/** Separate from the other projects, because not every machine has a Trino. */
export default defineConfig({
  test: {
    expect: { requireAssertions: true },
    testTimeout: 120_000,
    hookTimeout: 300_000,
    fileParallelism: false,
    include: ['test/trino/**/*.test.ts'],
    globalSetup: ['test/trino/setup.ts'],
  },
})
