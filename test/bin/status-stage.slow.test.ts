import { randomUUID } from 'node:crypto'
import { PutItemCommand } from '@aws-sdk/client-dynamodb'
import { beforeEach, describe, expect, it } from 'vitest'
import type { StackResource } from '../../adapters/cloudformation/cfn-stack-resources.ts'
import { createDynamoLoadRecords } from '../../adapters/dynamodb/catalogue/dynamo-load-records.ts'
import { connectDynamo } from '../../adapters/dynamodb/dynamo-client.ts'
import { unendedPartitions } from '../../schema/tables.ts'
import { startCloudFormation } from '../doubles/deployed-stacks.ts'
import { type Answer, type Call, refuse, startHttpStub } from '../doubles/http-stub.ts'
import { connectEndpoints } from '../endpoints/connect.ts'
import { makeTables } from '../endpoints/make-tables.ts'
import { runCommandLine } from './run-command-line.ts'

const { environment } = connectEndpoints()
const dynamo = connectDynamo()

let tables: Readonly<Record<string, string>>

beforeEach(async () => {
  tables = await makeTables(randomUUID())
})

const rules = ['Sweeper', 'LoadAnnouncer'].map((name) => ({
  type: 'AWS::Events::Rule',
  logicalId: `${name}01234567`,
  physicalId: `SearchService-blue-${name}`,
}))

const tableResources = () => [
  { type: 'AWS::DynamoDB::GlobalTable', logicalId: 'Jobs01234567', physicalId: tables['Jobs'] ?? '' },
]

interface Stubs {
  readonly rule?: string
  readonly hasDashboard?: boolean
  /** Further resources of the stack. */
  readonly resources?: readonly StackResource[]
  /** Answers calls about them. */
  readonly answerOthers?: (call: Call) => Answer
}

const noOthers = () => refuse(500, 'Unexpected')

/** Runs the command against a CloudWatch, and returns what it found by the names of its lines. */
async function readStatus(
  answer: (call: Call) => Answer,
  status = 'UPDATE_COMPLETE',
  code = 0,
  { rule = 'ENABLED', hasDashboard = true, resources = [], answerOthers = noOthers }: Stubs = {},
) {
  const outputs = {
    ContentsTable: tables['Contents'] ?? '',
    CatalogueTable: tables['FeeSchedules'] ?? '',
    JobsTable: tables['Jobs'] ?? '',
    ...(hasDashboard && { DashboardName: 'blue-dashboard' }),
    ...{ Version: '0.3.0', Commit: '0a1b2c3d4e5f', StageFile: 'blue.json' },
    SearchesStateMachine: 'arn:aws:states:eu-west-1:111111111111:stateMachine:x',
  }
  await using cloudFormation = await startCloudFormation({
    'SearchService-blue': { status, outputs, resources: [...rules, ...tableResources(), ...resources] },
  })
  await using eventBridge = await startHttpStub(() => ({ status: 200, body: JSON.stringify({ State: rule }) }))
  await using cloudWatch = await startHttpStub(answer)
  await using others = await startHttpStub(answerOthers)
  const services = ['SFN', 'LAMBDA', 'S3', 'SQS', 'ATHENA', 'BATCH']
  const { output, errors, exitCode } = await runCommandLine('status', ['--stage', 'blue', '--json'], {
    ...environment,
    ...Object.fromEntries(services.map((service) => [`AWS_ENDPOINT_URL_${service}`, others.url])),
    AWS_ENDPOINT_URL_CLOUDFORMATION: cloudFormation.url,
    AWS_ENDPOINT_URL_CLOUDWATCH: cloudWatch.url,
    AWS_ENDPOINT_URL_EVENTBRIDGE: eventBridge.url,
  })
  expect({ errors, exitCode }).toEqual({ errors: '', exitCode: code })
  return { lines: JSON.parse(output), calls: cloudWatch.calls }
}

const alarm = (name: string, state: 'OK' | 'ALARM', stage = 'blue') => ({
  AlarmName: `SearchService-${stage}-Operations${name}1234ABCD-X`,
  AlarmDescription: `Searches fail. Runbook: docs/runbooks.md, "${name}".`,
  StateValue: state,
  StateUpdatedTimestamp: Date.parse('2026-11-23T03:00:00Z') / 1000,
})

const watching =
  (alarms: readonly object[]) =>
  ({ operation }: Call): Answer => ({
    status: 200,
    body: JSON.stringify(
      operation === 'DescribeAlarms'
        ? { MetricAlarms: alarms }
        : {
            MetricDataResults: [
              { Label: 'completed', Values: [3, 4] },
              { Label: 'internal', Values: [2] },
              { Label: 'timeout', Values: [] },
            ],
          },
    ),
  })

