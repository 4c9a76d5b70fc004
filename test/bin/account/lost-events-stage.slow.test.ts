import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { describeLoss, readLostEvent } from '../../../bin/access/lost-event.ts'
import { startCloudFormation } from '../../doubles/deployed-stacks.ts'
import { type Answer, type Call, type HttpStub, startHttpStub } from '../../doubles/http-stub.ts'
import { type MessageQueue, type QueuedMessage, startMessageQueue } from '../../doubles/stage/message-queue.ts'
import { runCommandLine } from '../run-command-line.ts'

const searchEnded = (jobId: string) => ({
  version: '0',
  source: 'rate-search.blue',
  'detail-type': 'Search Ended',
  detail: { id: `${jobId}-run`, job_id: jobId, org_id: 'acme', status: 'completed' },
})
const broken = {
  executionArn: 'arn:aws:states:eu-west-1:111122223333:execution:SearchService-blue:job-7-run',
  status: 'TIMED_OUT',
  input: '{"orgId":"acme","jobId":"job-7","run":"run"}',
}
const timer = { source: 'aws.events', 'detail-type': 'Scheduled Event', detail: {} }
const message = (event: unknown, attributes = {}): QueuedMessage => ({ body: JSON.stringify(event), attributes })

describe('a lost event', () => {
  it('goes whole to deliver-webhooks if it comes from the service', () => {
    const event = searchEnded('job-1')
    expect(readLostEvent(message(event))).toEqual({
      handler: 'DeliverWebhooks',
      event,
      what: 'Search Ended: job-1',
    })
  })

  it.each([
    ['as Lambda keeps it, with what the function was called with', broken],
    ['as EventBridge keeps it, whole', { source: 'aws.states', 'detail-type': 'Step Functions', detail: broken }],
  ])('goes to record-failure if it is of a broken execution, %s', (_, event) => {
    expect(readLostEvent(message(event))).toEqual({
      handler: 'RecordFailure',
      event: broken,
      what: 'execution TIMED_OUT: job-7-run',
    })
  })

  it('goes nowhere if it comes from a timer, whose next call makes up for it', () => {
    expect(readLostEvent(message(timer))).toEqual({ handler: undefined, what: 'a call of a timer' })
  })

  it.each(['', 'text', '[]', '{"source":"aws.s3"}'])('counts as foreign with the body %j', (body) => {
    expect(readLostEvent({ body })).toBeUndefined()
  })

  it('says why it was lost, in the words of EventBridge or Lambda', () => {
    const why = (attributes: Record<string, string>) => describeLoss({ attributes })
    expect(why({ RequestID: 'r', ErrorCode: '200', ErrorMessage: 'table not found\n  at x' })).toBe('table not found')
    expect(why({ ERROR_CODE: 'NO_PERMISSIONS', ERROR_MESSAGE: 'not authorized' })).toBe('not authorized')
    expect(why({})).toBe('unknown')
  })
})

let cloudFormation: HttpStub
let lambda: HttpStub
let queue: MessageQueue
let answer: (call: Call) => Answer

beforeEach(async () => {
  queue = await startMessageQueue([
    message(timer),
    message(searchEnded('job-1'), { ErrorMessage: 'table not found' }),
    message(broken),
    message(searchEnded('job-2')),
    message(searchEnded('job-3')),
  ])
  cloudFormation = await startCloudFormation({
    'SearchService-blue': {
      outputs: { AccessTable: 'blue-access', WebhooksTable: 'blue-webhooks' },
      resources: [
        {
          type: 'AWS::SQS::Queue',
          logicalId: 'DeadLetters01234567',
          physicalId: 'https://sqs.example/111122223333/lost',
        },
        { type: 'AWS::Lambda::Function', logicalId: 'DeliverWebhooks01234567', physicalId: 'blue-deliver' },
        { type: 'AWS::Lambda::Function', logicalId: 'RecordFailure01234567', physicalId: 'blue-record' },
      ],
    },
  })
  answer = () => ({ status: 200, body: 'null' })
  lambda = await startHttpStub((call) => answer(call))
})

