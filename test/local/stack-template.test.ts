import { describe, expect, it } from 'vitest'
import { readStackTemplate } from '../../local/stack-template.ts'
import { connectEndpoints } from '../endpoints/connect.ts'
import { readResources } from '../templates/test-template.ts'

const { assembly } = connectEndpoints()

const template = readResources({
  Jobs: { Type: 'AWS::DynamoDB::GlobalTable' },
  Results: { Type: 'AWS::S3::Bucket' },
  Create: { Type: 'AWS::Lambda::Function' },
  Role: { Type: 'AWS::IAM::Role' },
  Queue: { Type: 'AWS::SQS::Queue' },
})

describe('a template reference', () => {
  it.each([
    ['plain text', 'plain text'],
    [{ Ref: 'Jobs' }, 'Jobs'],
    [{ Ref: 'Results' }, 'results'],
    [{ Ref: 'AWS::Region' }, 'us-east-1'],
    [{ 'Fn::GetAtt': ['Create', 'Arn'] }, 'arn:aws:lambda:us-east-1:000000000000:function:Create'],
    [{ Ref: 'Role' }, 'Role'],
    [{ 'Fn::GetAtt': ['Results', 'Arn'] }, 'arn:aws:s3:::results'],
    [{ 'Fn::GetAtt': ['Role', 'Arn'] }, 'arn:aws:iam::000000000000:role/Role'],
    [{ 'Fn::Join': ['/', ['s3:/', { Ref: 'Results' }, 'key']] }, 's3://results/key'],
  ])('resolves %j to %s', (value, text) => {
    expect(template.text(value)).toBe(text)
  })

  it('resolves at any depth', () => {
    const value = { list: [{ Ref: 'Jobs' }, 1, null], nested: { table: { Ref: 'Jobs' }, other: true } }
    const expected = { list: ['Jobs', 1, null], nested: { table: 'Jobs', other: true } }
    expect(template.resolve(value)).toEqual(expected)
  })

  it.each([
    [{ Ref: 'Queue' }],
    [{ Ref: 'Missing' }],
    [{ Ref: 'AWS::StackName' }],
    [{ 'Fn::GetAtt': ['Results', 'DomainName'] }],
    [{ 'Fn::GetAtt': ['Jobs', 'StreamArn'] }],
    [{ 'Fn::GetAtt': ['Missing', 'Arn'] }],
    [{ 'Fn::Sub': 'a text' }],
    [{ 'Fn::ImportValue': 'Warehouse' }],
    [{ 'Fn::Select': [0, ['a']] }],
    [{ nested: [{ 'Fn::If': ['Condition', 'a', 'b'] }] }],
  ])('fails without a local counterpart: %j', (value) => {
    expect(() => template.resolve(value)).toThrow('has no local counterpart')
  })

  it('fails if it is not text where text is required', () => {
    expect(() => template.text({ a: 1 })).toThrow()
    expect(() => template.text(7)).toThrow()
  })
})

describe('the synthesised template', () => {
  it('refers only to resources with a local name in its functions', () => {
    const functions = readStackTemplate(assembly, 'SearchService').ofType('AWS::Lambda::Function')
    expect(functions.length).toBeGreaterThan(7)
    const { resolve } = readStackTemplate(assembly, 'SearchService')
    for (const { properties } of functions) expect(() => resolve(properties['Environment'])).not.toThrow()
  })
})
