import { describe, expect, it } from 'vitest'
import type { Bug } from './bug.ts'
import { bugsOfAnswers } from './bugs-of-answers.ts'
import { bugsOfJobs } from './bugs-of-jobs.ts'
import { properties } from './property-broken.ts'
import { runAtOnce, runInTurn } from './run-model.ts'

const bugs = [...bugsOfJobs, ...bugsOfAnswers]

/** A fixed seed, so that the same bugs are caught in every run. */
const extent = { numRuns: 2000, seed: 42, endOnFailure: true }

/** The violation that a run found; undefined if none. */
async function findBroken({ isRace, ...bug }: Bug): Promise<unknown> {
  const [run] = await Promise.allSettled([(isRace ? runAtOnce : runInTurn)(bug, extent)])
  return run.status === 'rejected' && run.reason instanceof Error ? run.reason.cause : undefined
}

describe('a reintroduced bug', () => {
  it('exists for every property', () => {
    const broken = new Set(bugs.map(({ property }) => property))
    expect([...broken].sort()).toEqual(Object.keys(properties).sort())
  })

  it.each(bugs)('is caught as a violation of $property: $name', async (bug) => {
    expect(await findBroken(bug)).toMatchObject({ name: 'PropertyBroken', property: bug.property })
  })
})
