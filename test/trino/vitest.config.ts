import { defineConfig } from 'vitest/config'

/** Apart from the other projects: a real Trino is not on every machine. */
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
