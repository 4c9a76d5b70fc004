import { randomUUID } from 'node:crypto'
import { GetItemCommand, PutItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb'
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createDynamoAccess } from '../../adapters/dynamodb/dynamo-access.ts'
import { connectDynamo } from '../../adapters/dynamodb/dynamo-client.ts'
import { startDeployedStacks } from '../doubles/deployed-stacks.ts'
import type { HttpStub } from '../doubles/http-stub.ts'
import { connectEndpoints } from '../endpoints/connect.ts'
import { makeTables } from '../endpoints/make-tables.ts'
import { runCommandLine } from './run-command-line.ts'

const { environment, resultsBucket } = connectEndpoints()
const dynamo = connectDynamo()

let cloudFormation: HttpStub
let kept: Readonly<Record<string, string>>
let current: Readonly<Record<string, string>>

const keptJob = {
  org_id: { S: 'acme' },
  item: { S: 'job#1' },
  status: { S: 'failed' },
  rows: { N: '9007199254740993' },
}
const keptPlan = { payer: { S: 'Acme Health' }, plan: { S: 'Gold' }, bytes: { B: new Uint8Array([0, 255]) } }

beforeEach(async () => {
  const unique = randomUUID()
  kept = await makeTables(`kept-${unique}`)
  current = await makeTables(`current-${unique}`)
  await createDynamoAccess(dynamo, kept['Access'] ?? '').putOrganization({ orgId: 'acme', name: 'Acme', active: true })
  await createDynamoAccess(dynamo, kept['Access'] ?? '').putOrganization({ orgId: 'zeta', name: 'Zeta', active: true })
  await dynamo.send(new PutItemCommand({ TableName: kept['Jobs'], Item: keptJob }))
  await dynamo.send(new PutItemCommand({ TableName: kept['FeeSchedules'], Item: keptPlan }))
  cloudFormation = await startDeployedStacks({
    'SearchService-blue': {
      AccessTable: current['Access'] ?? '',
      ContentsTable: current['Contents'] ?? '',
      CatalogueTable: current['FeeSchedules'] ?? '',
      JobsTable: current['Jobs'] ?? '',
      ResultsBucket: resultsBucket,
    },
  })
})

afterEach(() => cloudFormation[Symbol.asyncDispose]())

const restore = (...args: readonly string[]) =>
  runCommandLine('restore', [...args, '--stage', 'blue'], {
    ...environment,
    AWS_ENDPOINT_URL_CLOUDFORMATION: cloudFormation.url,
  })

const all = () => [
  ...['--access', kept['Access'] ?? '', '--contents', kept['Contents'] ?? ''],
  ...['--fee-schedules', kept['FeeSchedules'] ?? '', '--jobs', kept['Jobs'] ?? ''],
]

const access = () => createDynamoAccess(dynamo, current['Access'] ?? '')

const countsIn = (output: string) =>
  JSON.parse(output).restored.map(({ table, lacking, there }: Record<string, unknown>) => [table, lacking, there])

/** Stores a completed job whose result has two files, with the first `storedFiles` of them in the stage's bucket. */
async function keepCompleted(jobId: string, storedFiles: number): Promise<void> {
  const keys = [1, 2].map((part) => `results/acme/${jobId}/run/attempt-1/${part}.parquet`)
  for (const Key of keys.slice(0, storedFiles))
    await new S3Client({}).send(new PutObjectCommand({ Bucket: resultsBucket, Key, Body: 'PAR1' }))
  const job = { org_id: { S: 'acme' }, job_id: { S: jobId }, status: { S: 'completed' } }
  const shards = { L: keys.map((key) => ({ M: { key: { S: key } } })) }
  for (const Item of [
    { ...job, item: { S: `job#${jobId}` } },
    { org_id: { S: 'acme' }, item: { S: `shards#${jobId}` }, shards },
  ])
    await dynamo.send(new PutItemCommand({ TableName: kept['Jobs'], Item }))
}

