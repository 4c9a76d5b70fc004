import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { describeTable, localTables, tableNames } from '../../local/dynamodb/service-tables.ts'
import { warehouseTables } from '../../schema/columns/warehouse-tables.ts'
import { serviceTables, type TableSchema } from '../../schema/tables.ts'
import type { Json, Synthesised } from '../templates/templates.ts'
import {
  at,
  defaultStage,
  dev,
  everyStage,
  guarded,
  guardedStage,
  listOf,
  named,
  ofType,
  render,
  synthesise,
} from '../templates/templates.ts'

const tables = Object.entries<TableSchema>(serviceTables)

const buckets = ['Results', 'WarehouseRates', 'WarehouseQueryResults'] as const

const tableOf = ({ service }: Synthesised, name: string) =>
  named(service, 'AWS::DynamoDB::GlobalTable', `Tables${name}`)

const bucketOf = ({ service, warehouse }: Synthesised, name: string) =>
  named([...service, ...warehouse], 'AWS::S3::Bucket', name)

const keysOf = ({ partitionKey, sortKey }: Pick<TableSchema, 'partitionKey' | 'sortKey'>) => [
  { AttributeName: partitionKey, KeyType: 'HASH' },
  { AttributeName: sortKey, KeyType: 'RANGE' },
]

it('describes the same tables to the local service as to the template', () => {
  expect(ofType(dev().service, 'AWS::DynamoDB::GlobalTable')).toEqual(
    localTables.map(([id, schema]) =>
      expect.objectContaining({ id, properties: expect.objectContaining(describeTable(schema)) }),
    ),
  )
  expect(Object.values(tableNames)).toEqual(localTables.map(([name]) => name))
})

describe.each(everyStage)('in the stage "%s"', (_, synthesised) => {
  describe.each(tables)('the table %s', (name, schema) => {
    const { indexes = [], timeToLive } = schema

    it('defines the keys, indexes and time to live that the adapters use', () => {
      const { properties } = tableOf(synthesised(), name)
      expect(properties['KeySchema']).toEqual(keysOf(schema))
      expect(listOf(properties['GlobalSecondaryIndexes'])).toEqual(
        indexes.map((index) => ({
          IndexName: index.name,
          KeySchema: keysOf(index),
          Projection:
            index.attributes.length === 0
              ? { ProjectionType: 'KEYS_ONLY' }
              : { ProjectionType: 'INCLUDE', NonKeyAttributes: index.attributes },
        })),
      )
      expect(properties['LocalSecondaryIndexes']).toBeUndefined()
      expect(at(properties['TimeToLiveSpecification'], 'AttributeName')).toBe(timeToLive)
    })

    it('declares only key attributes, all of them strings', () => {
      const attributes = listOf(tableOf(synthesised(), name).properties['AttributeDefinitions'])
      const keys = [schema, ...indexes].flatMap(({ partitionKey, sortKey }) => [partitionKey, sortKey])
      const expected = keys.map((key) => ({ AttributeName: key, AttributeType: 'S' }))
      expect(attributes).toHaveLength(new Set(keys).size)
      expect(attributes).toEqual(expect.arrayContaining(expected))
    })

    it('comes with billing on demand and point-in-time recovery, in one region', () => {
      const { properties } = tableOf(synthesised(), name)
      expect(properties['BillingMode']).toBe('PAY_PER_REQUEST')
      const replicas = listOf(properties['Replicas'])
      expect(replicas).toHaveLength(1)
      expect(at(replicas[0], 'PointInTimeRecoverySpecification')).toEqual({ PointInTimeRecoveryEnabled: true })
    })
  })

  describe.each(buckets)('the bucket %s', (name) => {
    it('keeps the policy that refuses plain HTTP as long as the bucket', () => {
      const templates = synthesised()
      const { id, deletionPolicy } = bucketOf(templates, name)
      const policies = ofType([...templates.service, ...templates.warehouse], 'AWS::S3::BucketPolicy')
      const bucketPolicies = policies.filter(({ properties }) => render(properties['Bucket']) === `<${id}>`)
      expect(bucketPolicies.map((policy) => policy.deletionPolicy)).toEqual([deletionPolicy])
    })

    it('refuses public access and ACLs, and requires TLS', () => {
      const templates = synthesised()
      const { id, properties } = bucketOf(templates, name)
      expect(properties['PublicAccessBlockConfiguration']).toEqual({
        BlockPublicAcls: true,
        BlockPublicPolicy: true,
        IgnorePublicAcls: true,
        RestrictPublicBuckets: true,
      })
      expect(properties['OwnershipControls']).toEqual({ Rules: [{ ObjectOwnership: 'BucketOwnerEnforced' }] })
      const policies = ofType([...templates.service, ...templates.warehouse], 'AWS::S3::BucketPolicy')
      const policy = policies.find(({ properties }) => render(properties['Bucket']) === `<${id}>`)
      const denied = listOf(at(policy?.properties['PolicyDocument'], 'Statement'))
      expect(denied).toContainEqual(refusal(id, { Bool: { 'aws:SecureTransport': 'false' } }))
      expect(denied).toContainEqual(refusal(id, { NumericLessThan: { 's3:TlsVersion': 1.2 } }))
    })

    it('deletes incomplete uploads', () => {
      const rules = listOf(at(bucketOf(synthesised(), name).properties['LifecycleConfiguration'], 'Rules'))
      expect(rules).toContainEqual({ Status: 'Enabled', AbortIncompleteMultipartUpload: { DaysAfterInitiation: 1 } })
    })
  })

  it('brings deleted rates back for a week if the stage is kept, and nothing else', () => {
    const versioned: readonly string[] = buckets.filter(
      (name) => bucketOf(synthesised(), name).properties['VersioningConfiguration'] !== undefined,
    )
    const isKept = synthesised === guarded
    expect(versioned).toEqual(isKept ? ['WarehouseRates'] : [])
    if (!isKept) return
    const { properties } = bucketOf(synthesised(), 'WarehouseRates')
    expect(properties['VersioningConfiguration']).toEqual({ Status: 'Enabled' })
    expect(listOf(at(properties['LifecycleConfiguration'], 'Rules'))).toContainEqual({
      Status: 'Enabled',
      NoncurrentVersionExpiration: { NoncurrentDays: 7 },
      ExpiredObjectDeleteMarker: true,
    })
  })

  it('expires results two days after their jobs, manifests with their jobs, and rates never', () => {
    const expiring = (name: string) =>
      listOf(at(bucketOf(synthesised(), name).properties['LifecycleConfiguration'], 'Rules')).filter(
        (rule) => at(rule, 'ExpirationInDays') !== undefined,
      )
    const { retentionDays } = defaultStage
    expect(expiring('Results')).toEqual([
      { Status: 'Enabled', Prefix: 'results/', ExpirationInDays: retentionDays + 2 },
    ])
    expect(expiring('WarehouseQueryResults')).toEqual([{ Status: 'Enabled', ExpirationInDays: retentionDays }])
    expect(expiring('WarehouseRates')).toEqual([])
  })

  it('lets queries neither exceed the byte limit nor choose the location of manifests', () => {
    const [workGroup] = ofType(synthesised().warehouse, 'AWS::Athena::WorkGroup')
    expect(workGroup?.properties['WorkGroupConfiguration']).toMatchObject({
      EnforceWorkGroupConfiguration: true,
      BytesScannedCutoffPerQuery: defaultStage.dataLimitBytes,
    })
  })
})

