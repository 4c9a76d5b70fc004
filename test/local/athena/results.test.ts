import { GetQueryResultsCommand, type GetQueryResultsCommandInput, type Row } from '@aws-sdk/client-athena'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openAthena, type TestAthena, unloadOf } from './test-athena.ts'
import { loadSource } from './warehouse-fixture.ts'

let athena: TestAthena

beforeAll(async () => {
  athena = await openAthena()
  await loadSource(athena.warehouseFolder, { sourceId: 's1', prices: 2500 })
})

afterAll(() => athena.close())

const texts = (rows: readonly Row[] = []) => rows.map(({ Data = [] }) => Data.map(({ VarCharValue }) => VarCharValue))

const readPage = async (sql: string, input: Partial<GetQueryResultsCommandInput> = {}) => {
  const { QueryExecutionId } = await athena.run(sql)
  return athena.client.send(new GetQueryResultsCommand({ QueryExecutionId, ...input }))
}

describe('the results of a SELECT', () => {
  it('begin with a header, and hold values as text and NULL as an absent value', async () => {
    const { ResultSet, NextToken } = await readPage(
      "SELECT npi, payer, negotiated_rate, service_code, expiration_date, setting FROM rates WHERE price_id = 'p7'",
    )
    expect(texts(ResultSet?.Rows)).toEqual([
      ['npi', 'payer', 'negotiated_rate', 'service_code', 'expiration_date', 'setting'],
      ['1000000000', 'Acme Health', '7.5000', '[11, 22]', '9999-12-31', undefined],
    ])
    expect(NextToken).toBeUndefined()
  })

  it('describe the columns and their types', async () => {
    const { ResultSet } = await readPage('SELECT negotiated_rate, service_code, plan AS name FROM rates LIMIT 0')
    expect(texts(ResultSet?.Rows)).toEqual([['negotiated_rate', 'service_code', 'name']])
    expect(ResultSet?.ResultSetMetadata?.ColumnInfo).toMatchObject([
      { Name: 'negotiated_rate', Type: 'decimal', Precision: 18, Scale: 4 },
      { Name: 'service_code', Type: 'array' },
      { Name: 'name', Type: 'varchar' },
    ])
  })

  it("follow the statement's ORDER BY, NULLs last", async () => {
    const { ResultSet } = await readPage('SELECT negotiated_rate AS rate FROM rates ORDER BY rate DESC LIMIT 2')
    expect(texts(ResultSet?.Rows)).toEqual([['rate'], ['2499.5000'], ['2498.5000']])
  })

  it.each([7, 1000])('come in pages of at most %d rows, each row once', async (MaxResults) => {
    const { QueryExecutionId } = await athena.run('SELECT price_id FROM rates')
    const rows: Row[] = []
    let NextToken: string | undefined
    do {
      const page = await athena.client.send(new GetQueryResultsCommand({ QueryExecutionId, MaxResults, NextToken }))
      expect(page.ResultSet?.Rows?.length).toBeLessThanOrEqual(MaxResults)
      rows.push(...(page.ResultSet?.Rows ?? []))
      NextToken = page.NextToken
    } while (NextToken !== undefined)
    const [header, ...values] = texts(rows).flat()
    expect(header).toBe('price_id')
    expect(values.sort()).toEqual(Array.from({ length: 2500 }, (_, index) => `p${index}`).sort())
  })

  it('fail for a page size over 1000 rows', async () => {
    await expect(readPage('SELECT npi FROM rates', { MaxResults: 1001 })).rejects.toThrow('MaxResults')
  })

  it('fail for a query that failed', async () => {
    await expect(readPage('SELECT npi FROM nowhere')).rejects.toThrow('Final query state: FAILED')
  })
})

describe('the results of an UNLOAD', () => {
  it('contain nothing', async () => {
    const { ResultSet } = await readPage(unloadOf('SELECT npi FROM rates'))
    expect(ResultSet).toEqual({ Rows: [], ResultSetMetadata: { ColumnInfo: [] } })
  })
})