describe('npm run restore', () => {
  it('copies the items of kept tables byte for byte', async () => {
    const { output, exitCode } = await restore(...all(), '--json')
    expect(exitCode).toBe(0)
    expect(countsIn(output)).toEqual([
      ['access', 2, 0],
      ['contents', 0, 0],
      ['fee-schedules', 1, 0],
      ['jobs', 1, 0],
    ])
    expect((await access().listOrganizations()).map(({ name }) => name).sort()).toEqual(['Acme', 'Zeta'])
    const { org_id, item } = keptJob
    const job = await dynamo.send(new GetItemCommand({ TableName: current['Jobs'], Key: { org_id, item } }))
    expect(job.Item).toEqual(keptJob)
    const { payer, plan } = keptPlan
    const entry = await dynamo.send(new GetItemCommand({ TableName: current['FeeSchedules'], Key: { payer, plan } }))
    expect(entry.Item).toEqual(keptPlan)
  })

  it('leaves out completed searches without all their files, which could only answer with broken URLs', async () => {
    await keepCompleted('whole', 2)
    await keepCompleted('half', 1)
    await keepCompleted('gone', 0)
    const { output, exitCode } = await restore('--jobs', kept['Jobs'] ?? '')
    expect(exitCode).toBe(0)
    expect(output).toMatch(/^jobs +3 +0 +4 +SearchService/m)
    expect(output).toMatch(/^left out: completed searches whose results are not in the bucket of the stage; /m)
    const { Items = [] } = await dynamo.send(new ScanCommand({ TableName: current['Jobs'] }))
    expect(Items.map(({ item }) => item?.S).sort()).toEqual(['job#1', 'job#whole', 'shards#whole'])
  })

  it('goes on where an earlier run ended, and overwrites nothing that the stage has', async () => {
    await access().putOrganization({ orgId: 'acme', name: 'Acme, renamed since', active: false })
    expect(countsIn((await restore(...all(), '--json')).output)[0]).toEqual(['access', 1, 1])
    expect(countsIn((await restore(...all(), '--json')).output)[0]).toEqual(['access', 0, 2])
    expect(await access().listOrganizations()).toContainEqual(
      expect.objectContaining({ name: 'Acme, renamed since', active: false }),
    )
  })

  it('counts with --dry-run what it would write, and writes nothing', async () => {
    await access().putOrganization({ orgId: 'acme', name: 'Acme', active: true })
    const { output, errors } = await restore(...all(), '--dry-run')
    expect(output).toMatch(
      /^table +to write +there already +left out +from\n.*\naccess +1 +1 +0 +SearchService-blue-TablesAccess\S+\n/,
    )
    expect(errors).toBe('Read from the stage blue\n')
    expect(await access().listOrganizations()).toHaveLength(1)
  })

  it.each<[string, () => readonly string[], RegExp]>([
    ["the stage's own table", () => ['--jobs', current['Jobs'] ?? ''], /is in use by the deployed stage blue/],
    [
      'another table',
      () => ['--jobs', kept['Access'] ?? ''],
      /is a table of another kind: it has the keys and indexes org_id, item,/,
    ],
    ['a table that does not exist', () => ['--contents', 'none'], /the table none \(--contents\) does not exist/],
  ])('refuses %s in one line, before it writes anything', async (_, args, message) => {
    const { output, errors, exitCode } = await restore('--access', kept['Access'] ?? '', ...args())
    expect({ output, exitCode }).toEqual({ output: '', exitCode: 1 })
    expect(errors).toMatch(message)
    expect(errors.split('\n')).toHaveLength(2)
    expect(await access().listOrganizations()).toEqual([])
  })

  it('asks for a stage and a table', async () => {
    expect(await restore()).toMatchObject({ exitCode: 2, errors: expect.stringContaining('name at least one table') })
  })
})
