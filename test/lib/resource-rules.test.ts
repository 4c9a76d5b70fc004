import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  at,
  defaultStage,
  dev,
  guarded,
  guardedStage,
  type Json,
  listOf,
  ofType,
  type Resource,
  render,
  synthesise,
} from '../templates/templates.ts'

/** Types of resources that CloudFormation cannot tag. None of them is billed by itself. */
const untaggedTypes = [
  'AWS::ApiGateway::Account',
  'AWS::ApiGateway::Deployment',
  'AWS::ApiGateway::GatewayResponse',
  'AWS::ApiGateway::Method',
  'AWS::ApiGateway::Resource',
  'AWS::EC2::Route',
  'AWS::EC2::SubnetRouteTableAssociation',
  'AWS::EC2::VPCGatewayAttachment',
  'AWS::Glue::Database',
  'AWS::Glue::Table',
  'AWS::IAM::Policy',
  'AWS::Lambda::EventInvokeConfig',
  'AWS::Lambda::Permission',
  'AWS::Lambda::Version',
  'AWS::Logs::MetricFilter',
  'AWS::Logs::QueryDefinition',
  'AWS::S3::BucketPolicy',
  'AWS::SNS::Subscription',
  'AWS::SNS::TopicPolicy',
  'AWS::SQS::QueuePolicy',
  'AWS::Scheduler::Schedule',
]

const { service, warehouse } = guarded()
const resources = [...service, ...warehouse]

/** A stage with tags that is removed with its data: the CDK adds a function that empties its buckets. */
const disposableStage = { ...defaultStage, tags: { Service: 'pricing' } }

/** Returns the tags of a resource, without the CDK's. Templates write lists, maps, or put them in a table's replica. */
function tagsOf({ properties }: Resource): Readonly<Record<string, string>> {
  const [replica] = listOf(properties['Replicas'])
  const tags = properties['Tags'] ?? properties['ResourceTags'] ?? at(replica, 'Tags')
  const isMap = typeof tags === 'object' && tags !== null && !Array.isArray(tags)
  const entries = (isMap ? Object.entries(tags) : listOf(tags).map(readTag)).filter(
    ([key]) => !key.startsWith('aws-cdk:'),
  )
  return Object.fromEntries(entries.map(([key, value]) => [key, render(value)]))
}

const readTag = (tag: Json): readonly [string, Json] => [render(at(tag, 'Key')), at(tag, 'Value') ?? null]

describe('the tags of a stage', () => {
  it('name the service and the stage and include those of its file, on each resource that can be tagged', () => {
    const taggable = resources.filter(({ type }) => !untaggedTypes.includes(type))
    expect(taggable.length).toBeGreaterThan(100)
    const expected = { service: 'rate-search', 'rate-search-stage': guardedStage.name, ...guardedStage.tags }
    const lacking = taggable.filter((resource) => {
      const tags = tagsOf(resource)
      return Object.entries(expected).some(([key, value]) => tags[key] !== value)
    })
    expect(lacking.map(({ id, type }) => `${type} ${id}`)).toEqual([])
  })

  it('leave out only types of resources that exist and have no tags', () => {
    expect(untaggedTypes.filter((type) => !resources.some((resource) => resource.type === type))).toEqual([])
    expect(
      resources.filter((resource) => untaggedTypes.includes(resource.type) && Object.keys(tagsOf(resource)).length > 0),
    ).toEqual([])
  })

  it('pass to the tasks of loads, which Fargate bills', () => {
    for (const { properties } of ofType(service, 'AWS::Batch::JobDefinition'))
      expect(properties).toMatchObject({ PropagateTags: true })
  })

  it('reach the stack itself if the file has any, so that CloudFormation tags what it creates', () => {
    const readStackTags = (folder: string): unknown =>
      JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')).artifacts.SearchService.properties.tags
    expect(readStackTags(guarded().folder)).toEqual(guardedStage.tags)
    expect(readStackTags(dev().folder)).toBeUndefined()
  })

  it('reach the CDK’s own functions too, and the file’s Service replaces the service’s own', () => {
    const { service, warehouse } = synthesise(disposableStage)
    const taggable = [...service, ...warehouse].filter(
      ({ type }) => !untaggedTypes.includes(type) && !type.startsWith('Custom::'),
    )
    expect(taggable.some(({ id }) => id.startsWith('CustomS3AutoDeleteObjects'))).toBe(true)
    const expected = { Service: 'pricing', 'rate-search-stage': disposableStage.name }
    expect(taggable.map((each) => [each.id, tagsOf(each)])).toEqual(taggable.map(({ id }) => [id, expected]))
  })
})

describe('the roles of a stage', () => {
  const roles = ofType(service, 'AWS::IAM::Role')
  const boundary = 'arn:<AWS::Partition>:iam::<AWS::AccountId>:policy/workload-boundary'

  it('get the boundary and the path of its file, without an exception', () => {
    expect(roles.length).toBeGreaterThan(25)
    for (const { id, properties } of roles)
      expect([id, render(properties['PermissionsBoundary']), properties['Path']]).toEqual([
        id,
        boundary,
        guardedStage.rolePath,
      ])
  })

  it('get no boundary and no path without the settings', () => {
    for (const { properties } of ofType(dev().service, 'AWS::IAM::Role')) {
      expect(properties).not.toHaveProperty('PermissionsBoundary')
      expect(properties).not.toHaveProperty('Path')
    }
  })

  it('take a boundary by its ARN, in a disposable stage too, where the CDK adds a role that empties buckets', () => {
    const arn = 'arn:aws:iam::111122223333:policy/baseline/boundary'
    const disposable = ofType(synthesise({ ...defaultStage, permissionsBoundary: arn }).service, 'AWS::IAM::Role')
    expect(disposable.filter(({ id }) => id.startsWith('CustomS3AutoDeleteObjects'))).toHaveLength(1)
    expect(new Set(disposable.map(({ properties }) => properties['PermissionsBoundary']))).toEqual(new Set([arn]))
  })
})

describe('the budget of a stage', () => {
  const [budget, ...others] = ofType(service, 'AWS::Budgets::Budget')

  it('counts what carries the tag of the stage', () => {
    expect(others).toEqual([])
    expect(budget?.properties['Budget']).toEqual({
      BudgetName: `rate-search-${guardedStage.name}`,
      BudgetType: 'COST',
      TimeUnit: 'MONTHLY',
      BudgetLimit: { Amount: 300, Unit: 'USD' },
      CostFilters: { TagKeyValue: [`user:rate-search-stage$${guardedStage.name}`] },
    })
  })

  it('sends mails at 80 % of the month, and when more than all of it is expected', () => {
    const notifications = listOf(budget?.properties['NotificationsWithSubscribers'])
    expect(notifications.map((each) => at(each, 'Notification'))).toEqual([
      { NotificationType: 'ACTUAL', Threshold: 80, ComparisonOperator: 'GREATER_THAN', ThresholdType: 'PERCENTAGE' },
      {
        NotificationType: 'FORECASTED',
        Threshold: 100,
        ComparisonOperator: 'GREATER_THAN',
        ThresholdType: 'PERCENTAGE',
      },
    ])
    for (const notification of notifications)
      expect(at(notification, 'Subscribers')).toEqual([{ SubscriptionType: 'EMAIL', Address: 'owner@example.com' }])
  })
})
