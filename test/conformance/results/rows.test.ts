import { describe, expect, it } from 'vitest'
import type { CompletedSearchBody, RowsBody } from '../../../contract/search-api.ts'
import { call, completeSearch, createSearch, failSearch, otherKey, service } from '../client.ts'
import { expectRefusal, faultPaths } from '../refusal.ts'
import { choicePlus, gold, largeSearch, smallSearch } from '../samples.ts'
import { describeValue, downloadRows } from '../shards.ts'

type Search = Pick<CompletedSearchBody, 'job_id'>

async function readRows({ job_id }: Search, query = ''): Promise<RowsBody> {
  const { status, text } = await call(`/v1/searches/${job_id}/rows${query}`)
  expect([status, text]).toEqual([200, expect.anything()])
  return JSON.parse(text)
}

/** The rows of a result's files as JSON has them, with amounts as doubles. */
async function readFiles(search: CompletedSearchBody): Promise<readonly string[]> {
  const rows = await downloadRows(search)
  return rows.map((row) => JSON.stringify(Object.entries(row).map(([name, value]) => [name, describeValue(value)])))
}

/** Rows of an answer in the form of `readFiles`. */
function describeRows({ rows, columns }: RowsBody): readonly string[] {
  const amounts = new Set(columns.filter(({ type }) => type.startsWith('decimal')).map(({ name }) => name))
  const show = (name: string, value: unknown) => (amounts.has(name) && value !== null ? Number(value) : value)
  return rows.map((row) => JSON.stringify(Object.entries(row).map(([name, value]) => [name, show(name, value)])))
}

/** The columns by which rows of a summary are ordered: four of the service, then the others before the weight. */
function orderOf({ columns }: RowsBody): readonly string[] {
  const names = columns.map(({ name }) => name)
  const first = ['billing_code_type', 'billing_code', 'billing_code_modifier', 'place_of_service']
  return [...first, ...names.slice(0, names.indexOf('weight'))]
}

const summaryOf = (weight: 'tins' | 'prices') =>
  completeSearch({ billing_codes: ['73721', '99213'], fee_schedules: [choicePlus, gold], summary: { weight } })

describe('the rows of a result', () => {
  it('equal those of its files, with every column, and say that they have no order', async () => {
    const search = await completeSearch(smallSearch)
    const body = await readRows(search)
    expect(body).toMatchObject({
      job_id: search.job_id,
      rows_total: body.rows.length,
      truncated: false,
      ordered: false,
    })
    expect(body.columns.length).toBeGreaterThan(40)
    expect(describeRows(body).toSorted()).toEqual((await readFiles(search)).toSorted())
  })

  it('write amounts with all of their digits, as texts', async () => {
    const { rows, columns } = await readRows(await completeSearch(smallSearch), '?columns=negotiated_rate,npi')
    expect(columns).toEqual([
      { name: 'negotiated_rate', type: 'decimal(18,4)' },
      { name: 'npi', type: 'bigint' },
    ])
    for (const { negotiated_rate: amount, npi } of rows) {
      expect(amount).toMatch(/^\d+(\.\d{1,4})?$/)
      expect(amount).not.toMatch(/\.\d*0$/)
      expect(Number.isSafeInteger(npi)).toBe(true)
    }
  })

  it('stop at the limit, and say that there are more', async () => {
    const search = await completeSearch(largeSearch)
    const all = new Set(await readFiles(search))
    for (const limit of [1, 100, 1000]) {
      const body = await readRows(search, `?limit=${limit}`)
      expect(body).toMatchObject({ rows_total: all.size, truncated: true })
      const rows = describeRows(body)
      expect(rows).toHaveLength(limit)
      expect(all.isSupersetOf(new Set(rows))).toBe(true)
    }
    expect((await readRows(search)).rows).toHaveLength(100)
  })

  it('count as truncated if the limit of the search has cut rows off', async () => {
    const body = await readRows(await completeSearch({ ...largeSearch, limit: 5, columns: ['plan', 'npi'] }))
    expect(body).toMatchObject({ rows_total: 5, truncated: true })
    expect(body.rows.map((row) => Object.keys(row))).toEqual(Array.from({ length: 5 }, () => ['plan', 'npi']))
  })

  it('come as an empty list if none was found', async () => {
    const search = await completeSearch({ ...smallSearch, billing_codes: ['0000X'] })
    expect(await readRows(search)).toMatchObject({ rows: [], rows_total: 0, truncated: false })
  })
})

