/** Mutants of one room: `npm run mutants` for core, `MUTANTS=adapters npm run mutants` for adapters or lambdas. */
const room = process.env.MUTANTS ?? 'core'

export default {
  mutate: [`${room}/**/*.ts`],
  testRunner: 'vitest',
  vitest: { configFile: 'test/mutants/vitest.config.ts' },
  plugins: ['@stryker-mutator/vitest-runner'],
  coverageAnalysis: 'perTest',
  // A mutant in a module's constants would run every test of the room.
  ignoreStatic: true,
  ignorePatterns: ['test/mutants/node_modules', '.data', 'build', 'cdk.out', 'reports'],
  tsconfigFile: 'none: TypeScript 7 has no API that Stryker could read it with',
  tempDirName: `build/mutants-${room}`,
  reporters: ['clear-text', 'progress', 'json'],
  jsonReporter: { fileName: `build/mutants-${room}.json` },
  clearTextReporter: { reportTests: false, logTests: false, allowColor: false },
  concurrency: 2,
  thresholds: { high: 95, low: 95, break: 95 },
}