describe('the stack of a stage', () => {
  it.each([
    ['dev', dev, false],
    ['guarded', guarded, true],
  ])('%s is protected from deletion unless the stage is disposable', (_, synthesised, expected) => {
    const { artifacts } = JSON.parse(readFileSync(join(synthesised().folder, 'manifest.json'), 'utf8'))
    expect(artifacts['SearchService'].properties.terminationProtection).toBe(expected)
  })
})

describe('a disposable stage', () => {
  it('leaves nothing behind', () => {
    for (const [name] of tables) {
      const table = tableOf(dev(), name)
      expect([table.deletionPolicy, at(listOf(table.properties['Replicas'])[0], 'DeletionProtectionEnabled')]).toEqual([
        'Delete',
        false,
      ])
    }
    const emptied = [...dev().service, ...dev().warehouse].filter(({ type }) => type === 'Custom::S3AutoDeleteObjects')
    expect(emptied).toHaveLength(buckets.length)
    for (const name of buckets) expect(bucketOf(dev(), name).deletionPolicy).toBe('Delete')
  })

  it('encrypts with free keys', () => {
    for (const [name] of tables)
      expect(tableOf(dev(), name).properties['SSESpecification']).toEqual({ SSEEnabled: false })
    for (const name of buckets) expect(encryptionOf(dev(), name)).toEqual({ SSEAlgorithm: 'AES256' })
  })
})

