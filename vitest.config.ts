import { defineConfig } from 'vitest/config'

const shared = { expect: { requireAssertions: true }, testTimeout: 30_000, hookTimeout: 60_000 }

export default defineConfig({
  test: {
    projects: [
      { test: { ...shared, name: 'rooms', include: ['test/**/*.test.ts'], exclude: ['test/conformance/**'] } },
      {
        test: {
          ...shared,
          name: 'conformance',
          // A deployed stack takes its time: the suite waits up to 90 seconds for a job.
          testTimeout: 120_000,
          hookTimeout: 120_000,
          include: ['test/conformance/**/*.test.ts'],
          globalSetup: ['test/conformance/service.ts'],
        },
      },
    ],
  },
})