afterEach(async () => {
  for (const stub of [queue, cloudFormation, lambda]) await stub[Symbol.asyncDispose]()
})

const webhooks = (...args: readonly string[]) =>
  runCommandLine('webhooks', [...args, '--stage', 'blue'], {
    AWS_REGION: 'eu-west-1',
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
    AWS_ENDPOINT_URL_CLOUDFORMATION: cloudFormation.url,
    AWS_ENDPOINT_URL_SQS: queue.url,
    AWS_ENDPOINT_URL_LAMBDA: lambda.url,
  })

const failing: Answer = {
  status: 200,
  headers: { 'x-amz-function-error': 'Unhandled' },
  body: JSON.stringify({ errorType: 'ResourceNotFoundException', errorMessage: 'no such table\n  at handler' }),
}

describe('npm run webhooks -- redrive', () => {
  it('calls the function of each event and waits for its end, deletes what is handled, and says what is left', async () => {
    const { output, errors, exitCode } = await webhooks('redrive')
    expect(output).toBe('4 handled; 1 call of timers dropped, which the next call makes up for; about 0 events left\n')
    expect(errors.split('\n')).toEqual([
      'dropped: a call of a timer',
      'handled: Search Ended: job-1',
      'handled: execution TIMED_OUT: job-7-run',
      'handled: Search Ended: job-2',
      'handled: Search Ended: job-3',
      'Written to the stage blue',
      '',
    ])
    expect(exitCode).toBe(0)
    expect(queue.bodies()).toEqual([])
    expect(lambda.calls.map(({ path, body }) => [path, JSON.parse(body)])).toEqual([
      ['/2015-03-31/functions/blue-deliver/invocations', searchEnded('job-1')],
      ['/2015-03-31/functions/blue-record/invocations', broken],
      ['/2015-03-31/functions/blue-deliver/invocations', searchEnded('job-2')],
      ['/2015-03-31/functions/blue-deliver/invocations', searchEnded('job-3')],
    ])
    expect(lambda.calls.map(({ headers }) => headers['x-amz-invocation-type'] ?? 'RequestResponse')).toEqual(
      lambda.calls.map(() => 'RequestResponse'),
    )
  })

  it('leaves an event that fails again in the queue, for others to receive, and goes on with the rest', async () => {
    answer = ({ body }) => (body.includes('job-2') ? failing : { status: 200, body: 'null' })
    const { output, errors, exitCode } = await webhooks('redrive', '--json')
    expect(JSON.parse(output)).toEqual({ stage: 'blue', handled: 3, dropped: 1, failed: 1, unknown: 0, remaining: 1 })
    expect(errors).toContain('failed: Search Ended: job-2: ResourceNotFoundException: no such table\n')
    expect(exitCode).toBe(1)
    expect(queue.visible()).toEqual([JSON.stringify(searchEnded('job-2'))])
    answer = () => ({ status: 200, body: 'null' })
    expect(await webhooks('redrive')).toMatchObject({ output: '1 handled; about 0 events left\n', exitCode: 0 })
  })

  it('deletes nothing if the function cannot be called', async () => {
    answer = () => ({ status: 403, body: '{"Message":"not authorized to perform lambda:InvokeFunction"}' })
    const { errors, exitCode } = await webhooks('redrive')
    expect(errors).toContain('not authorized to perform lambda:InvokeFunction')
    expect(exitCode).toBe(1)
    expect(queue.bodies()).toHaveLength(4)
  })
})

describe('npm run webhooks -- lost', () => {
  it('lists what was lost and why, and leaves it in the queue', async () => {
    const { output, exitCode } = await webhooks('lost')
    const [, , first, second] = output.split('\n')
    expect(first).toMatch(/^2026-11-24T10:00:00.000\+00:00 +a call of a timer +unknown$/)
    expect(second).toMatch(/ +Search Ended: job-1 +table not found$/)
    expect(exitCode).toBe(0)
    expect(queue.visible()).toHaveLength(5)
    expect(lambda.calls).toEqual([])
  })
})
