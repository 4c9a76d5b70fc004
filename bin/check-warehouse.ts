import { randomUUID } from 'node:crypto'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { connectAthenaAs } from '../adapters/athena/athena-client.ts'
import { type AthenaSettings, createAthenaQueries } from '../adapters/athena/athena-queries.ts'
import { createAthenaQueryRows } from '../adapters/athena/athena-query-rows.ts'
import { CommandFailed, UsageError } from '../client/command-line/command-errors.ts'
import { readOptions, texts } from '../client/command-line/parse-options.ts'
import { checkWarehouse, type StageSettings, sampleRows } from '../core/own-relation/check-warehouse.ts'
import { RelationUnread } from '../core/own-relation/read-relation.ts'
import { findStage } from '../lib/stage/stage-files.ts'
import { columnsOf } from '../lib/stage/warehouse-description.ts'
import { listRelationFiles } from '../local/athena/files/warehouse-files.ts'
import { startAthena } from '../local/athena/server.ts'
import { describeUser } from '../local/storage.ts'
import { type Installation, requireWarehouse } from './command/installation.ts'
import { adoptEnvironment } from './command/local-environment.ts'
import { installationOptions } from './command/options.ts'
import { printAnswer } from './command/output.ts'
import { openProgress } from './command/progress.ts'
import { runCommand } from './command/run-command.ts'
import { chooseStageFile, findOutputs, readStageName, requireResultsBucket } from './stacks/deployment.ts'

const usage = `
Compares an operator's own relation rates (and fee_schedules) with what searches read, on a sample of at most
${sampleRows} rows, and lists every difference. Exits with 1 if something that searches need is wrong.

Usage: npm run check-warehouse -- --stage <name> | --stage-file <path>
       npm run check-warehouse -- --data <folder>
       npm run check-warehouse -- --database <name> [--workgroup <name>] [--output <s3://bucket/prefix/>]

  --stage <name>      a stage with its own warehouse, compared with its description; once deployed, it is read
                      with the permissions of its searches instead of yours
  --stage-file <path> the same, for a stage file of your own
  --data <folder>     Parquet files on this machine, in <folder>/warehouse/rates/ and …/fee_schedules/
  --database <name>   a Glue database
  --workgroup <name>  the Athena workgroup to query in (default primary)
  --output <s3://>    where results go, if the workgroup does not set a location
  --json              print one line of JSON
  --help              print this

Account, region and endpoint come from the AWS SDK's settings; set AWS_ENDPOINT_URL_ATHENA to use "npm run athena".
`

/** The Athena to query, and the form that its relations must have. */
interface CheckTarget extends StageSettings {
  readonly athena: AthenaSettings
  /** The role whose permissions Athena reads with. @default - the caller's own identity */
  readonly readerRole?: string | undefined
}

await runCommand(usage, async () => {
  const { values } = readOptions({
    options: {
      ...texts('stage-file', 'database', 'output'),
      ...installationOptions,
      workgroup: { type: 'string', default: 'primary' },
    },
  })
  const { 'stage-file': file, data, database, workgroup, output, json } = values
  if ([values.stage, file, data, database].filter((installation) => installation !== undefined).length !== 1)
    throw new UsageError('give exactly one of --stage, --stage-file, --data and --database')
  const chosen = file === undefined ? undefined : chooseStageFile(undefined, file).stage
  const stage = chosen?.name ?? values.stage
  await using running = new AsyncDisposableStack()
  if (data !== undefined) await startLocalAthena(await requireRates(data), running)
  const installation = chooseInstallation(stage, data, database)
  const checked: CheckTarget =
    stage === undefined
      ? {
          athena: { workGroup: workgroup, database: database ?? 'local', ...(output !== undefined && { output }) },
          needsFeeSchedules: false,
        }
      : await describeStage(readStageName(stage), chosen)
  if (stage !== undefined && checked.athena.output !== undefined) await requireResultsBucket(checked.athena.output)
  const differences = await findDifferences(checked)
  const wrong = differences.filter(({ weight }) => weight === 'wrong')
  const lines = differences.map(({ weight, text }) => `${weight.padEnd(9)}  ${text}`)
  const verdict = wrong.length === 0 ? ['searches can read these relations'] : []
  printAnswer({ facts: { differences }, text: [...lines, ...verdict].join('\n'), wrote: false }, installation, json)
  const { length } = wrong
  if (length > 0) throw new CommandFailed(`${length} ${length === 1 ? 'difference is' : 'differences are'} wrong`)
})

