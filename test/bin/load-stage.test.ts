import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { mkdir, readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createS3WarehouseFiles } from '../../adapters/s3/s3-warehouse-files.ts'
import { warehouseTables } from '../../schema/warehouse-tables.ts'
import type { HttpStub } from '../doubles/http-stub.ts'
import { startHttpStub } from '../doubles/http-stub.ts'
import { connectEndpoints } from '../endpoints/connect.ts'

const { environment, tables, resultsBucket } = connectEndpoints()

const file = join(
  import.meta.dirname,
  '../fixtures/price-transparency/in-network-rates-fee-for-service-single-plan-sample.json',
)

let cloudFormation: HttpStub
let athena: HttpStub
let data: string
let payer: string
let location: string

beforeEach(async () => {
  data = mkdtempSync(join(tmpdir(), 'load-stage-'))
  payer = `Payer ${randomUUID()}`
  location = `s3://${resultsBucket}/${randomUUID()}/`
  cloudFormation = await startHttpStub(({ body }) => describeStack(new URLSearchParams(body).get('StackName') ?? ''))
  athena = await startHttpStub(({ operation }) => ({
    status: 200,
    body: JSON.stringify(
      operation === 'StartQueryExecution'
        ? { QueryExecutionId: 'query' }
        : { QueryExecution: { Status: { State: 'SUCCEEDED' } } },
    ),
  }))
})

afterEach(async () => {
  await cloudFormation[Symbol.asyncDispose]()
  await athena[Symbol.asyncDispose]()
  rmSync(data, { recursive: true })
})

/** Two deployed stages; the emulator stage has no warehouse stack. Source: CloudFormation API, DescribeStacks. */
function describeStack(name: string) {
  const catalogue = { CatalogueTable: tables.catalogue }
  const stacks: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    'SearchService-dev': catalogue,
    'SearchService-emulator': catalogue,
    CDKToolkit: {},
    'Warehouse-dev': { RatesLocation: location, DatabaseName: 'rate_search_dev', WorkGroupName: 'rate-search-dev' },
  }
  const outputs = stacks[name]
  if (outputs === undefined) {
    const body = '<ErrorResponse><Error><Code>ValidationError</Code><Message>none</Message></Error></ErrorResponse>'
    return { status: 400, body }
  }
  const members = Object.entries(outputs).map(
    ([key, value]) => `<member><OutputKey>${key}</OutputKey><OutputValue>${value}</OutputValue></member>`,
  )
  const stack = `<Stacks><member><Outputs>${members.join('')}</Outputs></member></Stacks>`
  const body = `<DescribeStacksResponse><DescribeStacksResult>${stack}</DescribeStacksResult></DescribeStacksResponse>`
  return { status: 200, body }
}

/** Runs an npm command on the data folder until it exits. */
const run = (command: string, ...args: readonly string[]) => runBare(command, ...args, '--data', data)

async function runBare(command: string, ...args: readonly string[]) {
  const child = spawn(process.execPath, [`bin/${command}.ts`, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      ...environment,
      AWS_ENDPOINT_URL_CLOUDFORMATION: cloudFormation.url,
      AWS_ENDPOINT_URL_ATHENA: athena.url,
    },
  })
  const [output, errors, [exitCode]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { output, errors, exitCode }
}

