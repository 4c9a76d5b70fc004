import { fileURLToPath } from 'node:url'
import { connectDynamo, patientSettings } from '../../adapters/dynamodb/dynamo-client.ts'
import { createS3WarehouseFiles } from '../../adapters/s3/s3-warehouse-files.ts'
import { repeatByClock } from '../../client/command-line/process.ts'
import { toOneLine } from '../../fetch/load-refused.ts'
import { realWaiting } from '../../fetch/remote/patience.ts'
import { cleanAll } from '../../loader/fleet/ended-loads.ts'
import { finishLoad } from '../../loader/fleet/finish-load.ts'
import { planFiles } from '../../loader/fleet/plan-files.ts'
import type { StepDeps } from '../../loader/fleet/steps.ts'
import { type WorkEvent, workOnFiles } from '../../loader/fleet/work-on-files.ts'
import type { LoadProgress } from '../../loader/publish/load-request.ts'
import { openWarehouse, openWarehouseFolder } from '../../loader/publish/warehouse/warehouse-folder.ts'
import { describeLost, describeReport, NothingLoaded } from '../../loader/run/load-report.ts'
import { LoadInterrupted } from '../../loader/run/load-watch.ts'
import { realMachine } from '../../loader/write/machine.ts'
import type { LoadStep, StepEnvironment } from '../../schema/load-step.ts'
import { readGivenOrder, readStep, readStepEnvironment, StepMisused, stepExit } from '../../schema/load-step.ts'
import { describeError } from '../command/errors.ts'
import { newOpaqueId } from '../command/opaque-id.ts'
import { connectCatalogue } from '../warehouse/connect-catalogue.ts'

/**
 * One step of a load by many workers, in a process or container of its own: `node bin/aws-loads/load-step.ts
 * plan|work|finish`. Its environment says which load (schema/load-step.ts). It logs one line of JSON an event, without
 * query strings of URLs, which may be signatures.
 */

type Facts = Readonly<Record<string, unknown>>

/** Seconds between two lines about a file that is being read. */
const progressSeconds = 60

type Step = (loadId: string, deps: StepDeps, run: StepEnvironment & { readonly worker: string }) => Promise<void>

const steps: Readonly<Record<LoadStep, Step>> = {
  async plan(loadId, deps, run) {
    const { files, settled } = await planFiles(loadId, readGivenOrder(run), deps)
    log('planned', { files, settled })
  },
  async work(loadId, deps, { worker }) {
    const { files, end: reason } = await workOnFiles(loadId, { ...deps, worker, onEvent: logFile })
    log('ended', { files, reason })
  },
  async finish(loadId, deps, { CLEAN }) {
    const report = await finishLoad(loadId, deps)
    if (report !== undefined) log('report', { lines: describeReport(report).split('\n') })
    // A process that was lost may have ended the record without a word.
    const left_out = report?.leftOut.length ?? (await deps.records.read(loadId))?.counts?.leftOut
    log(report === undefined ? 'completed before' : 'completed', { left_out })
    if (CLEAN !== undefined) await clean(deps, Number(CLEAN))
  },
}

/** The load is complete, whether or not this works: the next one, or an operator, cleans as well. */
async function clean(deps: StepDeps, keepMonths: number): Promise<void> {
  try {
    log('cleaned', { ...(await cleanAll(deps, false, keepMonths)) })
  } catch (error) {
    log('not cleaned', { message: describeError(error) })
  }
}

function logFile(event: WorkEvent): void {
  const { identity, bytes, attempts } = event.file
  log(event.event, { file: toOneLine(identity), bytes, attempt: attempts, ...describeEvent(event) })
}

function describeEvent(event: WorkEvent): Facts {
  if (event.event === 'failed') return { message: describeError(event.error) }
  if (!('outcome' in event)) return {}
  const { outcome } = event
  if (outcome.outcome === 'refused') return { fault: outcome.fault }
  return { source: outcome.sourceId, prices: outcome.prices }
}

let shownAt = performance.now()

const context: { step?: LoadStep; stage?: string | undefined; load_id?: string; worker?: string } = {}

function log(event: string, facts: Facts = {}): void {
  process.stdout.write(`${JSON.stringify({ time: new Date().toISOString(), ...context, event, ...facts })}\n`)
}

const stopping = new AbortController()
for (const signal of ['SIGTERM', 'SIGINT'] as const)
  process.once(signal, () => stopping.abort(new LoadInterrupted(`ended by ${signal}: run the step again`)))
process.on('uncaughtException', (error) => end(error))

try {
  const step = readStep(process.argv.slice(2))
  const environment = readStepEnvironment(process.env)
  const worker = nameWorker(environment)
  Object.assign(context, { step, stage: environment.STAGE_NAME, load_id: environment.LOAD_ID, worker })
  log('started')
  await steps[step](environment.LOAD_ID, openDeps(environment), { ...environment, worker })
  process.stdout.write('', () => process.exit(stepExit.done))
} catch (error) {
  end(error)
}

function end(error: unknown): void {
  if (error instanceof NothingLoaded) log('left out', { lines: describeLost(error) })
  const isInterrupted = error instanceof LoadInterrupted
  log(isInterrupted ? 'interrupted' : 'error', { message: describeError(error) })
  const failed = error instanceof StepMisused ? stepExit.misused : stepExit.failed
  process.stdout.write('', () => process.exit(isInterrupted ? stepExit.interrupted : failed))
}

/** A name that no other process has: the job of AWS Batch, if it is one. */
function nameWorker({ AWS_BATCH_JOB_ID, AWS_BATCH_JOB_ATTEMPT }: StepEnvironment): string {
  const job = AWS_BATCH_JOB_ID === undefined ? `process ${process.pid}` : `${AWS_BATCH_JOB_ID} ${AWS_BATCH_JOB_ATTEMPT}`
  return `${job} ${newOpaqueId().slice(0, 8)}`
}

function openDeps(environment: StepEnvironment): StepDeps {
  const { CATALOGUE_TABLE, CONTENTS_TABLE, RATES_LOCATION, SCRATCH_FOLDER } = environment
  const openBucket = () => openWarehouse({ files: createS3WarehouseFiles(RATES_LOCATION), workspaces: SCRATCH_FOLDER })
  return {
    warehouse: RATES_LOCATION.startsWith('file:') ? openWarehouseFolder(fileURLToPath(RATES_LOCATION)) : openBucket(),
    ...connectCatalogue({ FeeSchedules: CATALOGUE_TABLE, Contents: CONTENTS_TABLE }, connectDynamo(patientSettings)),
    machine: realMachine,
    repeat: repeatByClock,
    waiting: realWaiting,
    signal: stopping.signal,
    onProgress: logProgress,
  }
}

/** Logs how far a file or the table of contents is, once in a while. */
function logProgress(progress: LoadProgress): void {
  const { step } = progress
  if (step === 'switching') log(step, { fee_schedules: progress.feeSchedules })
  if (!(step === 'read' || step === 'listing') || performance.now() - shownAt < 1000 * progressSeconds) return
  shownAt = performance.now()
  const { file, bytesRead, size } = progress
  const prices = step === 'read' ? { prices: progress.prices } : {}
  log('progress', { file: toOneLine(file), bytes_read: bytesRead, size, ...prices })
}
