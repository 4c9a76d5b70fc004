import { defineConfig } from 'vitest/config'

/** The tests of each room that mutants run against. */
const tests: Readonly<Record<string, readonly string[]>> = {
  core: ['test/core/**/*.test.ts', 'test/contract/**/*.test.ts'],
  adapters: ['test/adapters/**/*.test.ts'],
  lambdas: ['test/lambdas/**/*.test.ts'],
}
const room = process.env['MUTANTS'] ?? 'core'

export default defineConfig({
  test: {
    include: [...(tests[room] ?? [])],
    testTimeout: 30_000,
    hookTimeout: 120_000,
    ...(room !== 'core' && { globalSetup: ['test/endpoints/endpoints.ts'] }),
  },
})
