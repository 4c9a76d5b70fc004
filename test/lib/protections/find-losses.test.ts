import { describe, expect, it } from 'vitest'
import { findLosses } from '../../../lib/protections/find-losses.ts'
import { describeLosses, protectionKinds } from '../../../lib/protections/losses.ts'
import { parseTemplate, type Resource, readAssembly, type StackForm } from '../../../lib/protections/stack-form.ts'
import type { Stage } from '../../../lib/stage/stage.ts'
import { defaultStage, guardedStage, synthesise } from '../../templates/templates.ts'

const domain = {
  name: 'rates.example.com',
  certificateArn: 'arn:aws:acm:eu-central-1:111122223333:certificate/0a1b2c3d-0000-4000-8000-000000000000',
  hostedZone: { id: 'Z0123456789ABC', name: 'example.com' },
}
const fullStage: Stage = { ...guardedStage, customDomain: domain, retentionDays: 90 }
const readStacks = (stage: Stage) => readAssembly(synthesise(stage).folder)
const deployed = readStacks(fullStage)

/** Returns the deployed stacks after a change to their resources; `change` returns undefined to remove a resource. */
const mutate = (change: (resource: Resource, id: string) => Resource | undefined): readonly StackForm[] =>
  deployed.map((stack) => ({
    ...stack,
    resources: Object.fromEntries(
      Object.entries(stack.resources).flatMap(([id, resource]) => {
        const changed = change(resource, id)
        return changed === undefined ? [] : [[id, changed]]
      }),
    ),
  }))

/** Replaces text in the properties of resources of a type. */
const replaceIn = (type: string, pattern: RegExp | string, text: string) =>
  mutate((resource) =>
    resource.Type === type
      ? { ...resource, Properties: JSON.parse(JSON.stringify(resource.Properties).replaceAll(pattern, text)) }
      : resource,
  )

const remove = (type: string) => mutate((resource) => (resource.Type === type ? undefined : resource))

/** Counts the subjects that lose a protection, by its kind. */
function countLosses(next: readonly StackForm[]): Readonly<Record<string, number>> {
  const subjects = Map.groupBy(findLosses(deployed, next), ({ kind }) => kind)
  return Object.fromEntries([...subjects].map(([kind, losses]) => [kind, losses.length]))
}

/** Counts the deployed resources of a type. */
const count = (type: string) =>
  deployed.flatMap(({ resources }) => Object.values(resources)).filter(({ Type }) => Type === type).length
const tables = count('AWS::DynamoDB::GlobalTable')
const buckets = count('AWS::S3::Bucket')
const alarms = count('AWS::CloudWatch::Alarm')

const key = guardedStage.encryptionKeyArn ?? ''
const otherKey = key.replace('0a1b', '9f9f')

