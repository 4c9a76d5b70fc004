import { readFileSync } from 'node:fs'
import { describe, expect, inject, it } from 'vitest'
import { parseSearchRequest } from '../../core/search/parse-search-request.ts'
import { selectStatement } from '../../core/search/statement.ts'
import { ratesColumns } from '../../schema/columns/rates.ts'
import { findSchemaFault } from '../../schema/columns/shard-schema.ts'
import { describeFooter } from '../adapters/s3/trino-files.ts'
import { gold, silver } from '../conformance/samples.ts'
import { describeRows, readParquetRows } from './rows.ts'
import { runOnTrino } from './run-on-trino.ts'
import { scopeOnTrino } from './stand-in/search-scope.ts'
import { writeResultFiles } from './write-result-files.ts'

const trino = inject('trino')
const request = parseSearchRequest({ billing_codes: ['99203', '99213', '450'], fee_schedules: [gold, silver] })

const writeFiles = (table: string, select: string, partition?: string) =>
  writeResultFiles(trino, table, select, partition)

const scope = await scopeOnTrino(trino, request)

describe('files that a real Trino writes for a search', () => {
  it('contain its rows and have valid footers for shards', async () => {
    const select = selectStatement(request, scope)
    const files = await writeFiles('whole', select)
    const footers = files.map((file) => describeFooter(readFileSync(file)))
    expect(footers.map(({ schema }) => findSchemaFault(schema, ratesColumns))).toEqual(files.map(() => undefined))
    const rows = describeRows((await runOnTrino(trino.url, select)).rows)
    expect(footers.reduce((sum, footer) => sum + footer.rows, 0)).toBe(rows.length)
    expect(await readParquetRows(files)).toEqual(rows)
  })

  it('uses random partitions, whose column is not in the files', async () => {
    const files = await writeFiles('spread', selectStatement(request, scope, 5), 'shard')
    const shards = new Set(files.map((file) => /shard=(\d)/.exec(file)?.[1]))
    expect([...shards].sort()).toEqual(['0', '1', '2', '3', '4'])
    const faults = files.map((file) => findSchemaFault(describeFooter(readFileSync(file)).schema, ratesColumns))
    expect(faults).toEqual(files.map(() => undefined))
    const whole = describeRows((await runOnTrino(trino.url, selectStatement(request, scope))).rows)
    expect(await readParquetRows(files)).toEqual(whole)
  })

  it('do not exist if nothing is found', async () => {
    const nothing = parseSearchRequest({ npis: [1999999999], fee_schedules: [gold] })
    expect(await writeFiles('nothing', selectStatement(nothing, await scopeOnTrino(trino, nothing)))).toEqual([])
  })
})

describe('an operator’s own relation on a real Trino', () => {
  it('reads a file with NULLs of the right type for the columns that it lacks', async () => {
    const required = ratesColumns.filter((column) => column.required).map(({ name }) => name)
    await runOnTrino(trino.url, "CREATE SCHEMA own WITH (location = 's3://results/own/')")
    const allRates = selectStatement({ feeSchedules: request.feeSchedules }, scope)
    await writeFiles('own.rates', `SELECT ${required.join(', ')} FROM (${allRates})`)
    const select = selectStatement(request, { columns: required })
    const { rows } = await runOnTrino(trino.url, select, 'own')
    const whole = await runOnTrino(trino.url, selectStatement(request, scope))
    const kept = (row: readonly unknown[]) =>
      row.map((value, index) => (ratesColumns[index]?.required === true ? value : null))
    expect(describeRows(rows)).toEqual(describeRows(whole.rows.map(kept)))
    const files = await writeFiles('of_own_relation', select.replace('FROM rates\n', 'FROM own.rates\n'))
    expect(files.map((file) => findSchemaFault(describeFooter(readFileSync(file)).schema, ratesColumns))).toEqual(
      files.map(() => undefined),
    )
  })
})
