import { expect, it } from 'vitest'
import { type Asked, findNotLoaded } from '../../../core/catalogue/load-filter.ts'

const filter = { id: 'filter-1', codes: ['99213', '99214'], npis: [1003000126] }
const find = (asked: Asked, { id = 'filter-1', ...lists }: Partial<typeof filter> = filter) =>
  findNotLoaded({ id, ...lists }, asked)

it.each<[Asked, string | undefined]>([
  [{ npis: [1003000126], billingCodes: ['99214'] }, undefined],
  [{ npis: [1003000126, 1003000134], billingCodes: ['99214'] }, 'the NPIs 1003000134 were not loaded'],
  [{ npis: [1003000126], billingCodes: ['1', '99214', '2'] }, 'the billing codes 1, 2 were not loaded'],
  [{ npis: [1003000126] }, 'only 2 billing codes were loaded, and this search asks for all of them'],
  [{ billingCodes: ['99213'] }, 'only 1 NPIs were loaded, and this search asks for all of them'],
  [{ npis: [1], billingCodes: ['2'] }, 'the billing codes 2 were not loaded and the NPIs 1 were not loaded'],
])('answers a search for %j over a filtered load with %j', (asked, expected) => {
  expect(find(asked)).toBe(expected)
})

it('loads everything if the filter has no list', () => {
  expect(find({ npis: [1], billingCodes: ['2'] }, {})).toBeUndefined()
})

it('names five values, and counts the others', () => {
  const codes = (count: number) => Array.from({ length: count }, (_, index) => `${index + 1}`)
  expect(find({ npis: [1003000126], billingCodes: codes(5) })).toBe('the billing codes 1, 2, 3, 4, 5 were not loaded')
  expect(find({ npis: [1003000126], billingCodes: codes(7) })).toBe(
    'the billing codes 1, 2, 3, 4, 5 and 2 more were not loaded',
  )
})
