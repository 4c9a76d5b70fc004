import { GetCommand } from '@aws-sdk/lib-dynamodb'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { connectDynamo } from '../../../../adapters/dynamodb/dynamo-client.ts'
import { createDynamoJobs } from '../../../../adapters/dynamodb/jobs/dynamo-jobs.ts'
import { requestKeyItem } from '../../../../adapters/dynamodb/jobs/request-items.ts'
import { filterOf } from '../../../../contract/filters.ts'
import type { CompletedJob } from '../../../../core/job/job.ts'
import { hashRequest, type SearchRequest } from '../../../../core/search/search-request.ts'
import { findStatementFault } from '../../../../core/search/statement.ts'
import { completedBy, expiresAt, failedBy, newJob } from '../../../builders/new-job.ts'
import { connectEndpoints } from '../../../endpoints/connect.ts'

const { tables } = connectEndpoints()
const dynamo = connectDynamo()
const jobs = createDynamoJobs(dynamo, tables.jobs)

/** Any Unicode text without lone surrogates, which have no UTF-8 form. */
const anyText = fc.string({ unit: 'binary', maxLength: 40 })

const anyTime = fc.date({ min: new Date(0), max: new Date('9999-12-31T23:59:59.999Z'), noInvalidDate: true })

const anyRequest: fc.Arbitrary<SearchRequest> = fc.record(
  {
    npis: fc.array(fc.integer({ min: 1e9, max: 9_999_999_999 }), { minLength: 1 }),
    tins: fc.array(anyText, { minLength: 1 }),
    billingCodes: fc.array(anyText, { minLength: 1 }),
    feeSchedules: fc.array(fc.record({ payer: anyText, plan: anyText }), { minLength: 1 }),
  },
  { requiredKeys: ['feeSchedules'] },
)

const smallRequest: SearchRequest = { feeSchedules: [{ payer: 'Acme Health', plan: 'Gold PPO' }] }

/** Upper bound whose sum over a thousand shards is still a safe integer. */
const anyCount = fc.maxSafeNat().map((count) => Math.floor(count / 1000))
const anyChecksum = fc.record({
  algorithm: fc.constantFrom('CRC32', 'CRC32C', 'CRC64NVME', 'SHA1', 'SHA256'),
  type: fc.constantFrom('FULL_OBJECT', 'COMPOSITE'),
  value: anyText,
})
const anyShard = fc.record(
  { key: anyText, bytes: anyCount, rows: anyCount, checksum: anyChecksum },
  { requiredKeys: ['key', 'bytes', 'rows'] },
)

const anyAttempt = fc.integer({ min: 1, max: 100 })

describe('a stored job', () => {
  it('reads back equal on its way to completion', async () => {
    const facts = fc.record({
      request: anyRequest,
      createdAt: anyTime,
      bytesTaken: anyCount,
      contents: fc.array(anyText),
      query: fc.record({ queryId: anyText, attempt: anyAttempt }),
      ending: fc.record(
        {
          completedAt: anyTime,
          attempt: anyAttempt,
          bytesScanned: anyCount,
          columnsKey: anyText,
          withoutRows: fc.uint8Array({ maxLength: 1750 }),
          shards: fc.array(anyShard, { minLength: 1, maxLength: 30 }),
        },
        { requiredKeys: ['completedAt', 'attempt', 'shards'] },
      ),
    })
    await fc.assert(
      fc.asyncProperty(facts, async ({ request, createdAt, bytesTaken, contents, query, ending }) => {
        const job = newJob({ createdAt, requestHash: hashRequest(request) })
        await jobs.create({ ...job, bytesTaken }, request, expiresAt)
        expect(await jobs.read(job)).toEqual({ ...job, bytesTaken })
        expect(await jobs.readRequest(job.orgId, job.requestHash)).toEqual(request)
        await jobs.begin(job, { contents }, createdAt)
        await jobs.noteQuery(job, query, createdAt)
        expect(await jobs.read(job)).toEqual({ ...job, bytesTaken, status: 'processing', contents, query })
        const completed: CompletedJob = { ...completedBy(job), ...ending }
        expect(await jobs.complete(completed, expiresAt)).toBe('written')
        expect(await jobs.read(job)).toEqual(completed)
        await jobs.noteAnnounced(job)
      }),
      { numRuns: 40 },
    )
  })

  it('reads back equal after it failed with any error text', async () => {
    await fc.assert(
      fc.asyncProperty(anyText, anyTime, async (error, failedAt) => {
        const job = newJob()
        await jobs.create(job, smallRequest, expiresAt)
        const failed = { ...failedBy(job, error), failedAt }
        expect(await jobs.fail(failed, expiresAt)).toBe('written')
        expect(await jobs.read(job)).toEqual(failed)
        await jobs.noteAnnounced(job)
      }),
      { numRuns: 40 },
    )
  })
})

/** Derived from a hash of the index: unique and hard to compress. */
const scatter = (index: number) => Math.imul(index + 1, 2_654_435_761) >>> 0

describe('items of the largest size', () => {
  it('read back equal for requests', async () => {
    const npis = Array.from(
      { length: filterOf('npis').limit },
      (_, index) => 1e9 + (scatter(index) % 9e8) + index * 1e5,
    )
    const billingCodes = Array.from({ length: 700 }, (_, index) =>
      String.fromCodePoint(
        ...Array.from({ length: 32 }, (_, position) => 0x4e00 + (scatter(index * 64 + position) % 20_000)),
      ),
    )
    const request: SearchRequest = { ...smallRequest, npis, billingCodes }
    expect(findStatementFault(request)).toBeUndefined()

    const job = newJob({ requestHash: hashRequest(request) })
    await jobs.create(job, request, expiresAt)
    expect(await jobs.readRequest(job.orgId, job.requestHash)).toEqual(request)
    const Key = requestKeyItem(job.orgId, job.requestHash)
    const { Item } = await dynamo.send(new GetCommand({ TableName: tables.jobs, Key }))
    expect(Item?.['request']).toBeInstanceOf(Uint8Array)
    // DynamoDB limits an item to 400 KB, including attribute names and keys.
    expect(Buffer.from(Item?.['request']).length).toBeLessThan(300_000)
  })

  it('fit into DynamoDB for results of a thousand shards', async () => {
    const job = newJob()
    await jobs.create(job, smallRequest, expiresAt)
    await jobs.begin(job, { contents: [] }, job.createdAt)
    const [shard] = completedBy(job).shards
    const shards = Array.from({ length: 1000 }, (_, index) => ({
      key: `${shard?.key}_20261120_093000_00042_abcde_${'0'.repeat(36)}${index}`,
      bytes: 999_999_999,
      rows: 99_999_999,
      checksum: { algorithm: 'SHA256', type: 'COMPOSITE', value: `${'x'.repeat(44)}-10000` } as const,
    }))
    expect(await jobs.complete({ ...completedBy(job), shards }, expiresAt)).toBe('written')
    expect(await jobs.read(job)).toMatchObject({ status: 'completed', shards })
  })
})
