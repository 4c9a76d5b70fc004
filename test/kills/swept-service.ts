import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import { createAthenaQueries } from '../../adapters/athena/athena-queries.ts'
import { connectDynamo } from '../../adapters/dynamodb/dynamo-client.ts'
import { createDynamoJobs } from '../../adapters/dynamodb/jobs/dynamo-jobs.ts'
import { createDynamoUnendedJobs } from '../../adapters/dynamodb/jobs/dynamo-unended-jobs.ts'
import { createSfnWorkflow } from '../../adapters/sfn-workflow.ts'
import { startLocalService } from '../../bin/command/local-service.ts'
import { seedOnce } from '../../bin/samples/seed.ts'
import type { SearchBody } from '../../contract/search-api.ts'
import { addSeconds } from '../../core/time.ts'
import { sweepSearchesHandler } from '../../lambdas/sweep-searches/handler.ts'
import type { LocalServiceOptions } from '../../local/service.ts'
import { readStackTemplate } from '../../local/stack-template.ts'
import { openSettling } from '../builders/settling.ts'
import { findWrongEnd, knownSearches } from './known-searches.ts'

export interface Answer {
  readonly status: number
  readonly body: SearchBody
  readonly tookMs: number
}

/** A service in this process with sample data, whose sweeper can run with a clock set ahead. */
export interface SweptService {
  /** Sends the first of the known searches. */
  post(): Promise<Answer>
  get(jobId: string): Promise<Answer>
  /** Sweeps as if that many seconds had passed. */
  sweep(secondsFromNow: number): Promise<void>
  /** Polls a job until it ends, with a sweep three minutes ahead at each poll. */
  awaitEnd(jobId: string): Promise<SearchBody>
  /** Runs a search, which must complete with the right rows. */
  completeSearch(): Promise<SearchBody>
  close(): Promise<void>
}

/** The body of a 500 must match this. */
export const failure = {
  error: { type: 'internal_error', message: expect.any(String), request_id: expect.stringMatching(/./) },
}

/** Longest time of a POST or GET during an outage: well below its function's time-out of ten seconds. */
export const maxAnswerMs = 5000

const [known] = knownSearches

/** Returns the fault of the posted search's end; undefined if it is right. */
export const findPostedWrong = async (end: SearchBody) =>
  known === undefined ? 'there is no known search' : findWrongEnd(known, end)

/** Starts a service and warms up every API function, so that tests measure calls and not cold starts. */
export async function startSweptService(
  folder: string,
  options: Pick<LocalServiceOptions, 'observe'> = {},
): Promise<SweptService> {
  const service = await startLocalService(folder, 0, options)
  const [organization] = await seedOnce(service, folder)
  const template = readStackTemplate(join(folder, 'cdk.out'), 'SearchService')
  const [machine] = template.ofType('AWS::StepFunctions::StateMachine')
  const table = service.tables.Jobs

  async function call(path: string, body?: object): Promise<Answer> {
    const began = performance.now()
    const response = await fetch(service.baseUrl + path, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { Authorization: `Bearer ${organization?.api_key}`, 'Content-Type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const answer: SearchBody = JSON.parse(await response.text())
    return { status: response.status, body: answer, tookMs: performance.now() - began }
  }

  const swept: SweptService = {
    post: () => call('/v1/searches', known?.body ?? {}),
    get: (jobId) => call(`/v1/searches/${jobId}`),
    sweep: (secondsFromNow) => {
      const now = () => addSeconds(new Date(), secondsFromNow)
      return sweepSearchesHandler({
        ...openSettling(connectDynamo(), table),
        jobs: createDynamoJobs(connectDynamo(), table),
        unended: createDynamoUnendedJobs(connectDynamo(), table),
        workflow: createSfnWorkflow(template.text({ Ref: machine?.id ?? '' })),
        queries: createAthenaQueries({ workGroup: 'rate-search', database: 'rate_search' }),
        limits: { waitingHours: 2, runningHours: 2 },
        retentionDays: 7,
        now,
        log: () => {},
        countEnd: () => {},
        stage: 'test',
        writeLine: () => {},
      })()
    },
    awaitEnd: async (jobId) => {
      for (let turn = 1; turn < 100; turn++) {
        const { status, body } = await swept.get(jobId)
        if (status === 200 && (body.status === 'completed' || body.status === 'failed')) return body
        if (turn % 10 === 0) await swept.sweep(180)
        await sleep(200)
      }
      throw new Error(`job ${jobId} did not end`)
    },
    completeSearch: async () => {
      const { status, body } = await swept.post()
      expect(status).toBe(202)
      const end = await swept.awaitEnd(body.job_id)
      expect(await findPostedWrong(end)).toBeUndefined()
      return end
    },
    close: () => service.close(),
  }
  await swept.completeSearch()
  return swept
}
