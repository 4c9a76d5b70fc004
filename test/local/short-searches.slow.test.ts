import { GetExecutionHistoryCommand, SFNClient, StartExecutionCommand } from '@aws-sdk/client-sfn'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { attemptPrefix } from '../../core/job/attempt.ts'
import { awaitQuery } from '../../core/workflow/await-query.ts'
import { publishResults } from '../../core/workflow/publish-results.ts'
import { startQuery } from '../../core/workflow/start-query.ts'
import { requireStep } from '../../lambdas/handle-step.ts'
import { startStepFunctions } from '../../local/step-functions/server.ts'
import { type Invoke, readStateMachines } from '../../local/step-functions/state-machine.ts'
import { type NextStep, type StepInput, stepInputSchema } from '../../schema/workflow-step.ts'
import { newFooter, type OpenSearch, openSearch, storeQueued } from '../builders/open-search.ts'
import { runOf } from '../builders/sample-search.ts'
import { connectEndpoints } from '../endpoints/connect.ts'
import { readChanged } from '../templates/test-template.ts'

const { assembly } = connectEndpoints()
const template = readChanged(assembly, (text) => text)

/** Opens a search whose query ends after a number of polls, with one file. */
async function openQuery(polls: number) {
  const search = openSearch()
  const job = runOf(await storeQueued(search))
  const key = `${attemptPrefix(job, 1)}file`
  search.resultFiles.manifests.set('m', [key])
  search.resultFiles.footers.set(key, newFooter(key))
  const look: OpenSearch['queries']['look'] = async (queryId) => {
    const state = await search.queries.look(queryId)
    return search.queries.looks.length > polls ? { state: 'succeeded', manifest: 'm' } : state
  }
  const deps = { ...search.deps, queries: { ...search.queries, look }, queryWaitMs: 5000 }
  return { search, job, deps }
}

type OpenQuery = Awaited<ReturnType<typeof openQuery>>

/** Runs a search's execution to its end by the template's workflow, and returns the states that it entered. */
async function runExecution({ job, deps }: OpenQuery, publishing: Partial<OpenQuery['deps']> = {}) {
  const takeStep = (arn: string, input: StepInput): Promise<NextStep> => {
    if (arn.includes('AwaitQuery')) return awaitQuery(deps, requireStep(input, 'await'))
    if (arn.includes('PublishResults')) return publishResults(deps, requireStep(input, 'publish'))
    return startQuery({ ...deps, ...publishing }, input)
  }
  const invoke: Invoke = async (arn, event) => {
    const next = await takeStep(arn, v.parse(stepInputSchema, event))
    return { outcome: 'returned', payload: JSON.stringify(next) }
  }
  const ended = Promise.withResolvers<void>()
  const server = await startStepFunctions({ now: () => new Date(), onEnd: () => ended.resolve() })
  try {
    const [machine] = readStateMachines(template, invoke)
    if (machine === undefined) throw new TypeError('the template has no state machine')
    server.serve([machine])
    const client = new SFNClient({ endpoint: server.url })
    const start = { stateMachineArn: machine.arn, name: 'one', input: JSON.stringify(job) }
    const { executionArn } = await client.send(new StartExecutionCommand(start))
    await ended.promise
    const { events = [] } = await client.send(new GetExecutionHistoryCommand({ executionArn }))
    return events.map(({ stateEnteredEventDetails }) => stateEnteredEventDetails?.name)
  } finally {
    await server.close()
  }
}

/** AWS bills a transition for each state that is entered. Source: AWS Step Functions pricing, Standard Workflows. */
describe('a search', () => {
  it('takes three transitions if its query ends while start-query waits', async () => {
    const query = await openQuery(2)
    expect(await runExecution(query)).toEqual(['StartQuery', 'WhatNext', 'Done'])
    expect(await query.search.jobs.read(query.job)).toMatchObject({ status: 'completed' })
    expect(query.search.ends).toHaveLength(1)
  })

  it('takes seven transitions if its query takes longer', async () => {
    const query = await openQuery(9)
    const turn = ['WhatNext', 'AwaitQuery', 'WhatNext', 'PublishResults', 'WhatNext', 'Done']
    expect(await runExecution(query)).toEqual(['StartQuery', ...turn])
    expect(await query.search.jobs.read(query.job)).toMatchObject({ status: 'completed' })
  })

  it('takes three transitions more if its query runs out of memory and is tried again', async () => {
    const { search, job, deps } = await openQuery(0)
    const retryKey = `${attemptPrefix(job, 2)}file`
    search.resultFiles.manifests.set('m', [retryKey])
    search.resultFiles.footers.set(retryKey, newFooter(retryKey))
    const look: OpenSearch['queries']['look'] = async (queryId) =>
      queryId === 'query-1'
        ? { state: 'failed', fault: 'exhausted', reason: 'x' }
        : { state: 'succeeded', manifest: 'm' }
    const queries = { ...deps.queries, look }
    const states = await runExecution({ search, job, deps: { ...deps, queries } })
    expect(states).toEqual(['StartQuery', 'WhatNext', 'BackOff', 'StartQuery', 'WhatNext', 'Done'])
    expect(await search.jobs.read(job)).toMatchObject({ status: 'completed', attempt: 2 })
  })

  it('takes five transitions if start-query cannot publish, and completes', async () => {
    const query = await openQuery(2)
    const readManifest = () => Promise.reject(new Error('S3 is away'))
    const states = await runExecution(query, { resultFiles: { ...query.deps.resultFiles, readManifest } })
    expect(states).toEqual(['StartQuery', 'WhatNext', 'PublishResults', 'WhatNext', 'Done'])
    expect(await query.search.jobs.read(query.job)).toMatchObject({ status: 'completed' })
  })
})
