import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { BatchClient, DescribeJobsCommand, ListJobsCommand } from '@aws-sdk/client-batch'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

import { BatchJobs } from './jobs.ts'
import { startBatchServer } from './server.ts'

let folder: string
let jobs: BatchJobs

/** A step that prints its identity, and exits with the code for each of its attempts. */
const program = `
  const { AWS_BATCH_JOB_ATTEMPT: attempt, AWS_BATCH_JOB_ARRAY_INDEX: index = '-', EXITS, LOAD_ID } = process.env
  console.log([process.argv[2], LOAD_ID, index, attempt].join(' '))
  const how = EXITS.split(' ')[attempt - 1]
  if (how === 'wait') setInterval(() => {}, 1000)
  else if (how === 'killed') process.kill(process.pid, 'SIGKILL')
  else process.exitCode = Number(how)
`

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'batch-'))
  writeFileSync(join(folder, 'step.mjs'), program)
  let ids = 0
  jobs = new BatchJobs({
    definitions: [
      {
        arn: 'definition',
        program: join(folder, 'step.mjs'),
        args: ['work'],
        environment: { LOAD_ID: 'none' },
        maxAttempts: 3,
        finalExitCodes: [1],
      },
    ],
    logFolder: folder,
    now: () => new Date(),
    newId: () => `job-${++ids}`,
  })
})

afterEach(async () => {
  await jobs.close()
  rmSync(folder, { recursive: true })
})

const neverAborted = new AbortController().signal

const run = (EXITS: string, size?: number, stop = neverAborted) =>
  jobs.run({ name: 'load-l1-work', definition: 'definition', size, environment: { LOAD_ID: 'l1', EXITS } }, stop)

const logged = () => readFileSync(join(folder, 'load-l1-work.log'), 'utf8').trim().split('\n').sort()

describe('a job', () => {
  it('runs as one process with the variables of its definition, its request and its attempt', async () => {
    expect(await run('0')).toMatchObject({ status: 'SUCCEEDED', attempts: [{ exitCode: 0 }] })
    await expect.poll(logged, { timeout: 20_000 }).toEqual(['work l1 - 1'])
  })

  it('runs again after any exit except those of its definition, until its attempts are used up', async () => {
    expect((await run('143 killed 0')).attempts.map(({ exitCode }) => exitCode)).toEqual([143, 137, 0])
    await expect(run('1 0')).rejects.toThrow('load-l1-work failed')
    await expect(run('75 75 75 0')).rejects.toThrow('load-l1-work failed')
    expect(jobs.list('load-l1-').map(({ attempts }) => attempts.length)).toEqual([3, 1, 3])
  })

  it('ends by the signal of its caller, and does not run again', async () => {
    const stopping = new AbortController()
    const running = run('wait wait', undefined, stopping.signal)
    await expect.poll(logged, { timeout: 20_000 }).toEqual(['work l1 - 1'])
    stopping.abort()
    await expect(running).rejects.toThrow('failed')
    expect(jobs.find('job-1')?.attempts.map(({ exitCode }) => exitCode)).toEqual([143])
  })

  it('fails with a definition that does not exist', async () => {
    const request = { name: 'x', definition: 'other', size: undefined, environment: {} }
    await expect(jobs.run(request, neverAborted)).rejects.toMatchObject({ name: 'States.TaskFailed' })
  })
})

describe('an array job', () => {
  it('runs its children at once, and fails if one of them does', async () => {
    await run('0', 3)
    await expect.poll(logged, { timeout: 20_000 }).toEqual(['work l1 0 1', 'work l1 1 1', 'work l1 2 1'])
    await expect(run('1', 2)).rejects.toThrow('load-l1-work failed')
  })
})

describe('the API of AWS Batch', () => {
  it('shows jobs by the beginning of their names, and the attempts of their children', async () => {
    await run('143 0', 2)
    const server = await startBatchServer(jobs)
    const credentials = { accessKeyId: 'any', secretAccessKey: 'any' }
    const client = new BatchClient({ endpoint: server.url, region: 'us-east-1', credentials })
    const filters = (prefix: string) => [{ name: 'JOB_NAME', values: [`${prefix}*`] }]
    const { jobSummaryList = [] } = await client.send(new ListJobsCommand({ filters: filters('load-l1-') }))
    expect(jobSummaryList).toEqual([
      expect.objectContaining({
        jobId: 'job-1',
        jobName: 'load-l1-work',
        status: 'SUCCEEDED',
        arrayProperties: { size: 2 },
      }),
    ])
    const none = await client.send(new ListJobsCommand({ filters: filters('load-l2-') }))
    expect(none.jobSummaryList).toEqual([])
    const described = await client.send(new DescribeJobsCommand({ jobs: ['job-1:0', 'job-1:1', 'gone'] }))
    expect(described.jobs?.map(({ attempts = [] }) => attempts.map(({ container }) => container?.exitCode))).toEqual([
      [143, 0],
      [143, 0],
    ])
    await server.close()
  })
})
