import { describe, expect, it } from 'vitest'
import { PropertyBroken, properties } from '../property-broken.ts'
import { runAtOnce, runInTurn } from '../run-model.ts'
import type { Bug } from './bug.ts'
import { bugsOfAccounts } from './bugs-of-accounts.ts'
import { bugsOfAnswers } from './bugs-of-answers.ts'
import { bugsOfJobs } from './bugs-of-jobs.ts'

const bugs = [...bugsOfJobs, ...bugsOfAnswers, ...bugsOfAccounts]

/** Fixed seeds, so that the same bugs are caught in every run; a bug may violate other properties first. */
const seeds = [42, 43, 44, 45, 46, 47]

/** The violations that a search from each seed found, until one is of the bug's property. */
async function findBroken({ isRace, ...bug }: Bug): Promise<readonly unknown[]> {
  const found: unknown[] = []
  for (const seed of seeds) {
    const extent = { numRuns: 2000, seed, endOnFailure: true }
    const [run] = await Promise.allSettled([(isRace ? runAtOnce : runInTurn)(bug, extent)])
    const broken: unknown = run.status === 'rejected' && run.reason instanceof Error ? run.reason.cause : undefined
    found.push(broken instanceof PropertyBroken ? broken.property : broken)
    if (broken instanceof PropertyBroken && broken.property === bug.property) break
  }
  return found
}

describe('a reintroduced bug', () => {
  it('exists for every property', () => {
    const broken = new Set(bugs.map(({ property }) => property))
    expect([...broken].sort()).toEqual(Object.keys(properties).sort())
  })

  it.each(bugs)('shows as a violation of $property: $name', async (bug) => {
    expect(await findBroken(bug)).toContain(bug.property)
  })
})
