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
import { bucketOf, layoutVersion, readFileName, warehouseTables } from '../../schema/columns/warehouse-tables.ts'
import { type StackOutputs, startDeployedStacks } from '../doubles/deployed-stacks.ts'
import type { HttpStub } from '../doubles/http-stub.ts'
import { connectEndpoints } from '../endpoints/connect.ts'

const { environment, tables, resultsBucket } = connectEndpoints()

const file = join(
  import.meta.dirname,
  '../fixtures/price-transparency/in-network-rates-fee-for-service-single-plan-sample.json',
)

let cloudFormation: HttpStub
let data: string
let payer: string
let location: string

beforeEach(async () => {
  data = mkdtempSync(join(tmpdir(), 'load-stage-'))
  payer = `Payer ${randomUUID()}`
  location = `s3://${resultsBucket}/${randomUUID()}/`
  cloudFormation = await startDeployedStacks(describeStacks())
})

afterEach(async () => {
  await cloudFormation[Symbol.asyncDispose]()
  rmSync(data, { recursive: true })
})

/** Deployed stages, of which dev's tables have the given layout; the emulator stage has none. */
function describeStacks(layout = layoutVersion): StackOutputs {
  const catalogue = { CatalogueTable: tables.catalogue, ContentsTable: tables.contents }
  return {
    'SearchService-dev': {
      ...catalogue,
      RatesLocation: location,
      RatesLayout: layout,
      DatabaseName: 'rates_dev',
      WorkGroupName: 'rates-dev',
    },
    'SearchService-emulator': catalogue,
    'SearchService-blue': { ...catalogue, WarehouseReaderRole: 'arn:aws:iam::000000000000:role/reader' },
    CDKToolkit: {},
  }
}

/** The paths of the files in the bucket of the stage dev, sorted. */
const listStored = async () => (await createS3WarehouseFiles(location).list('')).map(({ path }) => path).sort()

/** Runs an npm command on the data folder until it exits. */
const run = (command: string, ...args: readonly string[]) => runBare(command, ...args, '--data', data)

async function runBare(command: string, ...args: readonly string[]) {
  const child = spawn(process.execPath, [`bin/${command}.ts`, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      ...environment,
      AWS_ENDPOINT_URL_CLOUDFORMATION: cloudFormation.url,
    },
  })
  const [output, errors, [exitCode]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { output, errors, exitCode }
}

it('uploads one file a table of a load into a deployed stage, activates the file and records that', async () => {
  const loaded = await run('load', file, '--stage', 'dev', '--payer', payer, '--plan', 'Gold')
  expect(loaded, loaded.errors).toMatchObject({
    exitCode: 0,
    output: expect.stringContaining(payer),
    errors: expect.stringContaining('Written to the stage dev\n'),
  })
  const [, loadId] = / rollback (\w+) undoes this load/.exec(loaded.output) ?? []
  const stored = (await listStored()).map((path) => ({ path, ...readFileName(path) }))
  const bucketsOf = (id = '') => warehouseTables.map((table) => `${table.name}/bucket=${bucketOf(table, id)}`)
  const [, content, rates, groups] = stored.map(({ id }) => id)
  expect(groups).toBe(rates)
  expect(stored.map(({ path }) => path)).toEqual([
    expect.stringMatching(/^current_contents\/bucket=0\/v\d+\.00000\.parquet$/),
    `${bucketsOf(content)[2]}/${content}.00000.parquet`,
    `${bucketsOf(rates)[0]}/${rates}.${loadId}.00000.parquet`,
    `${bucketsOf(rates)[1]}/${rates}.${loadId}.00000.parquet`,
  ])
  expect(await readdir(join(data, 'workspaces-dev'))).toEqual([])
  const listed = await run('fee-schedules', 'list', '--payer', payer, '--stage', 'dev')
  expect(listed).toMatchObject({ exitCode: 0, output: expect.stringMatching(`${payer} +Gold`) })
})

it('writes a load into the folder that Athena reads if the stage uses the local Athena', async () => {
  const lost = await run('load', file, '--stage', 'emulator', '--payer', payer, '--plan', 'Gold')
  expect(lost).toMatchObject({
    exitCode: 1,
    errors: expect.stringContaining(`the folder ${data}/warehouse does not exist`),
  })
  await mkdir(join(data, 'warehouse'))
  const loaded = await run('load', file, '--stage', 'emulator', '--payer', payer, '--plan', 'Gold')
  expect(loaded).toMatchObject({ exitCode: 0, errors: expect.not.stringContaining('error') })
  const written = await readdir(join(data, 'warehouse', 'negotiated_rates'))
  expect(written).toEqual([expect.stringMatching(/^bucket=\d+$/)])
  const listed = await run('fee-schedules', 'list', '--payer', payer, '--stage', 'emulator')
  expect(listed).toMatchObject({
    exitCode: 0,
    output: expect.stringMatching(`${payer} +Gold`),
    errors: `Read from the stage emulator, the data folder ${data}\n`,
  })
})

