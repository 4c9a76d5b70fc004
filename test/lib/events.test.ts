import { describe, expect, it } from 'vitest'
import { at, dev, type JsonObject, listOf, named, ofType } from '../templates/templates.ts'

const template = dev().service
const queue = named(template, 'AWS::SQS::Queue', 'DeadLetters')
const queueArn = { 'Fn::GetAtt': [queue.id, 'Arn'] }

describe('the rules of events', () => {
  const rules = ofType(template, 'AWS::Events::Rule')
  const recordFailure = named(template, 'AWS::Lambda::Function', 'RecordFailure')
  const broken = named(template, 'AWS::Events::Rule', 'BrokenExecutionsRule').properties

  it('comprise five enabled rules', () => {
    expect(rules).toHaveLength(5)
    for (const { properties } of rules) expect(properties['State']).toBe('ENABLED')
  })

  it('send executions that end without ending their job to record-failure', () => {
    const [machine] = ofType(template, 'AWS::StepFunctions::StateMachine')
    expect(broken['EventPattern']).toEqual({
      source: ['aws.states'],
      'detail-type': ['Step Functions Execution Status Change'],
      detail: { stateMachineArn: [{ Ref: machine?.id }], status: ['FAILED', 'TIMED_OUT', 'ABORTED'] },
    })
    const targets = listOf(broken['Targets'])
    expect(targets.map((target) => at(target, 'Arn'))).toEqual([{ 'Fn::GetAtt': [recordFailure.id, 'Arn'] }])
  })

  it('pass events unchanged, because an input template does not escape the JSON text in their input', () => {
    const [target] = listOf(broken['Targets'])
    expect(at(target, 'InputPath')).toBe('$.detail')
    expect(at(target, 'InputTransformer')).toBeUndefined()
  })

  it('send events of the stage to deliver-webhooks unchanged, or to the queue', () => {
    const { properties } = named(template, 'AWS::Events::Rule', 'WebhooksEvents')
    const types = ['Search Ended', 'Fee Schedules Updated']
    expect(properties['EventPattern']).toEqual({ source: ['rate-search.dev'], 'detail-type': types })
    const deliver = named(template, 'AWS::Lambda::Function', 'DeliverWebhooks')
    const target = { Arn: { 'Fn::GetAtt': [deliver.id, 'Arn'] }, DeadLetterConfig: { Arn: queueArn } }
    expect(listOf(properties['Targets'])).toEqual([{ ...target, Id: 'Target0' }])
    expect(deliver.properties['DeadLetterConfig']).toEqual({ TargetArn: queueArn })
  })

  it('send events that could not be delivered or handled to the queue', () => {
    const [target] = listOf(broken['Targets'])
    expect(at(target, 'DeadLetterConfig')).toEqual({ Arn: queueArn })
    expect(recordFailure.properties['DeadLetterConfig']).toEqual({ TargetArn: queueArn })
    expect(queue.properties).toMatchObject({ SqsManagedSseEnabled: true, MessageRetentionPeriod: 14 * 86_400 })
  })

  it.each([
    ['SweeperEveryMinute', 'SweepSearches'],
    ['LoadAnnouncer', 'AnnounceLoads'],
    ['WebhooksEveryMinute', 'RetryWebhooks'],
  ])('make %s call %s every minute, and never late', (rule, operation) => {
    const { properties } = named(template, 'AWS::Events::Rule', rule)
    expect(properties['ScheduleExpression']).toBe('rate(1 minute)')
    const { id } = named(template, 'AWS::Lambda::Function', operation)
    expect(listOf(properties['Targets'])).toEqual([
      expect.objectContaining({
        Arn: { 'Fn::GetAtt': [id, 'Arn'] },
        RetryPolicy: { MaximumEventAgeInSeconds: 60, MaximumRetryAttempts: 0 },
      }),
    ])
  })

  it('never repeat calls of timers, which fill no queue', () => {
    const functions = ofType(template, 'AWS::Lambda::Function')
    const settings = ofType(template, 'AWS::Lambda::EventInvokeConfig').map(({ properties }) => properties)
    const timed = ofType(template, 'AWS::Events::Rule').flatMap(({ properties }) =>
      properties['ScheduleExpression'] === undefined ? [] : targetsOf(properties),
    )
    expect(timed.length).toBeGreaterThanOrEqual(3)
    const expected = timed.map((id) => ({
      FunctionName: { Ref: id },
      Qualifier: '$LATEST',
      MaximumRetryAttempts: 0,
      MaximumEventAgeInSeconds: 60,
    }))
    expect(settings).toHaveLength(expected.length)
    expect(settings).toEqual(expect.arrayContaining(expected))
    const queued = functions.filter(({ properties }) => properties['DeadLetterConfig'] !== undefined)
    expect(queued.map(({ id }) => id.slice(0, -8)).sort()).toEqual(['DeliverWebhooks', 'RecordFailure'])
    expect(queued.filter(({ id }) => timed.includes(id))).toEqual([])
  })
})

/** Returns the logical ids of the functions that a rule calls. */
const targetsOf = (rule: JsonObject) =>
  listOf(rule['Targets']).map((target) => String(listOf(at(target, 'Arn', 'Fn::GetAtt'))[0]))