describe('npm run status -- --stage', () => {
  it('shows a quiet stage', async () => {
    const { lines, calls } = await readStatus(watching([alarm('SearchesFail', 'OK'), alarm('JobsWait', 'OK')]))
    expect(lines).toEqual({
      stage: 'blue',
      stacks: ['SearchService-blue UPDATE_COMPLETE: deployed'],
      version: '0.3.0, commit 0a1b2c3d4e5f, with blue.json',
      alarms: 'none of 2 fires',
      resources: ['1 resource usable'],
      timers: '2 rules enabled',
      ended_today: '7 completed, 2 internal',
      searches: 'none waiting or running',
      last_load: 'none',
      rates: '0 fee schedules',
      dashboard:
        'https://eu-west-1.console.aws.amazon.com/cloudwatch/home?region=eu-west-1#dashboards/dashboard/blue-dashboard',
      logs: 'saved queries in the folder blue of https://eu-west-1.console.aws.amazon.com/cloudwatch/home?region=eu-west-1#logsV2:logs-insights',
    })
    expect(calls.map(({ operation }) => operation).sort()).toEqual(['DescribeAlarms', 'GetMetricData'])
    expect(JSON.parse(calls.find(({ operation }) => operation === 'DescribeAlarms')?.body ?? '')).toEqual({
      AlarmNamePrefix: 'SearchService-blue-Operations',
    })
  })

  it('names the alarms that fire with their runbooks, the last load, and the search that waits longest', async () => {
    const records = createDynamoLoadRecords(dynamo, tables['Contents'] ?? '')
    await records.begin({ loadId: 'earlier', from: 'a.json', startedAt: new Date('2026-10-06T03:00:00Z') })
    await records.begin({ loadId: 'latest', from: 'a.json', startedAt: new Date('2026-11-06T03:00:00Z') })
    await records.end('latest', {
      state: 'completed',
      endedAt: new Date('2026-11-06T04:00:00Z'),
      counts: { files: 2, takenOver: 0, switched: 3, unchanged: 0, removed: 0, leftOut: 1 },
    })
    const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString()
    await putUnended('young', 'queued', minutesAgo(1))
    await putUnended('old', 'queued', minutesAgo(10))
    await putUnended('running', 'processing', minutesAgo(30))
    const answer = watching([alarm('SearchesFail', 'ALARM'), alarm('JobsWait', 'OK')])
    const { lines } = await readStatus(answer, 'UPDATE_COMPLETE', 3)
    expect(lines.alarms).toBe('SearchesFail since 2026-11-23T03:00:00.000+00:00: see docs/runbooks.md#searchesfail')
    expect(lines.last_load).toBe(
      'completed, 1 plan left out, started 2026-11-06T03:00:00.000+00:00: npm run loads -- --stage blue show latest',
    )
    expect(lines.searches).toMatch(/^(2 queued, 1 processing|1 processing, 2 queued); longest wait 60\d s \(old\)$/)
  })

  it('leaves out alarms of stages whose names begin with its own and "-Operations"', async () => {
    const siblings = ['blue-Operations', 'blue-Operations2', 'blue-Operations-eu']
    const { lines } = await readStatus(
      watching([alarm('JobsWait', 'OK'), ...siblings.map((stage) => alarm('SearchesFail', 'ALARM', stage))]),
    )
    expect(lines.alarms).toBe('none of 1 fires')
  })

  it('names disabled rules with the command that enables them, and exits with 3', async () => {
    const { lines } = await readStatus(watching([alarm('JobsWait', 'OK')]), 'UPDATE_COMPLETE', 3, { rule: 'DISABLED' })
    expect(lines.timers).toEqual([
      'disabled: aws events enable-rule --name SearchService-blue-Sweeper',
      'disabled: aws events enable-rule --name SearchService-blue-LoadAnnouncer',
    ])
  })

  const missing = [
    ['AWS::StepFunctions::StateMachine', 'arn:aws:states:eu-west-1:1:stateMachine:x', 'StateMachineDoesNotExist'],
    ['AWS::Lambda::Function', 'start-query', 'ResourceNotFoundException'],
    ['AWS::DynamoDB::GlobalTable', 'no-such-table', ''],
    ['AWS::DynamoDB::Table', 'no-such-table', ''],
    ['AWS::S3::Bucket', 'results', 'NotFound'],
    ['AWS::SQS::Queue', 'http://queue.invalid/1/dead-letters', 'QueueDoesNotExist'],
    ['AWS::Athena::WorkGroup', 'rates-blue', 'InvalidRequestException'],
  ] as const

  it.each(missing)('names a resource that somebody deleted, and exits with 3: %s', async (type, physicalId, error) => {
    const answerOthers = (): Answer => ({
      status: type === 'AWS::S3::Bucket' ? 404 : 400,
      body: JSON.stringify({ __type: error, message: 'WorkGroup is not found.' }),
      headers: { 'x-amzn-errortype': error },
    })
    const resources = [{ type, logicalId: 'X', physicalId }]
    const { lines } = await readStatus(watching([alarm('JobsWait', 'OK')]), 'UPDATE_COMPLETE', 3, {
      resources,
      answerOthers,
    })
    expect(lines.resources).toEqual([
      '1 resource usable',
      `gone: ${type} ${physicalId}`,
      'a deploy does not make it again: aws cloudformation detect-stack-drift --stack-name SearchService-blue',
    ])
  })

  it.each([
    ['AWS::StepFunctions::StateMachine', { status: 'DELETING' }, 'is DELETING'],
    ['AWS::Lambda::Function', { State: 'Failed' }, 'is Failed'],
    ['AWS::Athena::WorkGroup', { WorkGroup: { Name: 'x', State: 'DISABLED' } }, 'is DISABLED'],
    ['AWS::Batch::JobQueue', { jobQueues: [{ state: 'DISABLED', status: 'VALID' }] }, 'is DISABLED and VALID'],
  ] as const)('names a resource that is off: %s', async (type, body, fault) => {
    const { lines } = await readStatus(watching([alarm('JobsWait', 'OK')]), 'UPDATE_COMPLETE', 3, {
      resources: [{ type, logicalId: 'X', physicalId: 'x' }],
      answerOthers: () => ({ status: 200, body: JSON.stringify(body) }),
    })
    expect(lines.resources[1]).toBe(`off: ${type} x ${fault}`)
  })

  it('finds a deleted job queue in an empty list', async () => {
    const { lines } = await readStatus(watching([alarm('JobsWait', 'OK')]), 'UPDATE_COMPLETE', 3, {
      resources: [{ type: 'AWS::Batch::JobQueue', logicalId: 'X', physicalId: 'x' }],
      answerOthers: () => ({ status: 200, body: JSON.stringify({ jobQueues: [] }) }),
    })
    expect(lines.resources[1]).toBe('gone: AWS::Batch::JobQueue x')
  })

  it('does not take a resource that it may not read for a missing one', async () => {
    const { lines } = await readStatus(watching([alarm('JobsWait', 'OK')]), 'UPDATE_COMPLETE', 0, {
      resources: [{ type: 'AWS::Athena::WorkGroup', logicalId: 'X', physicalId: 'x' }],
      answerOthers: () => refuse(400, 'AccessDeniedException'),
    })
    expect(lines.resources).toEqual([
      '1 resource usable',
      expect.stringMatching(/^unknown: AWS::Athena::WorkGroup x: /),
    ])
  })

  it('does not take a stage without alarms for a quiet one', async () => {
    const { lines } = await readStatus(watching([]))
    expect(lines.alarms).toBe('the stage has no alarms: deploy it again')
  })

  it('says that a stage was deployed without alarms, and shows no dashboard', async () => {
    const { lines } = await readStatus(watching([]), 'UPDATE_COMPLETE', 0, { hasDashboard: false })
    expect(lines.alarms).toBe('none: the setting alarms is false')
    expect(lines).not.toHaveProperty('dashboard')
  })

  it.each(['UPDATE_IN_PROGRESS', 'UPDATE_ROLLBACK_FAILED'])(
    'begins with the state %s of a stack and what to do next, and exits with 3',
    async (status) => {
      const { lines } = await readStatus(watching([alarm('JobsWait', 'OK')]), status, 3)
      expect(Object.keys(lines).slice(0, 4)).toEqual(['stage', 'stacks', 'next', 'version'])
      expect(lines.stacks[0]).toMatch(`SearchService-blue ${status}: `)
      expect(lines.next.at(-1)).toMatch(
        /: aws cloudformation (cancel-update-stack|continue-update-rollback) --stack-name /,
      )
    },
  )

  it('says that the last deploy was rolled back, which is no fault of the stage', async () => {
    const { lines } = await readStatus(watching([alarm('JobsWait', 'OK')]), 'UPDATE_ROLLBACK_COMPLETE')
    expect(lines.stacks[0]).toMatch(/the last deploy failed, and what was deployed before it is back$/)
    expect(lines.next).toBeUndefined()
  })

  it('says what it may not read, and shows the rest', async () => {
    const denied = { __type: 'AccessDeniedException', message: 'not authorized to perform: cloudwatch:DescribeAlarms' }
    const { lines } = await readStatus(() => ({ status: 400, body: JSON.stringify(denied) }))
    expect(lines.alarms).toMatch(/^unknown: .*not authorized to perform: cloudwatch:DescribeAlarms$/)
    expect(lines.rates).toBe('0 fee schedules')
  })
})

