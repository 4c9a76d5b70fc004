import { describe, expect, it } from 'vitest'
import { type DeployedTemplate, findLosses } from '../../../lib/protections/find-losses.ts'
import { describeLosses, type Loss, protectionKinds } from '../../../lib/protections/losses.ts'
import {
  parseTemplate,
  type Resource,
  type Resources,
  readAssembly,
  type StageTemplate,
} from '../../../lib/protections/stage-template.ts'
import type { Stage } from '../../../lib/stage/stage.ts'
import { readText } from '../../templates/source-files.ts'
import { defaultStage, guardedStage, synthesise } from '../../templates/templates.ts'

/** The settings with which the deployed stages of test/fixtures/deployed-stages were made. */
const keptStage: Stage = {
  ...defaultStage,
  disposable: false,
  retentionDays: 90,
  encryptionKeyArn: 'arn:aws:kms:eu-central-1:111122223333:key/0a1b2c3d-0000-4000-8000-000000000000',
  alarmTargets: ['operator@example.com', 'arn:aws:sns:eu-central-1:111122223333:paging'],
  budget: { dollarsPerMonth: 300, addresses: ['owner@example.com'] },
  accessLog: true,
  customDomain: {
    name: 'rates.example.com',
    certificateArn: 'arn:aws:acm:eu-central-1:111122223333:certificate/0a1b2c3d-0000-4000-8000-000000000000',
    hostedZone: { id: 'Z0123456789ABC', name: 'example.com' },
  },
}

const template = (stage: Stage) => readAssembly(synthesise(stage).folder)
const current = template(keptStage)

const deploy = (form: StageTemplate, name = 'SearchService-dev', values = {}): DeployedTemplate => ({
  ...form,
  ...{ name, isProtected: true, values },
})
const readVersion = (file: string) => parseTemplate(file, readText(`test/fixtures/deployed-stages/${file}.json`))

const location = 's3://warehouse-dev-rates-1/'
const ofFormerStack = deploy(readVersion('0.2.0-warehouse'), 'Warehouse-dev', { RatesLocation: location })
/** Version 0.2.0 had the rates in a stack of its own, whose bucket an upgraded stage names. */
const keepingRates = template({ ...keptStage, ratesBucket: 'warehouse-dev-rates-1' })

const weaker = template({ ...keptStage, ratesBucket: 'warehouse-dev-rates-1', disposable: true, retentionDays: 7 })

/** Stages of each version, each with the template by which the present version would deploy it again. */
const versions: readonly (readonly [string, readonly DeployedTemplate[], StageTemplate])[] = [
  ['version 0.2.0', [deploy(readVersion('0.2.0')), ofFormerStack], keepingRates],
  ['version 0.3.0', [deploy(readVersion('0.3.0'))], current],
  ['this version', [deploy(current)], current],
]

const count = (type: string) => Object.values(current.resources).filter(({ Type }) => Type === type).length
const [tables, buckets] = ['AWS::DynamoDB::GlobalTable', 'AWS::S3::Bucket'].map(count)

/** Returns a template after a change of its resources; `change` returns undefined to remove one. */
const mutate = (form: StageTemplate, change: (resource: Resource, id: string) => Resource | undefined) => ({
  ...form,
  resources: Object.fromEntries(
    Object.entries(form.resources).flatMap(([id, resource]) => {
      const changed = change(resource, id)
      return changed === undefined ? [] : [[id, changed]]
    }),
  ),
})

/** Replaces text in the properties of resources of a type. */
const replaceIn = (form: StageTemplate, type: RegExp, pattern: RegExp | string, text: string) =>
  mutate(form, (resource) =>
    type.test(resource.Type)
      ? { ...resource, Properties: JSON.parse(JSON.stringify(resource.Properties).replaceAll(pattern, text)) }
      : resource,
  )

const isAccess = (id: string) => id.startsWith('TablesAccess')
const changeAccess = (form: StageTemplate, pattern: string, text: string) =>
  mutate(form, (resource, id) =>
    isAccess(id)
      ? { ...resource, Properties: JSON.parse(JSON.stringify(resource.Properties).replace(pattern, text)) }
      : resource,
  )

