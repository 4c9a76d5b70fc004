import { expect, it } from 'vitest'
import { rateUnitOf } from '../../../loader/decode/values/rate-unit.ts'
import { Units } from '../../../loader/write/units.ts'

it('lists four units for any number of types and arrangements, and returns the unit of each pair', () => {
  const types = [
    'negotiated',
    'Per Diem',
    'percentage',
    ...Array.from({ length: 2000 }, (_, number) => `type ${number}`),
  ]
  const arrangements = ['ffs', 'Capitation', ...Array.from({ length: 2000 }, (_, number) => `arrangement ${number}`)]
  const units = new Units(types, arrangements)
  expect([...units.values].sort()).toEqual(['percent_of_charges', 'unspecified', 'usd', 'usd_per_day'])
  for (const [type, text] of types.slice(0, 5).entries())
    for (const [item, arrangement] of arrangements.slice(0, 5).entries())
      expect(units.values[units.of(item, type)]).toBe(rateUnitOf(text, arrangement))
})
