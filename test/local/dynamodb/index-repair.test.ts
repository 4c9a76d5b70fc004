import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import dynaliteStore from 'dynalite/db/index.js'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createDynamoJobs } from '../../../adapters/dynamodb/jobs/dynamo-jobs.ts'
import { createDynamoUnendedJobs } from '../../../adapters/dynamodb/jobs/dynamo-unended-jobs.ts'
import { repairIndexes } from '../../../local/dynamodb/index-repair.ts'
import { createTables, startDynamo } from '../../../local/dynamodb/server.ts'
import { expiresAt, newJob } from '../../builders/new-job.ts'
import { createdAt, request } from '../../builders/sample-search.ts'
import { connectEndpoints } from '../../endpoints/connect.ts'

const { tables } = connectEndpoints()

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'index-repair-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** Runs DynamoDB on the folder while `use` runs. */
async function withJobs<Result>(
  use: (jobs: ReturnType<typeof createDynamoJobs>, listUnended: () => Promise<readonly string[]>) => Promise<Result>,
): Promise<Result> {
  const dynamo = await startDynamo(folder)
  try {
    await createTables(dynamo.url)
    const client = DynamoDBDocumentClient.from(new DynamoDBClient({ endpoint: dynamo.url }))
    const unended = createDynamoUnendedJobs(client, tables.jobs)
    const listUnended = async () => (await unended.list(100)).map(({ jobId }) => jobId).toSorted()
    return await use(createDynamoJobs(client, tables.jobs), listUnended)
  } finally {
    await dynamo.close()
  }
}

/** Damages the store as a kill between two writes would. */
async function damage(change: (key: string, value: unknown) => readonly [key: string, value: unknown] | undefined) {
  const { db } = dynaliteStore.create({ path: folder })
  for await (const [key, value] of db.iterator()) {
    if (!key.startsWith('index-global~')) continue
    const changed = change(key, value)
    await db.batch([{ type: 'del', key }])
    if (changed !== undefined) await db.batch([{ type: 'put', key: changed[0], value: changed[1] }])
  }
  await db.close()
}

describe('a store killed between writing an item and its index entry', () => {
  it('gets every unended job into its index at the next start', async () => {
    const unendedJobs = [newJob(), newJob(), newJob()]
    await withJobs(async (jobs) => {
      for (const job of unendedJobs) await jobs.create(job, request, expiresAt)
    })
    await damage(() => undefined)
    const indexedIds = await withJobs((_, listUnended) => listUnended())
    expect(indexedIds).toEqual(unendedJobs.map(({ jobId }) => jobId).toSorted())
  })

  it('loses index entries without a matching job at the next start', async () => {
    const [job, ended] = [newJob(), newJob()]
    await withJobs(async (jobs) => {
      for (const newJob of [job, ended]) await jobs.create(newJob, request, expiresAt)
    })
    const entries: (readonly [key: string, value: unknown])[] = []
    await damage((key, value) => {
      entries.push([key, value])
      return [key, value]
    })
    await withJobs(async (jobs) => {
      await jobs.fail({ ...ended, failedAt: createdAt, error: 'internal: x' }, expiresAt)
      await jobs.noteAnnounced(ended)
    })
    const { db } = dynaliteStore.create({ path: folder })
    // The ended job's entry, and one entry per job under a time that no job has.
    const stale = entries.flatMap(([key, value]) => [key, `${key}0`].map((staleKey) => ({ key: staleKey, value })))
    await db.batch(stale.map((entry) => ({ type: 'put', ...entry })))
    await db.close()
    expect(await withJobs((_, listUnended) => listUnended())).toEqual([job.jobId])
  })

  it('stays unchanged if nothing is wrong', async () => {
    await withJobs(async (jobs) => {
      await jobs.create(newJob(), request, expiresAt)
    })
    expect(await repairIndexes(folder)).toBe(0)
  })
})
