import { describe, expect, it } from 'vitest'
import { runAtOnce, runInTurn, runsOf } from './run-model.ts'

/** `MODEL_RUNS=20000` searches for minutes, with new seeds each time; a failure names its seed. */
const numRuns = runsOf(400)
const timeout = Math.max(30_000, numRuns * 50)

describe('the service', () => {
  it('conforms to the reference model under any sequence of requests, faults and late events', {
    timeout,
  }, async () => {
    await expect(runInTurn({}, { numRuns })).resolves.toBeUndefined()
  })

  it('conforms to the reference model under any interleaving of concurrent calls', { timeout }, async () => {
    await expect(runAtOnce({}, { numRuns })).resolves.toBeUndefined()
  })
})