const rename = ({ resources, ...form }: StageTemplate): StageTemplate => ({
  ...form,
  resources: Object.fromEntries(
    Object.entries(resources).map(([id, resource]): [string, Resources[string]] => [
      isAccess(id) ? 'TablesKeys0A1B2C3D' : id,
      resource,
    ]),
  ),
})

/** Settings of a stage, and undefined for those that it no longer has. */
type ChangedSettings = { readonly [Name in keyof Stage]?: Stage[Name] | undefined }

const withSettings = (form: StageTemplate, settings: ChangedSettings) => ({
  ...form,
  settings: { ...Object(form.settings), ...settings },
})

const shorten = ({ kind, subject, before, after }: Loss) => `${kind}: ${subject}: ${before} -> ${after}`

describe.each(versions)('the comparison of a deploy with a deployed stage of %s', (_, deployed, next) => {
  const list = (changed: StageTemplate) => findLosses(deployed, changed).map(shorten)

  it('reports nothing if the stage is deployed again, or with other limits', () => {
    expect(list(next)).toEqual([])
    expect(list(withSettings(next, { limits: { searches: 1, perMinute: 1 }, retentionDays: 100 }))).toEqual([])
  })

  const removed = ['data: TablesAccess: table -> no longer part of the stage']
  const replaced = ['data: TablesAccess: table -> replaced with an empty one']

  it.each<[string, (form: StageTemplate) => StageTemplate, readonly string[]]>([
    ['a construct whose id changes', rename, removed],
    ['a table that is dropped', (form) => mutate(form, (each, id) => (isAccess(id) ? undefined : each)), removed],
    [
      'a key schema that changes',
      (form) => changeAccess(form, '"KeySchema":[{"AttributeName":"org_id"', '"KeySchema":[{"AttributeName":"owner"'),
      replaced,
    ],
    [
      'a sort key that is left out',
      (form) => changeAccess(form, ',{"AttributeName":"item","KeyType":"RANGE"}', ''),
      replaced,
    ],
    [
      'a key of another type',
      (form) => changeAccess(form, '"org_id","AttributeType":"S"', '"org_id","AttributeType":"N"'),
      replaced,
    ],
    ['a table that gets a name', (form) => changeAccess(form, '{', '{"TableName":"access",'), replaced],
    [
      'a table that gets a local index',
      (form) => changeAccess(form, '{', '{"LocalSecondaryIndexes":[{"IndexName":"new"}],'),
      replaced,
    ],
    [
      'a table of another type',
      (form) => mutate(form, (each, id) => (isAccess(id) ? { ...each, Type: 'AWS::DynamoDB::Table' } : each)),
      replaced,
    ],
  ])('reports %s', (_change, change, losses) => {
    expect(list(change(next))).toEqual(losses)
  })

  it('reports nothing if an index is added to a table', () => {
    const index =
      '"GlobalSecondaryIndexes":[{"IndexName":"new"}],"AttributeDefinitions":[{"AttributeName":"new","AttributeType":"N"},'
    expect(list(changeAccess(next, '"AttributeDefinitions":[', index))).toEqual([])
  })

  it.each<[string, ChangedSettings, readonly string[]]>([
    ['a stage that becomes disposable', { disposable: true }, ['termination-protection: SearchService-dev: on -> off']],
    [
      'an encryption key that is left out',
      { encryptionKeyArn: undefined },
      [`encryption: tables, buckets and logs: ${keptStage.encryptionKeyArn} -> keys of AWS`],
    ],
    [
      'another encryption key',
      { encryptionKeyArn: 'arn:aws:kms:eu-central-1:111122223333:key/9f9f' },
      [
        `encryption: tables, buckets and logs: ${keptStage.encryptionKeyArn} -> arn:aws:kms:eu-central-1:111122223333:key/9f9f`,
      ],
    ],
    ['alarms that are switched off', { alarms: false, alarmTargets: [] }, ['alarms: all alarms: on -> off']],
    [
      'a domain that is left out',
      { customDomain: undefined },
      [
        'custom-domain: domain of the API: rates.example.com -> none',
        'custom-domain: DNS record: rates.example.com -> none',
      ],
    ],
    [
      'another domain, without a DNS record',
      { customDomain: { name: 'new.example.com', certificateArn: 'arn' } },
      [
        'custom-domain: domain of the API: rates.example.com -> new.example.com',
        'custom-domain: DNS record: rates.example.com -> none',
      ],
    ],
    ['an access log that is switched off', { accessLog: false }, ['access-log: calls of the API: on -> off']],
  ])('reports %s', (_change, settings, losses) => {
    expect(list(withSettings(next, settings))).toEqual(losses)
  })

  it('reports an address that no longer receives alarms', () => {
    expect(list(withSettings(next, { alarmTargets: ['arn:aws:sns:eu-central-1:111122223333:paging'] }))).toEqual([
      expect.stringMatching(/^alarm-targets: operator@example\.com: \d -> 1$/),
    ])
  })

  it('reports each table that can be deleted, and results that are kept for a shorter time', () => {
    const all = ['TablesJobs', 'TablesAccess', 'TablesFeeSchedules', 'TablesContents']
    const losses = describeLosses(findLosses(deployed, weaker))
    for (const subject of all)
      expect(losses).toContainEqual(expect.stringMatching(`^deletion-protection .*on -> off: .*${subject}`))
    expect(losses).toContainEqual(
      expect.stringMatching(/^retention {15}kept when destroyed -> deleted: .*TablesJobs, /),
    )
    expect(losses).toContainEqual(expect.stringMatching(/^retention {15}kept for 92 days -> kept for 9 days: Results$/))
    expect(losses).toContain('termination-protection  on -> off: SearchService-dev')
  })
})

