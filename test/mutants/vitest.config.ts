import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** The tests that mutants of each top-level folder run against. */
const tests: Readonly<Record<string, readonly string[]>> = {
  core: ['test/core/**/*.test.ts', 'test/contract/**/*.test.ts'],
  adapters: ['test/adapters/**/*.test.ts'],
  lambdas: ['test/lambdas/**/*.test.ts'],
}
const folder = process.env['MUTANTS'] ?? 'core'

/** Runs the test that killed the last mutant first, because it often kills its neighbour too; then the quickest. */
class QuickestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = (file: TestSpecification): number => {
      const result = this.ctx.cache.getTestSpecificationResult(file)
      return result?.failed ? -1 : (result?.duration ?? 0)
    }
    return files.toSorted((a, b) => rank(a) - rank(b))
  }
}

export default defineConfig({
  test: {
    include: [...(tests[folder] ?? [])],
    // Mutants are switched on while tests run, so that modules need not be loaded again for each.
    isolate: false,
    sequence: { sequencer: QuickestFirst },
    testTimeout: 30_000,
    hookTimeout: 120_000,
    ...(folder !== 'core' && { globalSetup: ['test/endpoints/endpoints.ts'] }),
  },
})
