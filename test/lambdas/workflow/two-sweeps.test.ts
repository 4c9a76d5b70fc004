import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { SFNClient } from '@aws-sdk/client-sfn'
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createAthenaQueries } from '../../../adapters/athena/athena-queries.ts'
import { createDynamoJobs } from '../../../adapters/dynamodb/jobs/dynamo-jobs.ts'
import { createDynamoUnendedJobs } from '../../../adapters/dynamodb/jobs/dynamo-unended-jobs.ts'
import { createSfnWorkflow } from '../../../adapters/sfn-workflow.ts'
import { endOf, type JobRun } from '../../../core/job/job.ts'
import type { CountEnd, Jobs } from '../../../core/job/ports.ts'
import { addSeconds } from '../../../core/time.ts'
import { sweepSearchesHandler } from '../../../lambdas/sweep-searches/handler.ts'
import { createTables, startDynamo } from '../../../local/dynamodb/endpoint.ts'
import { localRegion } from '../../../local/stack-template.ts'
import { startStepFunctions } from '../../../local/step-functions/endpoint.ts'
import { createdAt, expiresAt, newJob, request } from '../../builders/new-job.ts'
import { openSettling } from '../../builders/settling.ts'
import { connectEndpoints } from '../../endpoints/connect.ts'

const { tables } = connectEndpoints()

/** Separate tables and executions, because a sweep handles every job in them. */
const folder = mkdtempSync(join(tmpdir(), 'two-sweeps-'))
const running = new AsyncDisposableStack()
const machineArn = `arn:aws:states:${localRegion}:000000000000:stateMachine:Waits`
const started: string[] = []
const counted: Parameters<CountEnd>[0][] = []
let jobs: Jobs
let sweepAt: (now: Date) => Promise<void>

beforeAll(async () => {
  running.defer(async () => rmSync(folder, { recursive: true }))
  const dynamo = running.adopt(await startDynamo(folder), (it) => it.close())
  await createTables(dynamo.url)
  const now = () => new Date()
  const states = running.adopt(await startStepFunctions({ now, onEnd: () => {} }), (it) => it.close())
  const start = (input: string) => {
    started.push(input)
    return { result: new Promise(() => {}), abort: () => {} }
  }
  states.serve([{ arn: machineArn, start }])
  const client = DynamoDBDocumentClient.from(new DynamoDBClient({ endpoint: dynamo.url }))
  jobs = createDynamoJobs(client, tables.jobs)
  sweepAt = (at) =>
    sweepSearchesHandler({
      ...openSettling(client, tables.jobs),
      jobs,
      unended: createDynamoUnendedJobs(client, tables.jobs),
      workflow: createSfnWorkflow(machineArn, new SFNClient({ endpoint: states.url })),
      queries: createAthenaQueries({ workGroup: 'rate-search', database: 'rate_search' }),
      limits: { waitingHours: 2, runningHours: 2 },
      retentionDays: 7,
      now: () => at,
      log: () => {},
      countEnd: (end) => void counted.push(end),
      stage: 'test',
      writeLine: () => {},
    })()
})

afterAll(() => running.disposeAsync())

async function storeQueued(count: number): Promise<readonly JobRun[]> {
  const stored = Array.from({ length: count }, newJob)
  await Promise.all(stored.map((job) => jobs.create(job, request, expiresAt)))
  return stored
}

it('two concurrent sweepers restart each abandoned job once, and fail each overdue job once', async () => {
  const left = await storeQueued(30)
  const sweepTwice = (seconds: number) =>
    Promise.all([sweepAt(addSeconds(createdAt, seconds)), sweepAt(addSeconds(createdAt, seconds + 1))])
  await sweepTwice(60)
  const ids = started.map((input): string => JSON.parse(input).jobId)
  expect(ids.toSorted()).toEqual(left.map(({ jobId }) => jobId).toSorted())
  for (const job of left) expect(await jobs.read(job)).toMatchObject({ status: 'queued' })

  await sweepTwice(2 * 3600)
  const ends = await Promise.all(left.map((job) => jobs.read(job)))
  for (const end of ends) expect(end).toMatchObject({ status: 'failed', error: expect.stringMatching(/^timeout: /) })
  // A third and a fourth sweep change nothing.
  await sweepTwice(3 * 3600)
  expect(await Promise.all(left.map((job) => jobs.read(job)))).toEqual(ends)
  expect(ends.every((end) => end !== undefined && endOf(end) !== undefined)).toBe(true)
  expect(started.length).toBe(30)
  expect(counted.map(({ jobId }) => jobId).toSorted()).toEqual(left.map(({ jobId }) => jobId).toSorted())
  expect(new Set(counted.map(({ word }) => word))).toEqual(new Set(['timeout']))
})