function chooseInstallation(
  stage: string | undefined,
  data: string | undefined,
  database: string | undefined,
): Installation {
  if (stage !== undefined) return { stage }
  if (data !== undefined) return { dataFolder: data }
  if (database === undefined) throw new TypeError('a command without a stage, a folder and a database')
  return { database }
}

async function describeStage(name: string, stage = findStage(name)): Promise<CheckTarget> {
  if (stage === undefined)
    throw new UsageError(
      `there is no stages/${name}.json to read its warehouse from; give --stage-file, or --database and --workgroup`,
    )
  if (stage.warehouse === undefined) throw new UsageError(`the stage ${name} has no own warehouse to check`)
  const { workGroup, database, queryResults: output, feeSchedules } = stage.warehouse
  const readerRole = (await findOutputs(name))?.['WarehouseReaderRole']
  if (readerRole === undefined)
    process.stderr.write(
      `note: the stage ${name} is not deployed here, so this reads with your own permissions; check again once it is deployed\n`,
    )
  return {
    readerRole,
    athena: { workGroup, database, output },
    columns: columnsOf(stage.warehouse),
    needsFeeSchedules: feeSchedules === 'relation',
  }
}

/** @throws CommandFailed if there are no rates of the operator's own: Athena would read the loader's, or none */
async function requireRates(dataFolder: string): Promise<string> {
  const warehouse = requireWarehouse(dataFolder)
  const rates = join(warehouse, 'rates')
  if ((await listRelationFiles(rates, new Map())).paths.length > 0) return warehouse
  throw new CommandFailed(`there are no Parquet files in ${resolve(rates)}: put those of your relation rates there`)
}

/** Starts an Athena over the folder and points this process's SDK at it. It needs no storage for a SELECT. */
async function startLocalAthena(warehouseFolder: string, running: AsyncDisposableStack): Promise<void> {
  const refuse = async () => {
    throw new TypeError('nothing is stored here')
  }
  const athena = await startAthena({
    warehouseFolder,
    objects: { putObject: refuse, isEmptyPrefix: refuse, readText: refuse },
    outputLocation: 's3://nothing-is-stored/',
    now: () => new Date(),
    newId: randomUUID,
  })
  running.defer(() => athena.close())
  const user = describeUser({ accessKeyId: 'local', secretAccessKey: 'local' })
  adoptEnvironment({ ...user, AWS_ENDPOINT_URL_ATHENA: athena.url })
}

/** Finds the differences, those that searches trip over first. */
async function findDifferences({ athena, readerRole, ...settings }: CheckTarget) {
  using progress = openProgress()
  progress.show(() => '  still waiting for Athena')
  const client = readerRole === undefined ? undefined : await connectAthenaAs(readerRole)
  const deps = {
    queries: createAthenaQueries(athena, client),
    rows: createAthenaQueryRows(client),
    sleep: (milliseconds: number) => sleep(milliseconds),
    newToken: randomUUID,
    now: () => new Date(),
  }
  const differences = await checkWarehouse(deps, settings).catch((error: unknown) => {
    if (readerRole !== undefined && error instanceof RelationUnread) throw new CommandFailed(adviseOn(error))
    throw error
  })
  const isWrong = ({ weight }: (typeof differences)[number]) => weight === 'wrong'
  return [...differences.filter(isWrong), ...differences.filter((each) => !isWrong(each))]
}

/** Access is nearly always denied because the stage's warehouse description lacks a database, location or key. */
function adviseOn({ message }: RelationUnread): string {
  if (!/not authorized|insufficient|access ?denied|forbidden/i.test(message)) return message
  return `${message.split('\n')[0]}; searches may read the databases, dataLocations and keyArns that the stage file names: add what is missing, then deploy`
}
