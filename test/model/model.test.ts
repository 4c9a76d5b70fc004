import { describe, expect, it } from 'vitest'
import { runAtOnce, runInTurn, runsOf } from './run-model.ts'

describe('the service answers as the reference model allows', () => {
  it('whatever is asked of it, breaks and comes late, one thing after the other', async () => {
    await expect(runInTurn({}, { numRuns: runsOf(100) })).resolves.toBeUndefined()
  })

  it('whatever is under way at once, call by call in any order', async () => {
    await expect(runAtOnce({}, { numRuns: runsOf(100) })).resolves.toBeUndefined()
  })
})
