import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { createS3Objects } from '../../adapters/s3/s3-objects.ts'
import { runApp } from '../../bin/command/local-service.ts'
import { startAthena } from '../../local/athena/server.ts'
import { createTables, startDynamo } from '../../local/dynamodb/server.ts'
import { openObjectStore } from '../../local/s3/object-store.ts'
import { startS3 } from '../../local/s3/server.ts'
import { openCredentialBook } from '../../local/signing/credentials.ts'
import { localRegion, readStackTemplate } from '../../local/stack-template.ts'
import { startStepFunctions } from '../../local/step-functions/server.ts'
import type { LocalStateMachine } from '../../local/step-functions/state-machine.ts'
import { startSts } from '../../local/sts/server.ts'
import { localWarehouseBucket } from '../../schema/columns/providers-table.ts'
import { loadSource } from '../local/athena/warehouse-fixture.ts'

/** Everything that a test needs to call the local endpoints, and the names of their resources. */
export interface Endpoints {
  /** The SDK's own settings. */
  readonly environment: Readonly<Record<string, string>>
  /** Folder of the cloud assembly that the tables were made from. */
  readonly assembly: string
  readonly tables: Readonly<Record<'jobs' | 'access' | 'catalogue' | 'contents' | 'webhooks', string>>
  readonly resultsBucket: string
  /** Location of Athena's manifests, `s3://bucket/prefix/`. */
  readonly queryResults: string
  readonly signingRoleArn: string
  /** A state machine that ends immediately and outputs its input. */
  readonly stateMachineArn: string
}

declare module 'vitest' {
  interface ProvidedContext {
    readonly endpoints: Endpoints
  }
}

/**
 * The sources in the warehouse, each in a separate content (see `loadSource`). Their plans have two and 2,000 prices,
 * each for three NPIs from 1000000000.
 */
const sources = [
  { sourceId: 'source-1', payer: 'Acme Health', plan: 'Gold PPO', code: '99213', prices: 2, npis: 3 },
  { sourceId: 'source-2', payer: 'Copious Health', plan: 'All of it', code: '99213', prices: 2000, npis: 3 },
]

const running = new AsyncDisposableStack()

/**
 * Starts the endpoints for adapters and functions, once per run. Tests use different organizations and payers to stay
 * independent.
 */
export async function setup(project: TestProject): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'rate-search-test-'))
  running.defer(() => rm(folder, { recursive: true, force: true }))
  project.provide('endpoints', await startEndpoints(folder))
}

export async function teardown(): Promise<void> {
  await running.disposeAsync()
}

async function startEndpoints(folder: string): Promise<Endpoints> {
  const closeLater = <Server extends { close(): Promise<void> }>(server: Server): Server =>
    running.adopt(server, (it) => it.close())
  const now = () => new Date()
  const assembly = join(folder, 'cdk.out')
  const [, dynamo] = await Promise.all([
    runApp(assembly, 'https://rates.example'),
    startDynamo(join(folder, 'dynamodb')),
  ])
  closeLater(dynamo)
  const template = readStackTemplate(assembly, 'SearchService')
  await createTables(dynamo.url)

  const [resultsBucket = ''] = template.ofType('AWS::S3::Bucket').map(({ id }) => template.text({ Ref: id }))
  const queryResults = 's3://query-results/athena/'
  const store = openObjectStore(join(folder, 's3'))
  for (const bucket of [resultsBucket, 'query-results']) store.createBucket(bucket)

  const credentials = openCredentialBook(folder)
  const warehouseFolder = join(folder, 'warehouse')
  const shownFolder = { bucket: localWarehouseBucket, folder: warehouseFolder }
  const s3 = closeLater(await startS3({ folder: join(folder, 's3'), credentials, now, shownFolder }))
  const sts = closeLater(await startSts({ credentials, now }))
  for (const source of sources) await loadSource(warehouseFolder, source)
  const objects = createS3Objects({ endpoint: s3.url, region: localRegion, credentials: credentials.localUser })
  const athena = closeLater(
    await startAthena({ warehouseFolder, objects, outputLocation: queryResults, now, newId: randomUUID }),
  )
  const stepFunctions = closeLater(await startStepFunctions({ now, onEnd: () => {} }))
  stepFunctions.serve([echo])

  const nameOf = (type: string, construct: RegExp) => {
    const resource = template.ofType(type).find(({ id }) => construct.test(id))
    if (resource === undefined) throw new TypeError(`the template has no ${type} like ${construct}`)
    return resource.id
  }
  const tableOf = (construct: RegExp) => template.text({ Ref: nameOf('AWS::DynamoDB::GlobalTable', construct) })
  return {
    environment: {
      AWS_REGION: localRegion,
      AWS_ACCESS_KEY_ID: credentials.localUser.accessKeyId,
      AWS_SECRET_ACCESS_KEY: credentials.localUser.secretAccessKey,
      AWS_ENDPOINT_URL_DYNAMODB: dynamo.url,
      AWS_ENDPOINT_URL_S3: s3.url,
      AWS_ENDPOINT_URL_STS: sts.url,
      AWS_ENDPOINT_URL_ATHENA: athena.url,
      AWS_ENDPOINT_URL_SFN: stepFunctions.url,
    },
    assembly,
    tables: {
      jobs: tableOf(/Jobs/),
      access: tableOf(/Access/),
      catalogue: tableOf(/FeeSchedules/),
      contents: tableOf(/Contents/),
      webhooks: tableOf(/Webhooks/),
    },
    resultsBucket,
    queryResults,
    signingRoleArn: template.text({ 'Fn::GetAtt': [nameOf('AWS::IAM::Role', /^SignDownloads/), 'Arn'] }),
    stateMachineArn: echo.arn,
  }
}

const echo: LocalStateMachine = {
  arn: `arn:aws:states:${localRegion}:000000000000:stateMachine:Echo`,
  start: (input) => ({ result: Promise.resolve(JSON.parse(input)), abort: () => {}, enteredStates: [] }),
}