describe('the comparison of a deploy with the deployed stage', () => {
  /** Counts the subjects that lose a protection, by its kind. */
  function countLosses(next: StageTemplate): Readonly<Record<string, number>> {
    const subjects = Map.groupBy(findLosses([deploy(current)], next), ({ kind }) => kind)
    return Object.fromEntries([...subjects].map(([kind, losses]) => [kind, losses.length]))
  }
  const table = /^AWS::DynamoDB::GlobalTable$/
  const bucket = /^AWS::S3::Bucket$/

  it('covers resources of each type', () => {
    expect([tables, buckets].every((number) => Number(number) > 2)).toBe(true)
  })

  it('reports nothing if protections are added', () => {
    expect(findLosses([deploy(template(defaultStage))], template(guardedStage))).toEqual([])
  })

  it('reports nothing for a stage that is not deployed', () => {
    expect(findLosses([], template(defaultStage))).toEqual([])
  })

  it.each<[string, StageTemplate, object]>([
    ['buckets', mutate(current, (each) => (bucket.test(each.Type) ? undefined : each)), { data: buckets }],
    ['a bucket of another name', replaceIn(current, bucket, /^\{/g, '{"BucketName":"new",'), { data: buckets }],
    ['the database', mutate(current, (each) => (each.Type === 'AWS::Glue::Database' ? undefined : each)), { data: 1 }],
    [
      'a database of another name',
      replaceIn(current, /^AWS::Glue::Database$/, '"Name":"rates_dev"', '"Name":"other"'),
      { data: 1 },
    ],
    [
      'deletion protection of tables',
      replaceIn(current, table, '"DeletionProtectionEnabled":true', '"DeletionProtectionEnabled":false'),
      { 'deletion-protection': tables },
    ],
    [
      'deletion protection that is left out',
      replaceIn(current, table, '"DeletionProtectionEnabled":true,', ''),
      { 'deletion-protection': tables },
    ],
    [
      'retention of tables',
      mutate(current, (each) => (table.test(each.Type) ? { ...each, DeletionPolicy: 'Delete' } : each)),
      { retention: tables },
    ],
    [
      'retention of buckets that are replaced',
      mutate(current, (each) => (bucket.test(each.Type) ? { ...each, UpdateReplacePolicy: 'Delete' } : each)),
      { retention: buckets },
    ],
    [
      'the time for which results are kept',
      replaceIn(current, bucket, '"ExpirationInDays":92', '"ExpirationInDays":9'),
      { retention: 1 },
    ],
    [
      'objects that never expired',
      replaceIn(current, bucket, '"Rules":[{"Expired', '"Rules":[{"ExpirationInDays":9,"Status":"Enabled"},{"Expired'),
      { retention: 1 },
    ],
    [
      'point-in-time recovery',
      replaceIn(current, table, '"PointInTimeRecoveryEnabled":true', '"PointInTimeRecoveryEnabled":false'),
      { recovery: tables },
    ],
    [
      'versions of rates',
      replaceIn(current, bucket, ',"VersioningConfiguration":{"Status":"Enabled"}', ''),
      { versioning: 1 },
    ],
    ['the budget', withSettings(current, { budget: undefined }), { budget: 1 }],
    [
      'a topic that receives alarms',
      withSettings(current, { alarmTargets: ['operator@example.com'] }),
      { 'alarm-targets': 1 },
    ],
    ['the warehouse', { ...current, outputs: {} }, { warehouse: 1 }],
  ])('names %s', (_, next, losses) => {
    expect(countLosses(next)).toEqual(losses)
  })

  it('reports nothing if a rule that would delete objects is disabled, or a stack is not protected', () => {
    const rule = '"Rules":[{"ExpirationInDays":9,"Status":"Disabled"},'
    expect(countLosses(replaceIn(current, bucket, '"Rules":[', rule))).toEqual({})
    const unprotected = { ...deploy(current), isProtected: false }
    expect(findLosses([unprotected], withSettings(current, { disposable: true }))).toEqual([])
  })

  it('reports the alarms of loads, if loads are given up', () => {
    const { loads: _, ...others } = guardedStage
    const silent = { alarms: false, alarmTargets: [] }
    const withoutAlarms = deploy(withSettings(template(guardedStage), silent))
    expect(findLosses([withoutAlarms], withSettings(template(others), silent))).toEqual([])
    expect(findLosses([deploy(template(guardedStage))], template(others)).map(shorten)).toEqual([
      'alarms: alarms of loads: on -> off',
    ])
  })

  it('reports the losses of a different settings file with the name of the stage', () => {
    const losses = findLosses([deploy(current)], template({ ...defaultStage, disposable: true, alarms: false }))
    const withFile = new Set(losses.map(({ kind }) => kind))
    expect([...withFile].sort()).toEqual(
      Object.keys(protectionKinds)
        .filter((kind) => !/^(data|recovery|warehouse|alarm-targets)$/.test(kind))
        .sort(),
    )
    expect(describeLosses(losses)).toEqual(
      expect.arrayContaining([
        'deletion-protection     on -> off: TablesJobs, TablesAccess, TablesFeeSchedules, TablesContents, TablesWebhooks',
        'budget                  on -> off: the bill',
      ]),
    )
  })

  it('refuses settings that it cannot read', () => {
    expect(() => findLosses([deploy({ ...current, settings: 'dev' })], current)).toThrow(
      'the settings that the template of the stage notes cannot be read',
    )
  })
})

describe('the comparison with a stage whose warehouse has a stack of its own', () => {
  const service = deploy(readVersion('0.2.0'))

  it('reports that searches no longer read what was loaded, and the setting that keeps it', () => {
    const losses = [
      {
        kind: 'warehouse',
        subject: 'searches no longer read what was loaded',
        before: location,
        after: 'a new bucket',
        remedy: '"ratesBucket": "warehouse-dev-rates-1" in the stage file keeps what was loaded',
      },
    ]
    expect(findLosses([service, ofFormerStack], current)).toEqual(losses)
    expect(findLosses([ofFormerStack], current)).toEqual(losses)
  })

  it('reports nothing if the stage keeps the bucket, now and in later deploys', () => {
    expect(findLosses([service, ofFormerStack], keepingRates)).toEqual([])
    expect(findLosses([deploy(keepingRates), ofFormerStack], keepingRates)).toEqual([])
  })

  it('reports nothing of the former stack once the service no longer reads it', () => {
    expect(findLosses([deploy(current), ofFormerStack], current)).toEqual([])
  })
})

it('refuses a template that the CDK did not deploy, by the name of its stack', () => {
  expect(() => parseTemplate('SearchService-dev', 'Resources:\n  Table: {}\n')).toThrow(
    'the template of SearchService-dev cannot be read: the CDK did not deploy it',
  )
})
