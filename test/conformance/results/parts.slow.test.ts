import { describe, expect, it } from 'vitest'
import type { CompletedSearchBody } from '../../../contract/search-api.ts'
import { awaitEnd, completeSearch, listSearches, postSearch, readCompletedManifest } from '../client.ts'
import { expectRefusal, faultPaths } from '../refusal.ts'
import { largeSearch, smallSearch } from '../samples.ts'
import { describeColumns, downloadAll, downloadRows } from '../shards.ts'

async function readLines(search: CompletedSearchBody, columns: readonly string[]): Promise<readonly string[]> {
  const rows = await downloadRows(search)
  return rows.map((row) => JSON.stringify(columns.map((column) => String(row[column])))).sort()
}

const columns = ['billing_code', 'negotiated_rate', 'tin_value']

describe('a search with columns', () => {
  it('finds the rows of the whole search, with these columns in the order of a result', async () => {
    const part = await completeSearch({ ...smallSearch, columns: ['tin_value', 'negotiated_rate', 'billing_code'] })
    expect(await readLines(part, columns)).toEqual(await readLines(await completeSearch(smallSearch), columns))
    const [file = new ArrayBuffer(0)] = await downloadAll(part)
    expect(describeColumns(file).map((line) => line.split(' ')[0])).toEqual(columns)
    const manifest = await readCompletedManifest(part.job_id)
    expect(manifest.request.columns).toEqual(columns)
    expect(manifest.columns?.map(({ name }) => name)).toEqual(columns)
    expect(manifest).toMatchObject({ truncated: false, without_rows: null, nppes_month: null })
  })

  it('writes a file with these columns even if no row is found', async () => {
    const none = await completeSearch({ ...smallSearch, billing_codes: ['0000X'], columns: ['plan', 'npi'] })
    const [file = new ArrayBuffer(0)] = await downloadAll(none)
    expect(describeColumns(file).map((line) => line.split(' ')[0])).toEqual(['plan', 'npi'])
  })
})

describe('a search with a limit', () => {
  it('finds that number of rows of the whole search, and says that there are more', async () => {
    const whole = await readLines(await completeSearch(largeSearch), columns)
    const part = await completeSearch({ ...largeSearch, limit: 10 })
    expect(part.truncated).toBe(true)
    const lines = await readLines(part, columns)
    expect(lines).toHaveLength(10)
    expect(new Set(whole).isSupersetOf(new Set(lines))).toBe(true)
    const { rows, truncated, request, without_rows } = await readCompletedManifest(part.job_id)
    expect({ rows, truncated, limit: request.limit, without_rows }).toEqual({
      rows: 10,
      truncated: true,
      limit: 10,
      without_rows: null,
    })
    const { searches } = await listSearches('?limit=100')
    expect(searches.find(({ job_id }) => job_id === part.job_id)).toMatchObject({ rows: 10, truncated: true })
  })

  it.each([-1, 0, 1])(
    'knows if it found every row when its limit differs from their number by %d',
    async (difference) => {
      const { job_id } = await completeSearch(smallSearch)
      const { rows } = await readCompletedManifest(job_id)
      const search = await completeSearch({ ...smallSearch, limit: rows + difference })
      const isCut = difference < 0
      expect(search.truncated).toBe(isCut)
      const manifest = await readCompletedManifest(search.job_id)
      expect(manifest).toMatchObject({ rows: isCut ? rows - 1 : rows, truncated: isCut })
      expect(manifest.without_rows === null).toBe(isCut)
    },
  )

  it('differs from the same search with another limit, but not from one with its columns in another order', async () => {
    const headers = { 'Idempotency-Key': crypto.randomUUID() }
    const body = { ...smallSearch, limit: 2, columns: ['plan', 'npi'] }
    const answer = await postSearch(JSON.stringify(body), { headers })
    const { job_id } = JSON.parse(answer.text)
    const same = await postSearch(JSON.stringify({ ...body, columns: ['npi', 'plan', 'npi'] }), { headers })
    expect(JSON.parse(same.text).job_id).toBe(job_id)
    const other = await postSearch(JSON.stringify({ ...body, limit: 3 }), { headers })
    expectRefusal(other, [422, 'idempotency_mismatch'])
    expect(await awaitEnd(job_id)).toMatchObject({ truncated: true })
  })

  it('gets refused with every fault of columns and limit, and in a summary', async () => {
    const wrong = await postSearch(JSON.stringify({ ...smallSearch, columns: ['plan', 'rate', 3], limit: 1.5 }))
    expect(faultPaths(expectRefusal(wrong, [400, 'invalid_request']))).toEqual(['columns[1]', 'columns[2]', 'limit'])
    const summary = await postSearch(JSON.stringify({ ...smallSearch, columns: ['plan'], limit: 1, summary: {} }))
    expect(faultPaths(expectRefusal(summary, [400, 'invalid_request']))).toEqual(['columns', 'limit'])
  })
})
