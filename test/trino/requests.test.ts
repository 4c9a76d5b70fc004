import { CopyObjectCommand } from '@aws-sdk/client-s3'
import { describe, expect, inject, it } from 'vitest'
import { parseSearchRequest } from '../../core/search/parse-search-request.ts'
import { selectStatement } from '../../core/search/statement.ts'
import { workAtOnce } from '../../core/work-at-once.ts'
import { at } from '../../schema/at.ts'
import { makePrefixedId } from '../../schema/columns/prefixed-id.ts'
import { fileName, folderPath, sourceTables, sourceUnit } from '../../schema/columns/warehouse-tables.ts'
import { manyFilesCode, manyFilesNpi, manyFilesPlan } from './many-files.ts'
import { openS3 } from './stand-in/aws-server.ts'
import type { LoadedApart } from './stand-in/load-apart.ts'
import { loadManyPlans, sharedFiles } from './stand-in/load-many-plans.ts'
import { measureOnTrino } from './stand-in/measured-query.ts'
import type { RequestCounts } from './stand-in/request-log.ts'
import { foldersOnTrino, listOnTrino } from './stand-in/search-scope.ts'

const trino = inject('trino')

const requestOf = (count: number) =>
  parseSearchRequest({
    npis: [manyFilesNpi],
    billing_codes: [manyFilesCode],
    fee_schedules: [manyFilesPlan(count)],
  })

function expectAtMost(requests: RequestCounts, limits: RequestCounts): void {
  expect(requests).toMatchObject({ GetTable: expect.any(Number), LIST: expect.any(Number), GET: expect.any(Number) })
  expect(Object.entries(requests).filter(([kind, number]) => number > (limits[kind] ?? 0))).toEqual([])
}

/** Requests for the three tables, and for the statistics of the one partition that each has. */
const requestsToGlue = { GetTable: 4, GetColumnStatisticsForPartition: 3 }

describe('a search for one NPI and one code on a real Trino', () => {
  it.each([
    [2, { ...requestsToGlue, LIST: 7, GET: 11 }],
    [10, { ...requestsToGlue, LIST: 7, GET: 35 }],
    [84, { ...requestsToGlue, LIST: 7, GET: 257 }],
  ])('sends few requests to Glue and S3 for a plan of %i listed files', async (count, limits) => {
    const request = requestOf(count)
    const scope = await listOnTrino(trino, foldersOnTrino(trino, request))
    const { rows, requests } = await measureOnTrino(trino, selectStatement(request, scope))
    expect(rows).toHaveLength(count)
    expectAtMost(requests, limits)
  })

  it('lists no more for 1,500 files that a load read one after the other', async () => {
    const request = requestOf(2)
    const folders = foldersOnTrino(trino, request)
    const original = at(folders.files.sources, 0)
    const { loadId } = original
    const sources = Array.from({ length: 1_500 }, (_, position) => {
      return {
        loadId,
        sourceId: makePrefixedId({ loadId: 'neighbours', position }, String(position).padStart(12, '0')),
      }
    })
    await copySource(original, sources)
    const scope = await listOnTrino(trino, { ...folders, files: { ...folders.files, sources: [original, ...sources] } })
    // Copies have the source id of their original, so each price has the provider groups of all of them.
    const count = `SELECT count(*) FROM (${selectStatement(request, scope)})`
    const { rows, requests } = await measureOnTrino(trino, count)
    expect(Number(rows.flat()[0])).toBeGreaterThan(1_500)
    expectAtMost(requests, { ...requestsToGlue, LIST: 12, GET: 4_600 })
  })

  it('lists few folders for 200 plans that share 20 files, and reads each shared file only a few times', async () => {
    const { location, feeSchedules, contents } = await loadManyPlans(trino.awsUrl, 200)
    const request = parseSearchRequest({
      npis: [manyFilesNpi],
      billing_codes: [manyFilesCode],
      fee_schedules: feeSchedules,
    })
    const scope = await listOnTrino(trino, foldersOnTrino({ ...trino, contents }, request, location))
    const { rows, requests } = await measureOnTrino(trino, selectStatement(request, scope))
    expect(new Set(scope.contents).size).toBe(200)
    // A row for each plan and each of its files.
    expect(rows).toHaveLength(countSources(contents))
    expectAtMost(requests, { ...requestsToGlue, LIST: 30, GET: 3 * sharedFiles + 200 + 40 })
  })

  it.each([
    [2, { GetTable: 4, GetColumnStatisticsForPartition: 5, LIST: 5, GET: 7 }],
    [84, { GetTable: 4, GetColumnStatisticsForPartition: 5, LIST: 5, GET: 253 }],
  ])('sends few requests for a plan of %i neighbouring files without lists', async (count, limits) => {
    const request = requestOf(count)
    const { rows, requests } = await measureOnTrino(trino, selectStatement(request, foldersOnTrino(trino, request)))
    expect(rows).toHaveLength(count)
    expectAtMost(requests, limits)
  })
})

const countSources = (contents: LoadedApart['contents']) =>
  Object.values(contents).reduce((sum, { sources }) => sum + sources.length, 0)

/** Copies the files of a source to those of others. */
async function copySource(
  original: Parameters<typeof sourceUnit>[0],
  copies: readonly Parameters<typeof sourceUnit>[0][],
) {
  const client = openS3(trino.awsUrl)
  const { host: Bucket } = new URL(trino.location)
  const pathsOf = (source: Parameters<typeof sourceUnit>[0]) =>
    sourceTables.map((table) => folderPath(table, sourceUnit(source)) + fileName(sourceUnit(source)))
  try {
    await workAtOnce(copies, 16, async (copy) => {
      for (const [index, Key] of pathsOf(copy).entries())
        await client.send(
          new CopyObjectCommand({ Bucket, Key, CopySource: `${Bucket}/${at(pathsOf(original), index)}` }),
        )
    })
  } finally {
    client.destroy()
  }
}
