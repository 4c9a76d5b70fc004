import { expect, it } from 'vitest'
import { Portion } from '../../../loader/collect/portion.ts'

it('weighs lists of codes as the memory that they take until a portion is written', () => {
  const portion = new Portion()
  const codes = Array.from({ length: 16 }, (_, index) => `${index + 10}`)
  for (let price = 0; price < 1000; price++) portion.addTerm(0, codes)
  // Measured with 80,000 such lists: the process grew by 2 to 3 kB for each.
  expect(portion.weight).toBeGreaterThan(2_000_000)
})
