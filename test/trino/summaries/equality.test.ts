import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PutObjectCommand } from '@aws-sdk/client-s3'
import fc from 'fast-check'
import { beforeAll, describe, expect, inject, it } from 'vitest'
import { parseSearchRequest } from '../../../core/search/parse-search-request.ts'
import type { SearchRequest } from '../../../core/search/search-request.ts'
import { selectStatement } from '../../../core/search/statement.ts'
import { trinoType } from '../../../schema/columns/column.ts'
import { summaryColumns } from '../../../schema/summary/summary-columns.ts'
import { gold } from '../../conformance/samples.ts'
import { useVariedAthena } from '../../local/athena/searches/varied-athena.ts'
import { anyFirstRows, anySummary, anyVariedRequest, scopeOfVaried } from '../../summaries/any-summary.ts'
import { rankWholeSummary } from '../../summaries/first-rows.ts'
import { summarizeWholeRows } from '../../summaries/whole-rows.ts'
import { describeRows } from '../rows.ts'
import { runOnTrino } from '../run-on-trino.ts'
import { openS3 } from '../stand-in/aws-server.ts'
import { foldersOnTrino } from '../stand-in/search-scope.ts'

const trino = inject('trino')

const athena = useVariedAthena()

beforeAll(() => upload(athena.warehouseFolder()))

/** Puts a warehouse's files beside those that Trino reads. */
async function upload(folder: string): Promise<void> {
  const [, Bucket, prefix] = /^s3:\/\/([^/]+)\/(.*)$/.exec(trino.location) ?? []
  const client = openS3(trino.awsUrl)
  const paths = await readdir(folder, { recursive: true })
  for (const path of paths.filter((each) => each.endsWith('.parquet')))
    await client.send(
      new PutObjectCommand({ Bucket, Key: `${prefix}${path}`, Body: await readFile(join(folder, path)) }),
    )
  client.destroy()
}

/** The files with the whole rows of a search, as the local Athena writes them. */
const searchRows = async (request: SearchRequest) => (await athena.search(request)).map(({ path }) => path)

describe('a summary on a real Trino', () => {
  it('returns the columns of summaries, each of its type', async () => {
    const request = parseSearchRequest({ billing_codes: ['99213'], fee_schedules: [gold], summary: {} })
    const { columns, rows } = await runOnTrino(trino.url, selectStatement(request, foldersOnTrino(trino, request)))
    expect(rows.length).toBeGreaterThan(0)
    expect(columns.map(({ name, type }) => [name, type.replace(', ', ',')])).toEqual(
      summaryColumns.map(({ name, type }) => [name, trinoType(type)]),
    )
  })

  it('equals the statistics of the whole rows, for any request', async () => {
    let rows = 0
    await fc.assert(
      fc.asyncProperty(anyVariedRequest, anySummary, async (request, summary) => {
        const statement = selectStatement({ ...request, summary }, scopeOfVaried(request))
        const actual = describeRows((await runOnTrino(trino.url, statement)).rows)
        expect(actual).toEqual(await summarizeWholeRows(await searchRows(request), summary, request.networks))
        rows += actual.length
      }),
      { numRuns: 8 },
    )
    expect(rows).toBeGreaterThan(100)
  }, 900_000)

  it('keeps the rows with the first ranks, and one more, for any request', async () => {
    let rows = 0
    await fc.assert(
      fc.asyncProperty(anyVariedRequest, anySummary, anyFirstRows, async (request, summary, first) => {
        const statement = selectStatement({ ...request, summary: { ...summary, first } }, scopeOfVaried(request))
        const found = (await runOnTrino(trino.url, statement)).rows
        const published = found.filter((row) => row.at(-1) !== -1)
        const expected = await rankWholeSummary(await searchRows({ ...request, summary }), first)
        expect(describeRows(published.map((row) => row.slice(0, -1)))).toEqual(expected.rows)
        expect(found.length - published.length).toBe(expected.hasMore ? 1 : 0)
        rows += published.length
      }),
      { numRuns: 3 },
    )
    expect(rows).toBeGreaterThan(0)
  }, 900_000)
})
