import { describe, expect, it } from 'vitest'
import type { Bug } from './bug.ts'
import { bugsOfAnswers } from './bugs-of-answers.ts'
import { bugsOfJobs } from './bugs-of-jobs.ts'
import { properties } from './property-broken.ts'
import { runAtOnce, runInTurn } from './run-model.ts'

const bugs = [...bugsOfJobs, ...bugsOfAnswers]

/** Fixed, so that a bug that is caught today is caught tomorrow. */
const extent = { numRuns: 2000, seed: 42, endOnFailure: true }

/** What a run found broken; undefined where it found nothing. */
async function findBroken({ isRace, ...bug }: Bug): Promise<unknown> {
  const [run] = await Promise.allSettled([(isRace ? runAtOnce : runInTurn)(bug, extent)])
  return run.status === 'rejected' && run.reason instanceof Error ? run.reason.cause : undefined
}

describe('each property can fail', () => {
  it('and has a bug that breaks it', () => {
    const broken = new Set(bugs.map(({ property }) => property))
    expect([...broken].sort()).toEqual(Object.keys(properties).sort())
  })

  it.each(bugs)('$property: $name', async (bug) => {
    expect(await findBroken(bug)).toMatchObject({ name: 'PropertyBroken', property: bug.property })
  })
})