/** Runs the command for executions against a Step Functions. */
async function readExecutions(...args: readonly string[]) {
  const outputs = {
    SearchesStateMachine: 'arn:aws:states:eu-west-1:111111111111:stateMachine:searches',
    LoadsStateMachine: 'arn:aws:states:eu-west-1:111111111111:stateMachine:loads',
  }
  await using cloudFormation = await startCloudFormation({ 'SearchService-blue': { outputs } })
  await using stepFunctions = await startHttpStub(({ operation, body }) => {
    const request = JSON.parse(body)
    if (operation === 'ListExecutions') {
      const isLoad = request.stateMachineArn.endsWith(':loads')
      const name = `${isLoad ? 'load' : 'job'}-${request.statusFilter}`
      return { status: 200, body: JSON.stringify({ executions: [{ name, startDate: isLoad ? 2000 : 1000 }] }) }
    }
    if (request.executionArn.endsWith(':execution:loads:load-1')) {
      const failed = { error: 'Lambda.Unknown', cause: 'It broke' }
      const events = [
        { id: 2, timestamp: 1001, type: 'TaskFailed', taskFailedEventDetails: failed },
        { id: 1, timestamp: 1000, type: 'TaskSucceeded', taskSucceededEventDetails: { output: '{"queryId":"q"}' } },
      ]
      return { status: 200, body: JSON.stringify({ events }) }
    }
    return refuse(400, 'ExecutionDoesNotExist')
  })
  return await runCommandLine('status', ['--stage', 'blue', ...args], {
    ...environment,
    AWS_ENDPOINT_URL_CLOUDFORMATION: cloudFormation.url,
    AWS_ENDPOINT_URL_SFN: stepFunctions.url,
  })
}