describe('the rows of a summary', () => {
  it('equal those of its files, in their documented order', async () => {
    const search = await summaryOf('tins')
    const body = await readRows(search, '?limit=1000')
    expect(body).toMatchObject({ ordered: true, truncated: false, summary: { weight: 'tins', by: [] } })
    expect(describeRows(body).toSorted()).toEqual((await readFiles(search)).toSorted())
    const keys = body.rows.map((row) => orderOf(body).map((name) => row[name] ?? ''))
    expect(keys.length).toBeGreaterThan(5)
    const sorted = keys.toSorted((one, other) => {
      const place = one.findIndex((value, index) => String(value) !== String(other[index]))
      return place < 0 || String(one[place]) < String(other[place]) ? -1 : 1
    })
    expect(keys).toEqual(sorted)
  })

  it('begin with the same rows under any limit and columns', async () => {
    const search = await summaryOf('prices')
    const whole = await readRows(search, '?limit=1000')
    const part = await readRows(search, '?limit=3&columns=median,plan')
    expect(part).toMatchObject({ ordered: true, truncated: true, rows_total: whole.rows.length })
    expect(part.rows).toEqual(whole.rows.slice(0, 3).map(({ median, plan }) => ({ median, plan })))
  })
})

describe('rows as CSV', () => {
  const askFor = ({ job_id }: Search, query: string, headers: Record<string, string> = {}) =>
    fetch(`${service.baseUrl}/v1/searches/${job_id}/rows${query}`, {
      headers: { Authorization: `Bearer ${service.keys[0]}`, ...headers },
    })

  it('come by format or by Accept, with a line for each row, and say in headers how many there are', async () => {
    const search = await completeSearch(smallSearch)
    const { rows } = await readRows(search)
    const response = await askFor(search, '?format=csv&columns=plan,negotiated_rate&limit=4')
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(response.headers.get('x-rows-total')).toBe(String(rows.length))
    expect(response.headers.get('x-rows-truncated')).toBe('true')
    const text = await response.text()
    const [head, ...lines] = text.trim().split('\r\n')
    expect([head, lines.length]).toEqual(['plan,negotiated_rate', 4])
    expect(rows.map((row) => `${row['plan']},${row['negotiated_rate']}`)).toEqual(expect.arrayContaining(lines))
    const accept = { Accept: 'text/csv' }
    expect(await (await askFor(search, '?columns=plan,negotiated_rate&limit=4', accept)).text()).toBe(text)
    const json = await askFor(search, '?format=json', accept)
    expect(json.headers.get('content-type')).toBe('application/json')
  })
})

describe('a request for rows', () => {
  it('gets refused with every fault of its parameters, and a parameter that it does not have before these', async () => {
    const { job_id } = await completeSearch({ ...smallSearch, columns: ['plan', 'npi'] })
    const answer = await call(`/v1/searches/${job_id}/rows?limit=1001&columns=plan,plans,negotiated_rate&format=xml`)
    const paths = faultPaths(expectRefusal(answer, [400, 'invalid_request']))
    expect(paths.toSorted()).toEqual(['columns', 'columns', 'format', 'limit'])
    const other = await call(`/v1/searches/${job_id}/rows?limit=1001&q=1`)
    expect(faultPaths(expectRefusal(other, [400, 'invalid_request']))).toEqual(['q'])
  })

  it('answers 404 to another organization, and 409 to its own unless the search has completed', async () => {
    const { job_id } = await createSearch(largeSearch)
    expectRefusal(await call(`/v1/searches/${job_id}/rows`, { key: otherKey }), [404, 'not_found'])
    const failed = await failSearch({ ...smallSearch, fee_schedules: [{ ...gold, plan: 'None' }] })
    expectRefusal(await call(`/v1/searches/${failed.job_id}/rows`), [409, 'conflict'])
  })
})
