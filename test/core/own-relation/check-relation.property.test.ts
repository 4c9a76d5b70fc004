import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkRates, checkStageColumns, makeProbe } from '../../../core/own-relation/check-relation.ts'
import { ratesColumns } from '../../../schema/columns/rates.ts'
import { relationColumns as columns, goodRow, sampleRelation } from './sample-relation.ts'

const sample = (...rows: readonly (typeof goodRow)[]) => sampleRelation(rows)

describe('the check of a relation', () => {
  it('finds nothing in a relation like the loader’s', () => {
    expect(checkRates(sample(goodRow, { ...goodRow, npi: '0' }))).toEqual([])
  })

  it('names every missing column, and calls only required ones wrong', () => {
    fc.assert(
      fc.property(fc.subarray(columns), (there) => {
        const found = checkRates({ columns: there, rows: [there.map(({ name }) => goodRow[name])] })
        const expected = ratesColumns
          .filter(({ name }) => !there.some((column) => column.name === name))
          .map(({ name, required }) => ({
            weight: required ? 'wrong' : 'different',
            text: expect.stringMatching(new RegExp(`^${name} is missing`)),
          }))
        expect(found).toEqual(expected)
      }),
    )
  })

  it.each([
    ['npi', 'varchar', 'wrong'],
    ['npi', 'integer', 'different'],
    ['billing_code', 'integer', 'wrong'],
    ['payer', 'char', 'different'],
    ['payer', 'row(name varchar)', 'wrong'],
    ['npi', 'row(npi bigint)', 'wrong'],
    ['npi', 'numeric', 'wrong'],
    ['negotiated_rate', 'double', 'different'],
    ['negotiated_rate', 'decimal(10,2)', 'different'],
    ['service_code', 'varchar', 'wrong'],
    ['name', 'array', 'wrong'],
    ['expiration_date', 'varchar', 'different'],
  ])('reports the column %s of type %s as %s', (name, type, weight) => {
    const changed = columns.map((column) => (column.name === name ? { name, type } : column))
    const rows = sample(goodRow).rows
    expect(checkRates({ columns: changed, rows })).toEqual([
      { weight, text: expect.stringContaining(`${name} is ${type}`) },
    ])
  })

  it.each([
    ['payer', ' Acme Health'],
    ['payer', 'Acme  Health'],
    ['plan', 'Cafe\u0301'],
    ['plan', ''],
    ['npi', '999999999'],
    ['npi', '10000000000'],
    ['billing_code_type', 'rc'],
    ['billing_code', '450'],
    ['billing_code', '0450 '],
    ['billing_code', 'x'.repeat(65)],
    ['billing_code', ''],
    ['billing_code_type', ''],
    ['tin_value', '01-2345678'],
    ['tin_value', '1'],
    ['tin_value', undefined],
    ['npi', undefined],
    ['payer', undefined],
  ])('counts rows that no search finds: their %s is %j', (column, value) => {
    const found = checkRates(sample(goodRow, { ...goodRow, [column]: value }))
    expect(found).toEqual([
      { weight: 'wrong', text: expect.stringMatching(new RegExp(`^${column} is .*in 1 of 2 rows`)) },
    ])
  })

  it('finds nothing wrong with a code of 64 characters, or one whose type is unknown', () => {
    expect(checkRates(sample({ ...goodRow, billing_code: 'X'.repeat(64) }))).toEqual([])
    expect(checkRates(sample({ ...goodRow, billing_code_type: undefined }))).toEqual([
      { weight: 'wrong', text: 'billing_code_type is NULL in 1 of 1 rows' },
    ])
  })

  it('names extra columns, an empty relation, and NULLs in columns that should have none', () => {
    expect(checkRates({ columns: [...columns, { name: 'price', type: 'double' }], rows: [] })).toEqual([
      { weight: 'different', text: 'price is not a column of rates: it is not read' },
      { weight: 'different', text: 'rates has no rows: no values were checked' },
    ])
    const before = checkRates({ columns: [...columns, { name: 'plan_id', type: 'varchar' }], rows: [] })
    expect(before[0]?.text).toMatch(/^plan_id is not a column of rates \(now plan_ids, .*plan_id_count/)
    expect(checkRates(sample({ ...goodRow, tin_type: undefined }))).toEqual([
      { weight: 'different', text: 'tin_type is NULL in 1 of 1 rows' },
    ])
  })

  it('compares the columns that a stage names with those that exist', () => {
    const named = columns.map(({ name }) => name).filter((name) => name !== 'setting')
    expect(checkStageColumns({ columns: columns.filter(({ name }) => name !== 'name'), rows: [] }, named)).toEqual([
      { weight: 'different', text: expect.stringContaining('setting exists') },
      { weight: 'wrong', text: expect.stringContaining('name is a column that the stage names') },
    ])
  })

  it('probes with a search for a row that can be found', () => {
    expect(makeProbe(sample({ ...goodRow, npi: '7' }, goodRow))).toEqual({
      npis: [1003000126],
      billingCodes: ['0450'],
      feeSchedules: [{ payer: 'Acme Health', plan: 'Gold PPO' }],
    })
    const unfit = ['payer', 'plan', 'billing_code', 'npi'].map((name) => ({ ...goodRow, [name]: undefined }))
    expect(makeProbe(sample(...unfit))).toBeUndefined()
    expect(makeProbe(sample())).toBeUndefined()
  })
})
