import { describe, expect, it } from 'vitest'
import { ratesColumns } from '../../../schema/columns/rates.ts'
import {
  type ColumnSignature,
  columnsKeyOf,
  findSchemaFault,
  shardSchema,
} from '../../../schema/columns/shard-schema.ts'
import { summaryColumns } from '../../../schema/summary/summary-columns.ts'

const rowSchema = shardSchema(ratesColumns)
const width = rowSchema.length
/** Compares with the schema of rows. */
const findFault = (schema: readonly ColumnSignature[]) => findSchemaFault(schema, ratesColumns)

/** Returns the schema with one column changed. */
const changed = (at: number, change: Partial<ColumnSignature>) =>
  rowSchema.map((column, index) => (index === at ? { ...column, ...change } : column))

describe('the schema of a shard', () => {
  it('consists of the columns of rates in order, each optional', () => {
    expect(rowSchema).toEqual(ratesColumns.map(({ name, type }) => ({ name, type, optional: true })))
    expect(new Set(rowSchema.map(({ name }) => name)).size).toBe(rowSchema.length)
  })

  it('matches itself', () => {
    expect(findFault(rowSchema.map((column) => ({ ...column })))).toBeUndefined()
  })

  it.each([
    ['no columns', [], `0 columns instead of ${width}`],
    ['a column too few', rowSchema.slice(1), `${width - 1} columns instead of ${width}`],
    ['a column too many', [...rowSchema, ...rowSchema.slice(0, 1)], `${width + 1} columns instead of ${width}`],
    ['another name', changed(2, { name: 'NPI' }), 'column 3 is NPI instead of npi'],
    ['another type', changed(2, { type: 'integer' }), 'column npi is integer instead of bigint'],
    [
      'an unknown type',
      changed(5, { type: 'unsupported: DOUBLE' }),
      'column negotiated_rate is unsupported: DOUBLE instead of decimal(18,4)',
    ],
    ['a required column', changed(0, { optional: false }), 'column payer is required instead of optional'],
    ['another order', rowSchema.toReversed(), `column 1 is ${rowSchema.at(-1)?.name} instead of payer`],
  ])('refuses %s', (_, schema, fault) => {
    expect(findFault(schema)).toBe(fault)
  })

  it('refuses a change of any column', () => {
    const changes: Partial<ColumnSignature>[] = [{ name: 'x' }, { type: 'unsupported: x' }, { optional: false }]
    const unnoticed = rowSchema.flatMap((_, at) =>
      changes.filter((change) => findFault(changed(at, change)) === undefined),
    )
    expect(unnoticed).toEqual([])
  })

  it('differs for summaries, so that rows do not match it', () => {
    expect(findSchemaFault(shardSchema(summaryColumns), summaryColumns)).toBeUndefined()
    expect(findSchemaFault(rowSchema, summaryColumns)).toBeDefined()
    expect(columnsKeyOf(summaryColumns)).not.toBe(columnsKeyOf(ratesColumns))
  })
})
