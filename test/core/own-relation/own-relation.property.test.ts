import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { selectStatement } from '../../../core/search/statement.ts'
import { ratesColumns } from '../../../schema/columns/rates.ts'
import {
  findColumnFaults,
  parseRelationColumns,
  writeRelationColumns,
} from '../../../schema/columns/relation-columns.ts'

const names = ratesColumns.map(({ name }) => name)
const required = ratesColumns.filter((column) => column.required).map(({ name }) => name)
const optional = names.filter((name) => !required.includes(name))
const request = { npis: [1000000000], feeSchedules: [{ payer: 'Acme Health', plan: 'Gold PPO' }] }

const someColumns = fc.shuffledSubarray(names)
const enoughColumns = fc.shuffledSubarray(optional).map((some) => [...required, ...some])

describe("the statement over an operator's own relation", () => {
  it('selects every column of a result in order, typed NULLs for missing ones, and no ids of contents or sources', () => {
    fc.assert(
      fc.property(enoughColumns, (columns) => {
        const [, items = ''] = /^SELECT\n(.*)\nFROM rates\n/s.exec(selectStatement(request, { columns })) ?? []
        const expected = ratesColumns.map(
          ({ name, type }) => `  CAST(${columns.includes(name) ? name : 'NULL'} AS ${type}) AS ${name}`,
        )
        expect(items.split(',\n')).toEqual(expected)
        expect(selectStatement(request, { columns })).not.toMatch(/content_id|load_id|source_id/)
      }),
    )
  })

  it('never exceeds the limit checked when the job was accepted', () => {
    fc.assert(
      fc.property(enoughColumns, (columns) => {
        const promised = selectStatement(request, { contents: ['c'], nppesMonthId: '0'.repeat(20) })
        expect(selectStatement(request, { columns }).length).toBeLessThanOrEqual(promised.length)
      }),
    )
  })
})

describe('the columns that a stage names', () => {
  it('count as missing exactly if they are required and absent', () => {
    fc.assert(
      fc.property(someColumns, (columns) => {
        const missing = required.filter((name) => !columns.includes(name))
        expect(findColumnFaults(columns)).toEqual({ missing, unknown: [] })
      }),
    )
  })

  it('cause a refusal if rates has no such column', () => {
    expect(findColumnFaults([...required, 'nmae', 'source_id'])).toEqual({
      missing: [],
      unknown: ['nmae', 'source_id'],
    })
  })

  it('survive a round trip through the environment', () => {
    fc.assert(
      fc.property(enoughColumns, (columns) => {
        expect(parseRelationColumns(writeRelationColumns(columns))).toEqual(columns)
      }),
    )
    expect(parseRelationColumns(writeRelationColumns(undefined))).toBeUndefined()
  })
})
