import { describe, expect, it } from 'vitest'
import { ratesColumns } from '../../../schema/columns/rates.ts'
import { type ColumnSignature, findSchemaFault, shardSchema } from '../../../schema/columns/shard-schema.ts'

const width = shardSchema.length

/** Returns the schema with one column changed. */
const changed = (at: number, change: Partial<ColumnSignature>) =>
  shardSchema.map((column, index) => (index === at ? { ...column, ...change } : column))

describe('the schema of a shard', () => {
  it('consists of the columns of rates in order, each optional', () => {
    expect(shardSchema).toEqual(ratesColumns.map(({ name, type }) => ({ name, type, optional: true })))
    expect(new Set(shardSchema.map(({ name }) => name)).size).toBe(shardSchema.length)
  })

  it('matches itself', () => {
    expect(findSchemaFault(shardSchema.map((column) => ({ ...column })))).toBeUndefined()
  })

  it.each([
    ['no columns', [], `0 columns instead of ${width}`],
    ['a column too few', shardSchema.slice(1), `${width - 1} columns instead of ${width}`],
    ['a column too many', [...shardSchema, ...shardSchema.slice(0, 1)], `${width + 1} columns instead of ${width}`],
    ['another name', changed(2, { name: 'NPI' }), 'column 3 is NPI instead of npi'],
    ['another type', changed(2, { type: 'integer' }), 'column npi is integer instead of bigint'],
    [
      'an unknown type',
      changed(5, { type: 'unsupported: DOUBLE' }),
      'column negotiated_rate is unsupported: DOUBLE instead of decimal(18,4)',
    ],
    ['a required column', changed(0, { optional: false }), 'column payer is required instead of optional'],
    ['another order', shardSchema.toReversed(), `column 1 is ${shardSchema.at(-1)?.name} instead of payer`],
  ])('refuses %s', (_, schema, fault) => {
    expect(findSchemaFault(schema)).toBe(fault)
  })

  it('refuses a change of any column', () => {
    const changes: Partial<ColumnSignature>[] = [{ name: 'x' }, { type: 'unsupported: x' }, { optional: false }]
    const unnoticed = shardSchema.flatMap((_, at) =>
      changes.filter((change) => findSchemaFault(changed(at, change)) === undefined),
    )
    expect(unnoticed).toEqual([])
  })
})