describe('a stage that is not disposable and has an encryption key', () => {
  it('keeps its tables and protects them from deletion', () => {
    for (const [name] of tables) {
      const table = tableOf(guarded(), name)
      expect([table.deletionPolicy, at(listOf(table.properties['Replicas'])[0], 'DeletionProtectionEnabled')]).toEqual([
        'Retain',
        true,
      ])
    }
  })

  it('keeps its buckets, and has nothing that could empty them', () => {
    for (const name of buckets) expect(bucketOf(guarded(), name).deletionPolicy).toBe('RetainExceptOnCreate')
    const types = [...guarded().service, ...guarded().warehouse].map(({ type }) => type)
    expect(types).not.toContain('Custom::S3AutoDeleteObjects')
  })

  it('keeps nothing with a name that its next deploy needs: the database and the workgroup', () => {
    const registering = guarded().warehouse.filter(({ type }) => /^AWS::(Glue|Athena)::/.test(type))
    expect(registering.length).toBeGreaterThan(warehouseTables.length)
    for (const { id, deletionPolicy = 'Delete' } of registering) expect([id, deletionPolicy]).toEqual([id, 'Delete'])
  })

  it('can be destroyed even if its workgroup has a query history', () => {
    const [workGroup] = ofType(guarded().warehouse, 'AWS::Athena::WorkGroup')
    expect(workGroup?.properties['RecursiveDeleteOption']).toBe(true)
  })

  it('encrypts tables, results, rates and manifests with that key', () => {
    const { encryptionKeyArn = '' } = guardedStage
    for (const [name] of tables) {
      const { properties } = tableOf(guarded(), name)
      expect(properties['SSESpecification']).toEqual({ SSEEnabled: true, SSEType: 'KMS' })
      const replica = listOf(properties['Replicas'])[0]
      expect(at(replica, 'SSESpecification')).toEqual({ KMSMasterKeyId: encryptionKeyArn })
    }
    for (const name of buckets)
      expect(encryptionOf(guarded(), name)).toEqual({ SSEAlgorithm: 'aws:kms', KMSMasterKeyID: encryptionKeyArn })
  })
})

function encryptionOf(synthesised: Synthesised, name: string): Json | undefined {
  const { properties } = bucketOf(synthesised, name)
  const [rule] = listOf(at(properties['BucketEncryption'], 'ServerSideEncryptionConfiguration'))
  return at(rule, 'ServerSideEncryptionByDefault')
}

function refusal(bucket: string, condition: Json): Json {
  const arn = { 'Fn::GetAtt': [bucket, 'Arn'] }
  return {
    Effect: 'Deny',
    Principal: { AWS: '*' },
    Action: 's3:*',
    Resource: [arn, { 'Fn::Join': ['', [arn, '/*']] }],
    Condition: condition,
  }
}

describe('the results', () => {
  it('can be read by the page and the named origins, by nobody else, and in no other bucket', () => {
    const synthesised = synthesise({ ...defaultStage, corsOrigins: ['https://tools.example.com'] })
    const { properties } = bucketOf(synthesised, 'Results')
    const [rule, ...others] = listOf(at(properties['CorsConfiguration'], 'CorsRules'))
    expect(others).toEqual([])
    expect(listOf(at(rule, 'AllowedOrigins')).map(render)).toEqual([
      expect.stringMatching(/^https:\/\/<ApiRestApi[0-9A-F]{8}>\.execute-api\.[^/]+$/),
      'https://tools.example.com',
    ])
    expect(rule).toMatchObject({
      AllowedMethods: ['GET'],
      AllowedHeaders: ['Range'],
      ExposedHeaders: ['Content-Range', 'Content-Length', 'ETag'],
    })
    for (const name of ['WarehouseRates', 'WarehouseQueryResults'])
      expect(bucketOf(synthesised, name).properties['CorsConfiguration']).toBeUndefined()
  })
})

describe('a stage with a bucket of rates from an earlier deployment', () => {
  const { service, warehouse } = synthesise({ ...defaultStage, disposable: false, ratesBucket: 'kept-rates' })

  it('reads that bucket in place of a new one, and creates everything else', () => {
    const names = ofType([...service, ...warehouse], 'AWS::S3::Bucket').map(({ id }) => id.replace(/[0-9A-F]{8}$/, ''))
    expect(names.sort()).toEqual(['Results', 'WarehouseQueryResults'])
    const locations = ofType(warehouse, 'AWS::Glue::Table').map(({ properties }) =>
      render(at(properties['TableInput'], 'StorageDescriptor', 'Location')),
    )
    expect(locations.filter((location) => location !== '')).toEqual(
      expect.arrayContaining(['s3://kept-rates/negotiated_rates/', 's3://kept-rates/provider_groups/']),
    )
  })
})

describe('the logs of a stage', () => {
  it('use the key of the stage, if it has one', () => {
    const keys = (synthesised: Synthesised) =>
      ofType(synthesised.service, 'AWS::Logs::LogGroup').map(({ properties }) => properties['KmsKeyId'])
    expect(new Set(keys(guarded()))).toEqual(new Set([guardedStage.encryptionKeyArn]))
    expect(new Set(keys(dev()))).toEqual(new Set([undefined]))
  })
})
