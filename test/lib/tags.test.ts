import { describe, expect, it } from 'vitest'
import { at, guarded, guardedStage, type Json, listOf, ofType, type Resource, render } from '../templates/templates.ts'

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
  'AWS::S3::BucketPolicy',
  'AWS::SNS::Subscription',
  'AWS::SNS::TopicPolicy',
  'AWS::SQS::QueuePolicy',
  'AWS::Scheduler::Schedule',
]

const { service, warehouse } = guarded()
const resources = [...service, ...warehouse]

/** Returns the tags of a resource, which templates write as lists, as maps, or in the replica of a table. */
function tagsOf({ properties }: Resource): Readonly<Record<string, string>> {
  const [replica] = listOf(properties['Replicas'])
  const tags = properties['Tags'] ?? properties['ResourceTags'] ?? at(replica, 'Tags')
  const isMap = typeof tags === 'object' && tags !== null && !Array.isArray(tags)
  const entries = isMap ? Object.entries(tags) : listOf(tags).map(readTag)
  return Object.fromEntries(entries.map(([key, value]) => [key, render(value)]))
}

const readTag = (tag: Json): readonly [string, Json] => [render(at(tag, 'Key')), at(tag, 'Value') ?? null]

describe('the tags of a stage', () => {
  it('name the service and the stage, on each resource that can be tagged', () => {
    const taggable = resources.filter(({ type }) => !untaggedTypes.includes(type))
    expect(taggable.length).toBeGreaterThan(100)
    const expected = { service: 'rate-search', 'rate-search-stage': guardedStage.name }
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
