import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { connectAthenaAs } from '../adapters/athena-client.ts'
import type { AthenaSettings } from '../adapters/athena-queries.ts'
import { createAthenaQueries } from '../adapters/athena-queries.ts'
import { createAthenaQueryRows } from '../adapters/athena-query-rows.ts'
import type { StageClaims } from '../core/check-warehouse.ts'
import { checkWarehouse, sampleRows } from '../core/check-warehouse.ts'
import { RelationUnread } from '../core/read-relation.ts'
import type { Stage } from '../lib/stage.ts'
import { stages } from '../lib/stage.ts'
import { columnsOf } from '../lib/warehouse-description.ts'
import { startAthena } from '../local/athena/endpoint.ts'
import { CommandFailed, readOptions, runCommand, UsageError } from './command.ts'
import { findOutputs, readStageName } from './deployment.ts'

const usage = `
Names every difference between an operator's own relation rates (and fee_schedules) and what searches read, by at most
${sampleRows} rows. Ends with exit code 1 where something is wrong that searches need.

Usage: npm run check-warehouse -- --stage <name>
       npm run check-warehouse -- --data <folder>
       npm run check-warehouse -- --database <name> [--workgroup <name>] [--output <s3://bucket/prefix/>]

  --stage <name>      a stage with a warehouse of its own, and what it says of that; once it is deployed, with the
                      permissions of its searches instead of your own
  --data <folder>     Parquet files on this machine, in <folder>/warehouse/rates/ and …/fee_schedules/
  --database <name>   a Glue database
  --workgroup <name>  the Athena workgroup to ask in (default primary)
  --output <s3://>    where results go, for a workgroup that does not say
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
    },
  })
  const { stage, data, database, workgroup, output } = values
  if ([stage, data, database].filter((place) => place !== undefined).length !== 1)
    throw new UsageError('say one of --stage, --data and --database')
  await using running = new AsyncDisposableStack()
  if (data !== undefined) await startLocalAthena(data, running)
  const checked: Checked =
    stage === undefined
      ? {
          athena: { workGroup: workgroup, database: database ?? 'local', ...(output !== undefined && { output }) },
          needsFeeSchedules: false,
        }
      : await describeStage(readStageName(stage))
  await report(checked)
})

async function describeStage(name: string): Promise<Checked> {
  const stage: Stage | undefined = Object.entries(stages).find(([known]) => known === name)?.[1]
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

/** Leads this process's SDK to an Athena over the folder; a SELECT stores nothing. */
async function startLocalAthena(folder: string, running: AsyncDisposableStack): Promise<void> {
  const refuse = async () => {
    throw new TypeError('nothing is stored here')
  }
  const athena = await startAthena({
    warehouseFolder: join(folder, 'warehouse'),
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

async function report({ athena, readerRole, ...claims }: Checked): Promise<void> {
  const client = readerRole === undefined ? undefined : await connectAthenaAs(readerRole)
  const deps = {
    queries: createAthenaQueries(athena, client),
    rows: createAthenaQueryRows(client),
    sleep: (milliseconds: number) => sleep(milliseconds),
    newToken: randomUUID,
    now: () => new Date(),
  }
  const differences = await checkWarehouse(deps, claims).catch((error: unknown) => {
    if (readerRole !== undefined && error instanceof RelationUnread) throw new CommandFailed(adviseOn(error))
    throw error
  })
  for (const { weight, text } of differences) process.stdout.write(`${weight.padEnd(9)}  ${text}\n`)
  const { length } = differences.filter(({ weight }) => weight === 'wrong')
  if (length > 0) throw new CommandFailed(`${length} ${length === 1 ? 'difference is' : 'differences are'} wrong`)
  process.stdout.write('searches can read these relations\n')
}

/** A denial is nearly always something that the stage's description of its warehouse does not name. */
function adviseOn({ message }: RelationUnread): string {
  if (!/not authorized|insufficient|access ?denied|forbidden/i.test(message)) return message
  return `${message.split('\n')[0]}; searches may read the databases, dataLocations and keyArns that lib/stage.ts names: add what is missing, then deploy`
}
