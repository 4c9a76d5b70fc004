import { describe, expect, it } from 'vitest'
import { readEvents } from '../../../local/event-bridge/rules.ts'
import { readResources } from '../../templates/test-template.ts'

const ended = {
  source: 'aws.states',
  detail: { status: 'FAILED', input: '{"jobId":"an id"}', output: null },
} as const

const pattern = { source: ['aws.states'], detail: { status: ['FAILED', 'ABORTED'] } }

function openRule(target: object, event: Parameters<ReturnType<typeof readEvents>['publish']>[0]) {
  const template = readResources({
    Handle: { Type: 'AWS::Lambda::Function' },
    Rule: {
      Type: 'AWS::Events::Rule',
      Properties: { EventPattern: pattern, Targets: [{ Arn: { 'Fn::GetAtt': ['Handle', 'Arn'] }, ...target }] },
    },
  })
  const called: unknown[] = []
  const events = readEvents(template, async (arn, input) => called.push({ arn, input }))
  events.publish(event)
  return called
}

describe('a rule for ended executions', () => {
  const arn = 'arn:aws:lambda:us-east-1:000000000000:function:Handle'

  it('passes the whole event by default', () => {
    expect(openRule({}, ended)).toEqual([{ arn, input: ended }])
  })

  it('passes the detail unchanged, with quotes in its text', () => {
    expect(openRule({ InputPath: '$.detail' }, ended)).toEqual([{ arn, input: ended.detail }])
  })

  it('ignores other events', () => {
    expect(openRule({}, { source: 'aws.states', detail: { status: 'SUCCEEDED' } })).toEqual([])
  })

  it.each([
    [{ InputTransformer: { InputPathsMap: { input: '$.detail.input' }, InputTemplate: '{"input":<input>}' } }],
    [{ Input: '{}' }],
  ])('fails if it has %j, which EventBridge fills without escaping', (target) => {
    expect(() => openRule(target, ended)).toThrow('is not supported: pass the event, or its $.detail')
  })
})
