import { defineConfig } from 'vitest/config'

/** Rooms that talk to AWS are tested against local endpoints, which are started once a run. */
const endpoints = [
  'test/adapters/**/*.test.ts',
  'test/bin/*-stage.test.ts',
  'test/lambdas/**/*.test.ts',
  'test/local/*.test.ts',
]

/** What speaks to a whole service over HTTP. */
const service = ['test/conformance/**/*.test.ts', 'test/fuzz/http.test.ts']

const shared = {
  expect: { requireAssertions: true },
  testTimeout: 30_000,
  hookTimeout: 60_000,
  // Node 24.0, which macOS on ARM gets, warns of type stripping on the standard error of every process.
  env: { NODE_OPTIONS: '--disable-warning=ExperimentalWarning' },
}

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          ...shared,
          name: 'rooms',
          include: ['test/**/*.test.ts'],
          exclude: [...endpoints, ...service, 'test/faults/**', 'test/trino/**'],
        },
      },
      { test: { ...shared, name: 'endpoints', include: endpoints, globalSetup: ['test/endpoints/endpoints.ts'] } },
      // Hundreds of jobs on a service of its own.
      { test: { ...shared, name: 'faults', hookTimeout: 900_000, include: ['test/faults/**/*.test.ts'] } },
      {
        test: {
          ...shared,
          name: 'conformance',
          // A deployed stack takes its time: the suite waits up to 90 seconds for a job.
          testTimeout: 120_000,
          hookTimeout: 120_000,
          include: service,
          globalSetup: ['test/conformance/service.ts'],
        },
      },
    ],
  },
})
