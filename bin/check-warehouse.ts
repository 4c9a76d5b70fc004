import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { connectAthenaAs } from '../adapters/athena-client.ts'
import type { AthenaSettings } from '../adapters/athena-queries.ts'
import { createAthenaQueries } from '../adapters/athena-queries.ts'
import { createAthenaQueryRows } from '../adapters/athena-query-rows.ts'
import type { StageClaims } from '../core/check-warehouse.ts'
import { checkWarehouse, sampleRows } from '../core/check-warehouse.ts'
import { RelationUnread } from '../core/read-relation.ts'
import { columnsOf } from '../lib/warehouse-description.ts'
import { startAthena } from '../local/athena/endpoint.ts'
import { CommandFailed, UsageError } from './command/errors.ts'
import { startHeartbeat } from './command/heartbeat.ts'
import { readOptions } from './command/options.ts'
import { printAnswer } from './command/output.ts'
import type { Place } from './command/place.ts'
import { requireWarehouse } from './command/place.ts'
import { runCommand } from './command/run-command.ts'
import { findOutputs, findStage, readStageName, requireResultsBucket } from './deployment.ts'

const usage = `
Names every difference between an operator's own relation rates (and fee_schedules) and what searches read, by at most
${sampleRows} rows. Ends with exit code 1 if something that searches need is wrong.

Usage: npm run check-warehouse -- --stage <name>
       npm run check-warehouse -- --data <folder>
       npm run check-warehouse -- --database <name> [--workgroup <name>] [--output <s3://bucket/prefix/>]

  --stage <name>      a stage with a warehouse of its own, and its description of that; once it is deployed, with the
                      permissions of its searches instead of your own
  --data <folder>     Parquet files on this machine, in <folder>/warehouse/rates/ and …/fee_schedules/
  --database <name>   a Glue database
  --workgroup <name>  the Athena workgroup to ask in (default primary)
  --output <s3://>    where results go, for a workgroup that does not say
  --json              print one line of JSON
  --help              print this

Account, region and endpoint are the AWS SDK's own settings: AWS_ENDPOINT_URL_ATHENA leads to "npm run athena".
`

/** Which Athena is asked, and what it is held against. */
interface Checked extends StageClaims {
  readonly athena: AthenaSettings
  /** The role whose permissions Athena reads with. @default - the caller's own identity */
  readonly readerRole?: string | undefined
}

await runCommand(usage, async () => {
  const { values } = readOptions({
    options: {
      stage: { type: 'string' },
      data: { type: 'string' },
      database: { type: 'string' },
      workgroup: { type: 'string', default: 'primary' },
      output: { type: 'string' },
      json: { type: 'boolean', default: false },
    },
  })
  const { stage, data, database, workgroup, output, json } = values
  if ([stage, data, database].filter((place) => place !== undefined).length !== 1)
    throw new UsageError('give exactly one of --stage, --data and --database')
  await using running = new AsyncDisposableStack()
  if (data !== undefined) await startLocalAthena(requireWarehouse(data), running)
  const place: Place =
    stage !== undefined ? { stage } : data !== undefined ? { dataFolder: data } : { database: database ?? '' }
  const checked: Checked =
    stage === undefined
      ? {
          athena: { workGroup: workgroup, database: database ?? 'local', ...(output !== undefined && { output }) },
          needsFeeSchedules: false,
        }
      : await describeStage(readStageName(stage))
  if (stage !== undefined && checked.athena.output !== undefined) await requireResultsBucket(checked.athena.output)
  const heartbeat = startHeartbeat(process.stderr, () => '  still waiting for Athena')
  running.defer(() => heartbeat.stop())
  await report(checked, place, json)
})

async function describeStage(name: string): Promise<Checked> {
  const stage = findStage(name)
  if (stage?.warehouse === undefined) throw new UsageError(`the stage ${name} has no warehouse of its own to check`)
  const { workGroup, database, queryResults: output, feeSchedules } = stage.warehouse
  const readerRole = (await findOutputs(name))?.['WarehouseReaderRole']
  if (readerRole === undefined)
    process.stderr.write(
      `note: the stage ${name} is not deployed here, so this reads with your own permissions; check again once it is\n`,
    )
  return {
    readerRole,
    athena: { workGroup, database, output },
    columns: columnsOf(stage.warehouse),
    needsFeeSchedules: feeSchedules === 'relation',
  }
}

/** Points this process's SDK at an Athena over the folder; a SELECT stores nothing. */
async function startLocalAthena(warehouseFolder: string, running: AsyncDisposableStack): Promise<void> {
  const refuse = async () => {
    throw new TypeError('nothing is stored here')
  }
  const athena = await startAthena({
    warehouseFolder,
    objects: { putObject: refuse, isEmptyPrefix: refuse },
    outputLocation: 's3://nothing-is-stored/',
    now: () => new Date(),
    newId: randomUUID,
  })
  running.defer(() => athena.close())
  Object.assign(process.env, {
    AWS_ENDPOINT_URL_ATHENA: athena.url,
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
  })
}

async function report({ athena, readerRole, ...claims }: Checked, place: Place, json: boolean): Promise<void> {
  const client = readerRole === undefined ? undefined : await connectAthenaAs(readerRole)
  const deps = {
    queries: createAthenaQueries(athena, client),
    rows: createAthenaQueryRows(client),
    sleep: (milliseconds: number) => sleep(milliseconds),
    newToken: randomUUID,
    now: () => new Date(),
  }
  const found = await checkWarehouse(deps, claims).catch((error: unknown) => {
    if (readerRole !== undefined && error instanceof RelationUnread) throw new CommandFailed(adviseOn(error))
    throw error
  })
  const wrong = found.filter(({ weight }) => weight === 'wrong')
  const differences = [...wrong, ...found.filter(({ weight }) => weight !== 'wrong')]
  const lines = differences.map(({ weight, text }) => `${weight.padEnd(9)}  ${text}`)
  const verdict = wrong.length === 0 ? ['searches can read these relations'] : []
  printAnswer({ facts: { differences }, text: [...lines, ...verdict].join('\n'), wrote: false }, place, json)
  const { length } = wrong
  if (length > 0) throw new CommandFailed(`${length} ${length === 1 ? 'difference is' : 'differences are'} wrong`)
}

/** A denial is nearly always something that the stage's description of its warehouse does not name. */
function adviseOn({ message }: RelationUnread): string {
  if (!/not authorized|insufficient|access ?denied|forbidden/i.test(message)) return message
  return `${message.split('\n')[0]}; searches may read the databases, dataLocations and keyArns that lib/stage.ts names: add what is missing, then deploy`
}
