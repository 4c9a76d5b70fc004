import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAthenaQueries } from '../../../adapters/athena/athena-queries.ts'
import { createDynamoJobs } from '../../../adapters/dynamodb/jobs/dynamo-jobs.ts'
import { createDynamoUnendedJobs } from '../../../adapters/dynamodb/jobs/dynamo-unended-jobs.ts'
import { createSfnWorkflow } from '../../../adapters/sfn-workflow.ts'
import type { Jobs } from '../../../core/job/ports.ts'
import { addSeconds } from '../../../core/time.ts'
import { sweepSearchesHandler } from '../../../lambdas/sweep-searches/handler.ts'
import { createTables, startDynamo } from '../../../local/dynamodb/endpoint.ts'
import type { RunningServer } from '../../../local/http-server.ts'
import { createdAt, expiresAt, newJob, request } from '../../builders/new-job.ts'
import { openSettling } from '../../builders/settling.ts'
import { connectEndpoints } from '../../endpoints/connect.ts'
import { openEntryPoints } from '../enter.ts'

const { tables, stateMachineArn } = connectEndpoints()

/** Separate tables, because a sweep handles every job in them. */
const folder = mkdtempSync(join(tmpdir(), 'sweep-'))
let dynamo: RunningServer
let jobs: Jobs
let sweepAt: (now: Date) => Promise<void>
const lines: string[] = []
const entryPoints = openEntryPoints()

beforeAll(async () => {
  dynamo = await startDynamo(folder)
  await createTables(dynamo.url)
  const client = DynamoDBDocumentClient.from(new DynamoDBClient({ endpoint: dynamo.url }))
  jobs = createDynamoJobs(client, tables.jobs)
  sweepAt = (now) =>
    sweepSearchesHandler({
      ...openSettling(client, tables.jobs),
      jobs,
      unended: createDynamoUnendedJobs(client, tables.jobs),
      workflow: createSfnWorkflow(stateMachineArn),
      queries: createAthenaQueries({ workGroup: 'rate-search', database: 'rate_search' }),
      limits: { waitingHours: 2, runningHours: 2 },
      retentionDays: 7,
      now: () => now,
      log: () => {},
      countEnd: () => {},
      stage: 'test',
      writeLine: (line) => void lines.push(line),
    })()
})

afterAll(async () => {
  await dynamo.close()
  rmSync(folder, { recursive: true })
})

async function storeQueued() {
  const job = newJob()
  await jobs.create(job, request, expiresAt)
  return job
}

describe('a sweep', () => {
  it('writes its metrics as one line, under the stage', async () => {
    lines.length = 0
    await sweepAt(createdAt)
    expect(lines.map((line) => JSON.parse(line))).toEqual([expect.objectContaining({ Stage: 'test', Sweeps: 1 })])
  })

  it('leaves a young job alone', async () => {
    const job = await storeQueued()
    await sweepAt(addSeconds(createdAt, 59))
    expect(await jobs.read(job)).toEqual(job)
  })

  it('restarts the workflow of an abandoned job, and fails the job if its execution has already ended', async () => {
    const job = await storeQueued()
    await sweepAt(addSeconds(createdAt, 60))
    expect(await jobs.read(job)).toEqual(job)
    // This workflow ends at once and never touches its job.
    await sweepAt(addSeconds(createdAt, 130))
    expect(await jobs.read(job)).toMatchObject({ status: 'failed', error: expect.stringMatching(/^internal: /) })
  })

  it('fails a job past its deadline and stops its query, even one that Athena no longer knows', async () => {
    const job = await storeQueued()
    await jobs.begin(job, ['source-1'], createdAt)
    await jobs.noteQuery(job, { queryId: '00000000-0000-4000-8000-000000000000', attempt: 1 }, createdAt)
    await sweepAt(addSeconds(createdAt, 2 * 3600))
    expect(await jobs.read(job)).toMatchObject({ status: 'failed', error: expect.stringMatching(/^timeout: /) })
  })

  it('is made by the function with the variables of its stage', async () => {
    const overdue = await storeQueued()
    const others = { AWS_ENDPOINT_URL_DYNAMODB: dynamo.url, WAITING_HOURS: '1', RUNNING_HOURS: '2' }
    const load = () => import('../../../lambdas/sweep-searches/index.ts')
    const sweep = await entryPoints.enter('sweep-searches', load, others)
    await sweep()
    expect(await jobs.read(overdue)).toMatchObject({ status: 'failed', error: expect.stringMatching(/^timeout: /) })
    expect(entryPoints.lines).toContainEqual(expect.objectContaining({ Sweeps: 1, Stage: 'local' }))
    expect(entryPoints.lines).toContainEqual(expect.objectContaining({ operation: 'sweep-searches' }))
  })
})
