import { defineConfig } from 'vitest/config'

/** The tests that mutants run against: those that need no endpoint, and end within seconds. */
export default defineConfig({
  test: { include: ['test/core/**/*.test.ts', 'test/contract/**/*.test.ts'], testTimeout: 30_000 },
})
