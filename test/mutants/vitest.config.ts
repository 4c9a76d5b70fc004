import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** The tests of each room that mutants run against. */
const tests: Readonly<Record<string, readonly string[]>> = {
  core: ['test/core/**/*.test.ts', 'test/contract/**/*.test.ts'],
  adapters: ['test/adapters/**/*.test.ts'],
  lambdas: ['test/lambdas/**/*.test.ts'],
}
const room = process.env['MUTANTS'] ?? 'core'

/** What killed the mutant before comes first, because it often kills its neighbour too; then the quickest tests. */
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
    include: [...(tests[room] ?? [])],
    // Mutants are switched on while tests run, so that modules need not be loaded again for each.
    isolate: false,
    sequence: { sequencer: QuickestFirst },
    testTimeout: 30_000,
    hookTimeout: 120_000,
    ...(room !== 'core' && { globalSetup: ['test/endpoints/endpoints.ts'] }),
  },
})