describe('the comparison of a deploy with the deployed stage', () => {
  it('covers resources of each type', () => {
    expect([tables, buckets, alarms].every((number) => number > 2)).toBe(true)
  })

  it('reports nothing if the same stage is deployed again', () => {
    expect(findLosses(deployed, deployed)).toEqual([])
    expect(findLosses(deployed, readStacks({ ...fullStage, limits: { searches: 1, perMinute: 1 } }))).toEqual([])
  })

  it('reports nothing if protections are added', () => {
    expect(findLosses(readStacks(defaultStage), readStacks(guardedStage))).toEqual([])
  })

  it.each<[string, () => readonly StackForm[], Readonly<Record<string, number>>]>([
    [
      'termination protection of a stack',
      () => deployed.map((stack) => ({ ...stack, isProtected: false })),
      { 'termination-protection': 1 },
    ],
    ['a table', () => mutate((each, id) => (id.startsWith('TablesAccess') ? undefined : each)), { data: 1 }],
    ['buckets', () => remove('AWS::S3::Bucket'), { data: buckets }],
    ['the database', () => remove('AWS::Glue::Database'), { data: 1 }],
    [
      'deletion protection of tables',
      () =>
        replaceIn(
          'AWS::DynamoDB::GlobalTable',
          '"DeletionProtectionEnabled":true',
          '"DeletionProtectionEnabled":false',
        ),
      { 'deletion-protection': tables },
    ],
    [
      'deletion protection that is left out',
      () => replaceIn('AWS::DynamoDB::GlobalTable', '"DeletionProtectionEnabled":true,', ''),
      { 'deletion-protection': tables },
    ],
    [
      'retention of tables',
      () => mutate((each) => (each.Type.startsWith('AWS::DynamoDB') ? { ...each, DeletionPolicy: 'Delete' } : each)),
      { retention: tables },
    ],
    [
      'retention of buckets that are replaced',
      () => mutate((each) => (each.Type === 'AWS::S3::Bucket' ? { ...each, UpdateReplacePolicy: 'Delete' } : each)),
      { retention: buckets },
    ],
    [
      'the time for which results are kept',
      () => replaceIn('AWS::S3::Bucket', '"ExpirationInDays":92', '"ExpirationInDays":9'),
      { retention: 1 },
    ],
    [
      'objects that never expired',
      () =>
        replaceIn(
          'AWS::S3::Bucket',
          '"Rules":[{"Expired',
          '"Rules":[{"ExpirationInDays":9,"Status":"Enabled"},{"Expired',
        ),
      { retention: 1 },
    ],
    [
      'point-in-time recovery',
      () =>
        replaceIn(
          'AWS::DynamoDB::GlobalTable',
          '"PointInTimeRecoveryEnabled":true',
          '"PointInTimeRecoveryEnabled":false',
        ),
      { recovery: tables },
    ],
    ['the key of tables', () => replaceIn('AWS::DynamoDB::GlobalTable', key, otherKey), { encryption: tables }],
    [
      'the key of buckets',
      () => replaceIn('AWS::S3::Bucket', `"KMSMasterKeyID":"${key}",`, ''),
      { encryption: buckets },
    ],
    ['the key of manifests', () => replaceIn('AWS::Athena::WorkGroup', `,"KmsKey":"${key}"`, ''), { encryption: 1 }],
    ['an alarm', () => mutate((each, id) => (id.startsWith('OperationsJobsWait') ? undefined : each)), { alarms: 1 }],
    [
      'versions of rates',
      () => replaceIn('AWS::S3::Bucket', ',"VersioningConfiguration":{"Status":"Enabled"}', ''),
      { versioning: 1 },
    ],
    ['the budget', () => remove('AWS::Budgets::Budget'), { budget: 1 }],
    [
      'a topic that receives alarms',
      () =>
        replaceIn(
          'AWS::CloudWatch::Alarm',
          '"arn:aws:sns:eu-central-1:111122223333:paging"',
          '"arn:aws:sns:eu-central-1:111122223333:other"',
        ),
      { 'alarm-targets': alarms },
    ],
    [
      'an address that receives alarms',
      () => mutate((each) => (each.Properties['Endpoint'] === 'other@example.com' ? undefined : each)),
      { 'alarm-targets': alarms },
    ],
    [
      'the recipients of an alarm that is turned off',
      () =>
        mutate((each, id) =>
          /^OperationsJobsWait/.test(id)
            ? { ...each, Properties: { ...each.Properties, ActionsEnabled: false } }
            : each,
        ),
      { 'alarm-targets': 3 },
    ],
    ['the domain', () => remove('AWS::ApiGateway::DomainName'), { 'custom-domain': 1 }],
    [
      'another domain',
      () => replaceIn('AWS::ApiGateway::DomainName', domain.name, 'new.example.com'),
      { 'custom-domain': 1 },
    ],
    ['the DNS record', () => remove('AWS::Route53::RecordSet'), { 'custom-domain': 1 }],
    [
      'the access log',
      () => mutate((each) => (each.Type === 'AWS::ApiGateway::Stage' ? { ...each, Properties: {} } : each)),
      { 'access-log': 1 },
    ],
    ['the warehouse', () => deployed.map((stack) => ({ ...stack, outputs: {} })), { warehouse: 1 }],
  ])('names %s', (_, next, losses) => {
    expect(countLosses(next())).toEqual(losses)
  })

  it('reports every log that loses its key', () => {
    const logs = count('AWS::Logs::LogGroup')
    expect(logs).toBeGreaterThan(20)
    expect(countLosses(replaceIn('AWS::Logs::LogGroup', key, otherKey))).toEqual({ encryption: logs })
  })

  it('reports the losses of a different settings file with the name of the stage', () => {
    const bare = readStacks({ ...defaultStage, disposable: true })
    const losses = findLosses(deployed, bare)
    const kinds = new Set(losses.map(({ kind }) => kind))
    expect([...kinds].sort()).toEqual(
      Object.keys(protectionKinds)
        .filter((kind) => !/^(data|recovery|warehouse)$/.test(kind))
        .sort(),
    )
    expect(describeLosses(losses)).toEqual(
      expect.arrayContaining([
        'termination-protection  on -> off: SearchService-dev',
        'deletion-protection     on -> off: TablesJobs, TablesAccess, TablesFeeSchedules, TablesContents, TablesWebhooks',
        'retention               kept for 92 days -> kept for 9 days: Results/results/',
        'alarm-targets           3 -> 0: operator@example.com, other@example.com, arn:aws:sns:eu-central-1:111122223333:paging',
        'custom-domain           rates.example.com -> none: domain of the API',
        'access-log              on -> off: ApiRestApiDeploymentStagedev',
      ]),
    )
  })
})

describe('the comparison with a stage whose warehouse has a stack of its own', () => {
  const location = 's3://warehouse-dev-rates-1/'
  const join = { 'Fn::Join': ['', ['s3://', { Ref: 'Rates2118CE53' }, '/']] }
  const former: StackForm = {
    name: 'Warehouse-dev',
    isProtected: true,
    resources: {},
    outputs: { RatesLocation: join },
    values: { RatesLocation: location },
  }
  const reader = { Type: 'AWS::IAM::Policy', Properties: { database: { 'Fn::ImportValue': 'Warehouse-dev:Database' } } }
  const service = (resources: StackForm['resources']): StackForm => ({
    ...{ name: 'SearchService-dev', isProtected: true, outputs: {}, values: {} },
    resources,
  })
  const next = readStacks({ ...defaultStage, disposable: false })

  it('reports that searches no longer read what was loaded, and the setting that keeps it', () => {
    expect(findLosses([former, service({ reader })], next)).toEqual([
      {
        kind: 'warehouse',
        subject: 'searches no longer read what was loaded',
        before: location,
        after: 'a new bucket',
        remedy: '"ratesBucket": "warehouse-dev-rates-1" in the stage file keeps what was loaded',
      },
    ])
  })

  it('reports nothing if the stage keeps the bucket, now and in later deploys', () => {
    const keeping = readStacks({ ...defaultStage, disposable: false, ratesBucket: 'warehouse-dev-rates-1' })
    expect(findLosses([former, service({ reader })], keeping)).toEqual([])
    expect(findLosses([former, ...keeping], keeping)).toEqual([])
  })

  it('reports nothing of the former stack once the service no longer reads it', () => {
    const own = next
    expect(findLosses([former, ...own], own)).toEqual([])
  })
})

it('refuses a template that the CDK did not deploy, by the name of its stack', () => {
  expect(() => parseTemplate('SearchService-dev', 'Resources:\n  Table: {}\n')).toThrow(
    'the template of SearchService-dev cannot be read: the CDK did not deploy it',
  )
})