it('a load into a deployed stage uploads its tables, registers their partitions and activates the file', async () => {
  const loaded = await run('load', file, '--stage', 'dev', '--payer', payer, '--plan', 'Gold')
  expect(loaded).toMatchObject({
    exitCode: 0,
    output: expect.stringContaining(payer),
    errors: expect.stringContaining('Written to the stage dev\n'),
  })
  const stored = (await createS3WarehouseFiles(location).list('')).map(({ path }) => path)
  const sources = new Set(stored.map((path) => path.split('/')[1]?.replace('source_id=', '')))
  expect(sources.size).toBe(1)
  const [source] = sources
  expect(stored).toEqual(warehouseTables.map(({ name }) => `${name}/source_id=${source}/part-00000.parquet`).toSorted())
  const started = athena.calls.filter(({ operation }) => operation === 'StartQueryExecution')
  expect(started).toHaveLength(warehouseTables.length)
  // The tables are altered concurrently, so in any order.
  expect(started.map(({ body }) => JSON.parse(body))).toEqual(
    expect.arrayContaining(
      warehouseTables.map(({ name }) =>
        expect.objectContaining({
          QueryString: `ALTER TABLE ${name} ADD IF NOT EXISTS PARTITION (source_id = '${source}')`,
          WorkGroup: 'rate-search-dev',
          QueryExecutionContext: { Database: 'rate_search_dev' },
        }),
      ),
    ),
  )
  expect(await readdir(join(data, 'staging-dev'))).toEqual([])
  const listed = await run('fee-schedules', 'list', '--payer', payer, '--stage', 'dev')
  expect(listed).toMatchObject({ exitCode: 0, output: expect.stringMatching(`${payer} +Gold`) })
})

it('a load into a stage that uses the local Athena writes into the folder that Athena reads', async () => {
  const lost = await run('load', file, '--stage', 'emulator', '--payer', payer, '--plan', 'Gold')
  expect(lost).toMatchObject({
    exitCode: 1,
    errors: expect.stringContaining(`the folder ${data}/warehouse does not exist`),
  })
  await mkdir(join(data, 'warehouse'))
  const loaded = await run('load', file, '--stage', 'emulator', '--payer', payer, '--plan', 'Gold')
  expect(loaded).toMatchObject({ exitCode: 0, errors: expect.not.stringContaining('error') })
  const written = await readdir(join(data, 'warehouse', 'negotiated_rates'))
  expect(written).toEqual([expect.stringMatching(/^source_id=\w+$/)])
  expect(athena.calls).toEqual([])
  const listed = await run('fee-schedules', 'list', '--payer', payer, '--stage', 'emulator')
  expect(listed).toMatchObject({
    exitCode: 0,
    output: expect.stringMatching(`${payer} +Gold`),
    errors: `Read from the stage emulator, the data folder ${data}\n`,
  })
})

it('a load into a stage that is not deployed says how to deploy it', async () => {
  const refused = await run('load', file, '--stage', 'prod')
  expect(refused).toMatchObject({ exitCode: 1, errors: expect.stringContaining('npm run deploy -- --stage prod') })
})

it('a load whose partitions cannot be registered prints the reason that Athena gives', async () => {
  await athena[Symbol.asyncDispose]()
  const Status = { State: 'FAILED', StateChangeReason: 'not authorized to glue:CreatePartition' }
  athena = await startHttpStub(() => ({
    status: 200,
    body: JSON.stringify({ QueryExecutionId: 'query', QueryExecution: { Status } }),
  }))
  const refused = await run('load', file, '--stage', 'dev', '--payer', payer, '--plan', 'Gold')
  expect(refused).toMatchObject({ exitCode: 1, errors: expect.stringContaining(Status.StateChangeReason) })
  const listed = await run('fee-schedules', 'list', '--payer', payer, '--stage', 'dev')
  expect(listed.output).toContain('no fee schedules')
})

it('the report of a load is JSON with names and timestamps in the style of the API', async () => {
  const { output, exitCode } = await run('load', file, '--stage', 'dev', '--payer', payer, '--plan', 'Gold', '--json')
  expect(exitCode).toBe(0)
  expect(JSON.parse(output)).toMatchObject({
    stage: 'dev',
    started_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/),
    files: [{ file, source_id: expect.any(String), fee_schedules: [{ payer, plan: 'Gold' }] }],
  })
})

it.each([
  ['deploy', ['--stage', 'emulator', '--yes']],
  ['check-warehouse', ['--stage', 'emulator']],
])('%s says that the bucket for query results does not exist, and how to create it', async (command, args) => {
  const refused = await runBare(command, ...args)
  expect(refused).toMatchObject({ exitCode: 1, output: '' })
  expect(refused.errors).toMatch(
    /^error: the bucket rate-search-query-results .* does not exist: create it with aws s3 mb/,
  )
})
