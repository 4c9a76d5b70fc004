import { BatchClient } from '@aws-sdk/client-batch'
import { SFNClient } from '@aws-sdk/client-sfn'
import { expect, it } from 'vitest'
import { createLoadJobs } from '../../adapters/batch-load-jobs.ts'
import { createLoadExecutions } from '../../adapters/sfn-load-executions.ts'
import { startHttpStub } from '../doubles/http-stub.ts'
import { sdkSettings } from '../endpoints/sdk-settings.ts'

it('lists the attempts of a load’s jobs and of the children of its arrays as its containers', async () => {
  const at = (minute: number) => Date.UTC(2026, 10, 22, 9, minute)
  const statuses = new Map([
    ['work:0', 'RUNNING'],
    ['work:1', 'RUNNABLE'],
  ])
  const describeJobs = (jobs: readonly string[]) =>
    jobs.map((jobId) => ({
      jobId,
      jobName: jobId.includes(':') ? 'load-l1-work' : 'load-l1-plan',
      status: statuses.get(jobId) ?? 'SUCCEEDED',
      ...(jobId === 'work:0' && { startedAt: at(20) }),
      attempts:
        jobId === 'plan' || jobId === 'work:0'
          ? [{ startedAt: at(1), stoppedAt: at(9), container: { exitCode: 0 } }]
          : [],
    }))
  await using batch = await startHttpStub(({ body }) => {
    const { filters, jobs, jobQueue } = JSON.parse(body)
    if (jobs !== undefined) return { status: 200, body: JSON.stringify({ jobs: describeJobs(jobs) }) }
    expect({ filters, jobQueue }).toEqual({ filters: [{ name: 'JOB_NAME', values: ['load-l1-*'] }], jobQueue: 'queue' })
    const array = { jobId: 'work', jobName: 'load-l1-work', arrayProperties: { size: 120 } }
    const jobSummaryList = [{ jobId: 'plan', jobName: 'load-l1-plan' }, array]
    return { status: 200, body: JSON.stringify({ jobSummaryList }) }
  })
  const containers = await createLoadJobs('queue', new BatchClient(sdkSettings(batch.url))).listContainers('l1')
  const span = { startedAt: new Date(at(1)), stoppedAt: new Date(at(9)) }
  expect(containers).toEqual([
    { step: 'plan', ...span },
    { step: 'work', ...span },
    { step: 'work', startedAt: new Date(at(20)) },
  ])
  expect(batch.calls.map(({ body }) => JSON.parse(body).jobs?.length)).toEqual([undefined, 100, 21])
})

it('omits containers of other jobs and containers that have not started', async () => {
  const [startedAt, stoppedAt] = [Date.UTC(2026, 10, 22, 9, 1), Date.UTC(2026, 10, 22, 9, 9)]
  const jobs = [
    { jobId: 'a', jobName: 'load-l1-other', status: 'RUNNING', startedAt, attempts: [{ startedAt, stoppedAt }] },
    { jobId: 'b', jobName: 'load-l1-work', status: 'RUNNING', attempts: [{}, { startedAt }, { stoppedAt }] },
    { jobId: 'c', jobName: 'load-l1-work', status: 'SUCCEEDED', startedAt, stoppedAt, attempts: [] },
    { jobId: 'd', jobName: 'load-l1-finish', status: 'STARTING' },
  ]
  await using batch = await startHttpStub(({ body }) => ({
    status: 200,
    body: JSON.stringify(JSON.parse(body).jobs === undefined ? { jobSummaryList: jobs } : { jobs }),
  }))
  expect(await createLoadJobs('queue', new BatchClient(sdkSettings(batch.url))).listContainers('l1')).toEqual([])
})

it('lists the containers of a load in all queues', async () => {
  const at = Date.UTC(2026, 10, 22, 9, 1)
  await using batch = await startHttpStub(({ body }) => {
    const { jobs, jobQueue } = JSON.parse(body)
    const job = (jobId: string) => ({ jobId, jobName: `load-l1-${jobId}`, status: 'RUNNING', startedAt: at })
    const jobSummaryList = [job(jobQueue === 'workers' ? 'work' : 'plan')]
    return { status: 200, body: JSON.stringify(jobs === undefined ? { jobSummaryList } : { jobs: jobs.map(job) }) }
  })
  const jobs = createLoadJobs('workers,control', new BatchClient(sdkSettings(batch.url)))
  const startedAt = new Date(at)
  expect(await jobs.listContainers('l1')).toEqual([
    { step: 'work', startedAt },
    { step: 'plan', startedAt },
  ])
})

it('finds the execution of a load by its input, which has no order', async () => {
  const calls: unknown[] = []
  await using sfn = await startHttpStub(({ operation, body }) => {
    calls.push([operation, JSON.parse(body)])
    const executions = ['one', 'two'].map((name) => ({
      executionArn: `arn:${name}`,
      stateMachineArn: 'machine',
      name,
      status: 'RUNNING',
      startDate: 1,
    }))
    if (operation === 'ListExecutions')
      expect(JSON.parse(body)).toEqual({ stateMachineArn: 'machine', statusFilter: 'RUNNING' })
    if (operation === 'ListExecutions') return { status: 200, body: JSON.stringify({ executions }) }
    if (operation !== 'DescribeExecution') return { status: 200, body: JSON.stringify({ startDate: 1, stopDate: 1 }) }
    const loadId = JSON.parse(body).executionArn === 'arn:two' ? 'l2' : 'l1'
    return { status: 200, body: JSON.stringify({ input: JSON.stringify({ loadId, workers: 2, order: {} }) }) }
  })
  const executions = createLoadExecutions('machine', new SFNClient(sdkSettings(sfn.url)))
  expect(await executions.findRunning('l2')).toBe('arn:two')
  expect(await executions.findRunning('l3')).toBeUndefined()
  await executions.start('load-l3', { loadId: 'l3', workers: 7 })
  await executions.stop('arn:two')
  expect(calls.slice(-2)).toEqual([
    [
      'StartExecution',
      { stateMachineArn: 'machine', name: 'load-l3', input: '{"loadId":"l3","workers":7,"order":{}}' },
    ],
    ['StopExecution', { executionArn: 'arn:two', cause: 'cancelled by npm run loads -- cancel' }],
  ])
})
