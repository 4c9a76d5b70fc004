/** Mutants of one folder: `npm run mutants` for core, `MUTANTS=adapters npm run mutants` for adapters or lambdas. */
const folder = process.env.MUTANTS ?? 'core'

export default {
  mutate: [`${folder}/**/*.ts`],
  testRunner: 'vitest',
  vitest: { configFile: 'test/mutants/vitest.config.ts' },
  plugins: ['@stryker-mutator/vitest-runner'],
  coverageAnalysis: 'perTest',
  // A mutant in a module's constants would run every test of the folder.
  ignoreStatic: true,
  ignorePatterns: ['test/mutants/node_modules', '.data', 'build', 'cdk.out', 'reports'],
  tsconfigFile: 'none: TypeScript 7 has no API that Stryker could read it with',
  tempDirName: `build/mutants-${folder}`,
  reporters: ['clear-text', 'progress', 'json'],
  jsonReporter: { fileName: `build/mutants-${folder}.json` },
  clearTextReporter: { reportTests: false, logTests: false, allowColor: false },
  concurrency: 2,
  thresholds: { high: 95, low: 95, break: 95 },
}
