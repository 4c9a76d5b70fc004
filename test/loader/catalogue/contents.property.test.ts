import fc from 'fast-check'
import { describe, it } from 'vitest'
import { anyOperation, ids, load, nameOf, plans, rollBack, run, variants } from './catalogue-model.ts'

const both = [...plans, ...variants.map(nameOf)]
const ofFirstId = variants.filter(({ id }) => id === ids[0])

describe('searches after any loads, rollbacks, removals and cleanings', () => {
  it('never mix the loads of a file that two plans share', async () => {
    const shared = new Map([['a.json', ofFirstId] as const])
    await run([load(shared, undefined, false), load(shared, 'Gold', false)], ['Gold', 'Silver'])
    await run([load(shared, undefined, false), load(shared, undefined, false), rollBack('Silver')], both)
  })

  it('find the rows of a simple model, for any set of plans', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyOperation, { minLength: 1, maxLength: 10 }),
        fc.shuffledSubarray(both, { minLength: 1 }),
        run,
      ),
      { numRuns: 60 },
    )
  }, 240_000)
})
