import { describe, expect, it } from 'vitest'
import { adviseName } from '../../../core/search/advise-name.ts'
import { ratesColumns } from '../../../schema/columns/rates.ts'

const columns = ratesColumns.map(({ name }) => name)

describe('the advice on a name that does not exist', () => {
  it.each([
    ['rate', 'did you mean `negotiated_rate` or `rate_unit`?'],
    ['Rate ', 'did you mean `negotiated_rate` or `rate_unit`?'],
    ['modifier', 'did you mean `billing_code_modifier`?'],
    ['plna', 'did you mean `plan`?'],
    ['negotiated_rat', 'did you mean `negotiated_rate`?'],
  ])('names the columns that "%s" means', (name, advice) => {
    expect(adviseName(name, columns, 'columns')).toBe(advice)
  })

  it.each(['provider', 'zzzzzzzzzzzz', '', 5, null])('lists all columns if %j means none in particular', (name) => {
    expect(adviseName(name, columns, 'columns')).toBe(`the columns are ${columns.join(', ')}`)
  })
})
