import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

// Commands that tests start hundreds of times compile their modules once. Set here, so that the workers have it, too.
process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, 'node_modules/.cache/compiled')

/** Code that talks to AWS is tested against local endpoints, which are started once per run. */
const endpoints = [
  'test/adapters/**/*.test.ts',
  'test/bin/*-stage.test.ts',
  'test/bin/smoke/*-stage.test.ts',
  'test/lambdas/**/*.test.ts',
  'test/local/*.test.ts',
  'test/local/dynamodb/**/*.test.ts',
]

/** Tests that speak to a whole service over HTTP. */
const service = ['test/conformance/**/*.test.ts']

/** Tests that start processes, synthesise the template or load files: seconds for each file. */
const builds = [
  'test/bin/**/*.test.ts',
  'test/fetch/**/*.test.ts',
  'test/least-privilege/**/*.test.ts',
  'test/lib/**/*.test.ts',
  'test/loader/**/*.test.ts',
  'test/local/athena/**/*.test.ts',
  'test/local/lambda/**/*.test.ts',
  'test/local/s3/**/*.test.ts',
]

/**
 * Faults, kills, full disks, hostile sites, several workers, large files, long properties, and tests that start many
 * commands or searches: from five seconds to minutes for each file. Run by `npm run test:resilience` only.
 */
const resilience = ['test/**/*.slow.test.ts']

/** Tests that open the service's pages in a browser; run by `npm run test:page` only. */
const page = ['test/page/browser/**/*.test.ts']

const shared = {
  expect: { requireAssertions: true, poll: { timeout: 30_000 } },
  // A deployed stack takes its time, and so does a machine that does ten other things.
  testTimeout: 120_000,
  hookTimeout: 120_000,
  // `npm run synth` lets the CDK validate the templates, which takes longer than making them.
  env: { CDK_VALIDATION: 'false' },
}

/** Test files share no state, and loading their modules again for each would cost a third of the time. */
const together = { isolate: false }

const endpointsSetup = 'test/endpoints/endpoints.ts'
const serviceSetup = 'test/conformance/service.ts'

export default defineConfig({
  test: {
    // More than processors: a third of the time, tests wait for processes and polls. A percentage stops at 100.
    maxWorkers: Math.ceil(availableParallelism() * 1.5),
    projects: [
      {
        test: {
          ...shared,
          ...together,
          name: 'quick',
          include: ['test/**/*.test.ts'],
          exclude: [...endpoints, ...service, ...builds, ...resilience, ...page, 'test/trino/**'],
        },
      },
      {
        test: {
          ...shared,
          ...together,
          name: 'endpoints',
          include: endpoints,
          exclude: resilience,
          globalSetup: [endpointsSetup],
        },
      },
      {
        test: {
          ...shared,
          ...together,
          name: 'builds',
          // Starting the service takes ten seconds on an idle machine, and a minute on one that does ten other things.
          testTimeout: 240_000,
          include: builds,
          exclude: [...endpoints, ...resilience],
        },
      },
      {
        test: {
          ...shared,
          ...together,
          name: 'conformance',
          include: service,
          // A deployed service is asked everything at once: no other suite meets it.
          exclude: process.env['CONFORMANCE_BASE_URL'] ? [] : resilience,
          globalSetup: [serviceSetup],
        },
      },
      // Real browsers and a separate service.
      {
        test: {
          ...shared,
          name: 'page',
          testTimeout: 240_000,
          include: page,
          globalSetup: [serviceSetup],
        },
      },
      // The table of faults runs hundreds of jobs on a separate service.
      {
        test: {
          ...shared,
          name: 'resilience',
          testTimeout: 240_000,
          hookTimeout: 900_000,
          include: resilience,
          globalSetup: [endpointsSetup, serviceSetup],
        },
      },
    ],
  },
})
