import { describe, expect, it } from 'vitest'
import type { AccessRecord } from '../../core/access/ports.ts'
import { type Property, PropertyBroken } from '../harness/property-broken.ts'
import { runInTurn } from './run-model.ts'
import type { Reintroduced } from './service-under-test.ts'

/** A bug that the service could have, and the property that it violates. */
interface Bug extends Reintroduced {
  readonly name: string
  readonly property: Property
}

/** Bugs that the model alone found when they were first tried; that of the keys has no direct test. */
const bugs: readonly Bug[] = [
  {
    name: "record-failure fails a later run of the job's id",
    property: 'P8',
    ports: ({ jobs }) => ({
      jobs: {
        ...jobs,
        fail: async (run, expiresAt) => {
          const job = await jobs.read(run)
          return jobs.fail({ ...run, run: job?.run ?? run.run }, expiresAt)
        },
      },
    }),
  },
  {
    name: 'keys are cached after the first read',
    property: 'P10',
    ports: ({ access }) => {
      const records = new Map<string, AccessRecord>()
      return {
        access: {
          ...access,
          readAccess: async (key) => {
            const record = records.get(key.hash) ?? (await access.readAccess(key))
            records.set(key.hash, record)
            return record
          },
        },
      }
    },
  },
  {
    name: 'a slot is freed when the query starts',
    property: 'P13',
    ports: ({ jobs, usages }) => ({
      jobs: {
        ...jobs,
        noteQuery: async (job, query, at) => {
          await usages.free(job, at)
          return jobs.noteQuery(job, query, at)
        },
      },
    }),
  },
]

/** Fixed seeds, so that the same bugs are caught in every run; a bug may violate other properties first. */
const seeds = [42, 43, 44, 45, 46, 47]

/** Returns the violations that a search from each seed finds, until one is of the bug's property. */
async function findViolations({ property, ...bug }: Bug): Promise<readonly unknown[]> {
  const violations: unknown[] = []
  for (const seed of seeds) {
    const extent = { numRuns: 2000, seed, endOnFailure: true }
    const [run] = await Promise.allSettled([runInTurn(bug, extent)])
    const cause: unknown = run.status === 'rejected' && run.reason instanceof Error ? run.reason.cause : undefined
    violations.push(cause instanceof PropertyBroken ? cause.property : cause)
    if (violations.at(-1) === property) break
  }
  return violations
}

describe('the model', () => {
  it.each(bugs)('finds a violation of $property if $name', async (bug) => {
    expect(await findViolations(bug)).toContain(bug.property)
  })
})