describe('npm run status -- --executions', () => {
  it('lists executions of searches and loads in each broken state, the newest first', async () => {
    const { output, exitCode } = await readExecutions('--executions', 'broken', '--json')
    const { executions } = JSON.parse(output)
    expect(executions.map(({ name }: { name: string }) => name)).toEqual([
      ...['load-FAILED', 'load-TIMED_OUT', 'load-ABORTED'],
      ...['job-FAILED', 'job-TIMED_OUT', 'job-ABORTED'],
    ])
    expect(exitCode).toBe(0)
    const running = await readExecutions('--executions', 'running')
    expect(running.output).toMatch(
      /^of +execution +state +started\n─.*\nload +load-RUNNING +running +1970-01-01T00:33:20/,
    )
  })

  it('shows the last events of an execution in their order, with errors and outputs', async () => {
    const { output } = await readExecutions('--execution', 'load-1')
    expect(output).toBe(
      '1970-01-01T00:16:40.000+00:00  TaskSucceeded  {"queryId":"q"}\n1970-01-01T00:16:41.000+00:00  TaskFailed  Lambda.Unknown: It broke\n',
    )
  })

  it.each([
    [['--execution', 'none'], 1, 'error: there is no execution none: npm run status -- --stage blue --executions'],
    [['--executions', 'lost'], 2, 'error: --executions must be running or broken, not "lost"'],
    [['--executions', 'running', '--execution', 'x'], 2, 'exclude one another'],
  ])('refuses %j', async (args, code, message) => {
    const { errors, exitCode } = await readExecutions(...args)
    expect(errors).toContain(message)
    expect(exitCode).toBe(code)
  })
})

const putUnended = (jobId: string, status: string, at: string) =>
  dynamo.send(
    new PutItemCommand({
      TableName: tables['Jobs'],
      Item: {
        ...{ org_id: { S: 'acme' }, item: { S: `job#${jobId}` }, job_id: { S: jobId }, run: { S: 'r' } },
        ...{
          status: { S: status },
          created_at: { S: at },
          touched_at: { S: at },
          unended: { S: unendedPartitions[0] ?? '' },
        },
      },
    }),
  )
