import fc from 'fast-check'
import { describe, it } from 'vitest'
import type { Operation } from './catalogue-model.ts'
import { clean, fileNames, ids, load, nameOf, plans, remove, rollBack, run, variants, wait } from './catalogue-model.ts'

const someVariants = fc.uniqueArray(fc.constantFrom(...variants), { minLength: 1, maxLength: 4 })
const someFiles = fc
  .uniqueArray(fc.tuple(fc.constantFrom(...fileNames), someVariants), {
    minLength: 1,
    maxLength: 3,
    selector: ([name]) => name,
  })
  .map((listed) => new Map(listed))
const anyName = fc.constantFrom<string>(...plans, ...variants.map(nameOf))
const anyOperation: fc.Arbitrary<Operation> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.tuple(someFiles, fc.constantFrom(undefined, ...plans), fc.boolean()).map((args) => load(...args)),
  },
  { weight: 2, arbitrary: anyName.map(rollBack) },
  { weight: 2, arbitrary: anyName.map(remove) },
  { weight: 1, arbitrary: fc.constantFrom(5, 30).map(wait) },
  { weight: 1, arbitrary: fc.constant(clean) },
)

const both = [...plans, ...variants.map(nameOf)]
const ofFirstId = variants.filter(({ id }) => id === ids[0])

describe('searches after any loads, rollbacks, removals and cleanings', () => {
  it('never mix the loads of a file that two plans share', async () => {
    const shared = new Map([['a.json', ofFirstId] as const])
    await run([load(shared, undefined, false), load(shared, 'Gold', false)], ['Gold', 'Silver'])
    await run([load(shared, undefined, false), load(shared, undefined, false), rollBack('Silver')], both)
  })

  it('find the rows of the model, for any set of plans', async () => {
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
