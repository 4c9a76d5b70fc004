import { describe, expect, it } from 'vitest'
import { runAtOnce, runInTurn, runsOf } from './run-model.ts'

/** `MODEL_RUNS=20000` searches for minutes, by new seeds each time; a failure names its seed. */
const numRuns = runsOf(400)
const timeout = Math.max(30_000, numRuns * 50)

describe('the service answers as the reference model allows', () => {
  it('whatever is asked of it, breaks and comes late, one thing after the other', { timeout }, async () => {
    await expect(runInTurn({}, { numRuns })).resolves.toBeUndefined()
  })

  it('whatever is under way at once, call by call in any order', { timeout }, async () => {
    await expect(runAtOnce({}, { numRuns })).resolves.toBeUndefined()
  })
})