it('says how to deploy a stage that is not deployed before a load', async () => {
  const refused = await run('load', file, '--stage', 'prod')
  expect(refused).toMatchObject({ exitCode: 1, errors: expect.stringContaining('npm run deploy -- --stage prod') })
})

it('refuses a load into a stage with its own warehouse, although its file is elsewhere', async () => {
  expect(await run('load', file, '--stage', 'blue')).toMatchObject({
    exitCode: 1,
    errors:
      "error: the stage blue reads a warehouse of your own (or the local Athena's, which is known only if stages/ has its file blue.json): load into that by its own means\n",
  })
})

it('names the file of a stage that stages/ does not have to deploy it', async () => {
  const { errors } = await run('loads', 'list', '--stage', 'green')
  expect(errors).toContain(
    'not deployed in this account and region; these stages are: blue, dev, emulator; npm run deploy -- --stage-file <path of green.json> deploys it',
  )
})

it('proposes commands that name the stage in the report of a load', async () => {
  const { output } = await run('load', file, '--stage', 'dev', '--payer', payer, '--plan', 'Gold')
  const [, rest = ''] = /npm run loads -- (.*) undoes this load/.exec(output) ?? []
  expect(rest).toMatch(/^--stage dev --data \S+ rollback \w+$/)
  expect(await runBare('loads', ...rest.split(' '))).toMatchObject({ exitCode: 0 })
})

it('refuses a stage whose tables have another layout in one line, before anything is uploaded', async () => {
  await cloudFormation[Symbol.asyncDispose]()
  cloudFormation = await startDeployedStacks(describeStacks('another'))
  expect(await run('load', file, '--stage', 'dev', '--payer', payer, '--plan', 'Gold')).toMatchObject({
    exitCode: 1,
    output: '',
    errors: 'error: the stage dev has tables of another version: deploy it with this version, then load\n',
  })
  expect(await listStored()).toEqual([])
})

it('prints the report of a load as JSON with names and timestamps in the style of the API', async () => {
  const { output, exitCode } = await run('load', file, '--stage', 'dev', '--payer', payer, '--plan', 'Gold', '--json')
  expect(exitCode).toBe(0)
  expect(JSON.parse(output)).toMatchObject({
    stage: 'dev',
    started_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/),
    switched: expect.arrayContaining([expect.objectContaining({ payer, plan: 'Gold' })]),
    left_out: [],
  })
})

it('says in check-warehouse that the bucket for query results does not exist, and how to create it', async () => {
  const refused = await runBare('check-warehouse', '--stage', 'emulator')
  expect(refused).toMatchObject({ exitCode: 1, output: '' })
  expect(refused.errors).toMatch(
    /^error: the bucket rate-search-query-results .* does not exist: create it with aws s3 mb/m,
  )
})

it('lists a load, and undoes it by its id once', async () => {
  const { output } = await run('load', file, '--stage', 'dev', '--payer', payer, '--plan', 'Gold', '--json')
  const { load_id } = JSON.parse(output)
  const listed = JSON.parse((await run('loads', 'list', '--stage', 'dev', '--json')).output)
  expect(listed.loads).toContainEqual(expect.objectContaining({ load_id, state: 'completed', from: file }))
  const cancelled = await run('loads', 'cancel', load_id, '--stage', 'dev')
  expect(cancelled).toMatchObject({ exitCode: 1, errors: expect.stringContaining('is not running (state: completed)') })
  const undone = await run('loads', 'rollback', load_id, '--stage', 'dev', '--json')
  expect(JSON.parse(undone.output)).toMatchObject({ load_id, changed_since: 0 })
  const again = await run('loads', 'rollback', load_id, '--stage', 'dev')
  expect(again).toMatchObject({ exitCode: 1, errors: expect.stringContaining('nothing to roll back') })
})

it('asks before a removal, which a rollback undoes', async () => {
  await run('load', file, '--stage', 'dev', '--payer', payer, '--plan', 'Gold')
  const asked = await run('fee-schedules', 'remove', payer, 'Gold', '--stage', 'dev')
  expect(asked).toMatchObject({ exitCode: 2, errors: expect.stringContaining('--yes') })
  const removed = await run('fee-schedules', 'remove', payer, 'Gold', '--yes', '--stage', 'dev')
  expect(removed.output).toContain(`npm run fee-schedules -- --stage dev --data ${data} rollback '${payer}' Gold`)
  const list = () => run('fee-schedules', 'list', '--payer', payer, '--stage', 'dev')
  expect((await list()).output).toContain('no fee schedules')
  await run('fee-schedules', 'rollback', payer, 'Gold', '--stage', 'dev')
  expect((await list()).output).toMatch(new RegExp(`${payer} +Gold`))
}, 120_000)
