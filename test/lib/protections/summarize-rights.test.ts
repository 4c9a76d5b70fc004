import { describe, expect, it } from 'vitest'
import { readAssembly } from '../../../lib/protections/stage-template.ts'
import { summarizeRights } from '../../../lib/protections/summarize-rights.ts'
import { guarded } from '../../templates/templates.ts'

const allow = (Action: unknown, Resource: unknown, others: object = {}) => ({
  Effect: 'Allow',
  Action,
  Resource,
  ...others,
})

const summarize = (...statements: readonly object[]) =>
  summarizeRights({
    resources: {
      Role: { Type: 'AWS::IAM::Role', Properties: { ManagedPolicyArns: [{ 'Fn::Join': ['', ['arn:', '/Basic']] }] } },
      Policy: { Type: 'AWS::IAM::Policy', Properties: { PolicyDocument: { Statement: statements } } },
    },
  })

describe('the summary of the rights of a first deploy', () => {
  it('names actions with wildcards, actions on every resource, and managed policies', () => {
    expect(
      summarize(
        allow(['s3:GetObject', 's3:Get*'], { Ref: 'Bucket' }),
        allow('cloudwatch:PutMetricData', '*'),
        allow('batch:ListJobs', ['arn:a', '*']),
        allow('sqs:SendMessage', 'arn:aws:sqs:*:1:q'),
      ),
    ).toEqual([
      'This first deploy creates 1 role in IAM:',
      '  actions with *: s3:Get*',
      '  actions on the resource *: batch:ListJobs, cloudwatch:PutMetricData',
      '  managed policies: Basic',
    ])
  })

  it.each([
    ['all actions but some', { Effect: 'Allow', NotAction: 'iam:*', Resource: 'arn:a' }, '  actions with *: *'],
    ['all resources but some', allow('s3:GetObject', undefined, { NotResource: 'arn:a' }), 's3:GetObject'],
  ])('does not overlook %s', (_, statement, line) => {
    expect(summarize(statement).join('\n')).toContain(line)
  })

  it('does not count what is denied', () => {
    expect(summarize({ Effect: 'Deny', Action: '*', Resource: '*' })[1]).toBe('  actions with *: none')
  })

  it('stays short for a whole stage', () => {
    const lines = summarizeRights(readAssembly(guarded().folder))
    expect(lines[0]).toMatch(/creates \d\d roles/)
    expect(lines).toHaveLength(4)
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThan(600)
  })
})
