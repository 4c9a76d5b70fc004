import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fitTable } from '../../../client/assistants/answer.ts'
import { readAnswer } from '../../../page/plot-app/answer-rows.ts'

const columns = ['plan', 'rate_unit', 'value_count', 'median', 'p10']
const rows = fc.array(
  fc.record({
    plan: fc.constantFrom('A', 'B'),
    rate_unit: fc.constantFrom('usd', 'percent_of_charges'),
    value_count: fc.integer({ min: 1, max: 3 }),
    median: fc.integer({ min: 1, max: 3 }),
    p10: fc.constantFrom(null, 5),
  }),
  { minLength: 1, maxLength: 60 },
)

describe('the plot of an answer', () => {
  it('keeps values that all rows share, and values that none has', () => {
    fc.assert(
      fc.property(rows, (made) => {
        const { unshown, ...table } = fitTable(made, columns, 0)
        const read = readAnswer({ structuredContent: table }).rows
        const pick = (row: Readonly<Record<string, unknown>>) => columns.map((name) => row[name] ?? null)
        expect(read.map(pick)).toEqual(made.slice(0, made.length - unshown).map(pick))
      }),
    )
  })

  it('names what the server says of the rows', () => {
    const plans = [{ payer: 'P', plan: 'A', last_updated_on: '2026-11-01' }, { plan: 'B' }]
    const answer = { plans, counted: 'tins: each TIN once for each amount', left_out: '3 more groups' }
    expect(readAnswer({ structuredContent: answer })).toEqual({
      rows: [],
      remarks: [
        'Counted by tins: each TIN once for each amount.',
        'A was published 2026-11-01.',
        'The answer left out 3 more groups.',
      ],
    })
  })

  it.each([
    ['nothing', {}],
    ['an error', { isError: true, structuredContent: { columns: ['median'], rows: [[1]] } }],
    ['rows that are no summary', { structuredContent: { columns: ['npi'], rows: [[1]] } }],
    ['fields of other types', { structuredContent: { columns: 3, rows: 'x', same_in_all_rows: [], plans: [null] } }],
  ])('reads no rows from %s', (_, result) => {
    expect(readAnswer(result)).toEqual({ rows: [], remarks: [] })
  })
})
