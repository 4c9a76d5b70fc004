import { type FSWatcher, readFileSync, watch } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { eventLog } from '../../local/event-bridge/endpoint.ts'
import { type KillMoment, planKills, startRandom } from './kill-plan.ts'
import { findWrongEnd } from './known-searches.ts'
import { type Ready, type ServiceProcess, startServiceProcess } from './service-process.ts'
import { createSteadyClient, type SteadyClient } from './steady-client.ts'
import { connectJobsTable, listStoredJobs } from './stored-jobs.ts'

/** The result of one run. */
export interface RunReport {
  readonly kills: readonly KillMoment['phase'][]
  readonly accepted: number
  /** Searches retried with their key, because a kill lost the answer. */
  readonly resent: number
  readonly completed: number
  /** Searches that failed as expected. */
  readonly failed: number
  /** Searches that were deleted after their end. */
  readonly deleted: number
  /** Searches accepted before the last kill that had not ended by then: only the sweeper can end them. */
  readonly swept: number
  /** Seconds from the last restart until all of those had ended. */
  readonly longestSeconds: number
  /** Well-formed 5xx answers: the machine was too busy to start a function in time. */
  readonly refused: number
  /** The violations, one line each. */
  readonly faults: readonly string[]
}

export interface RunOptions {
  readonly dataFolder: string
  readonly seed: number
  readonly signal: AbortSignal
}

/** Share of the searches that are deleted after their end. */
const shortLived = 0.25

/** Milliseconds between two searches. */
const everyMs = 400

/** Milliseconds for which searches are sent after the last restart. */
const lastLifeMs = 2000

/** Longest time until jobs end: the sweeper needs at most three minutes, the rest is slack for a busy machine. */
const maxEndMs = 8 * 60_000

/** Kills a service after this time if its moment never comes, as when no result is written; recovery needs a sweep. */
const maxLifeMs = (phase: KillMoment['phase']) => (phase === 'recovery' ? 150_000 : 20_000)

/**
 * Runs a service on one data folder, kills it up to three times while a client creates and polls searches, and restarts
 * it until every job has ended. Leaves no process behind.
 *
 * @throws ServiceEnded if the service does not restart
 */
export async function runKilled({ dataFolder, seed, signal }: RunOptions): Promise<RunReport> {
  const random = startRandom(seed)
  const client = createSteadyClient(random, shortLived)
  const plan = planKills(random)
  await using lives = new AsyncDisposableStack()
  const start = () => lives.adopt(startServiceProcess(dataFolder, seed % 2 === 0), (life) => life.stop())
  for (const moment of plan) {
    await liveUntil(start(), moment, { client, dataFolder, signal })
    signal.throwIfAborted()
  }
  const service = await start().ready
  const restartedAt = performance.now()
  const unanswered = client.sent.filter(({ jobId }) => jobId === undefined)
  await client.resend(service)
  await client.poll(service)
  const swept = client.sent.filter((search) => search.end === undefined && !unanswered.includes(search))
  await client.run(service, everyMs, AbortSignal.any([signal, AbortSignal.timeout(lastLifeMs)]))
  await client.resend(service)
  await awaitEnds(client, service, restartedAt + maxEndMs, signal)
  await awaitAnnouncements(client, dataFolder, restartedAt + maxEndMs, signal)
  await client.askAgain(service)
  const faults = [...client.violations, ...(await findFaults(client, dataFolder))]
  const ended = (status: string) => client.sent.filter(({ end }) => end?.status === status).length
  return {
    kills: plan.map(({ phase }) => phase),
    accepted: client.sent.filter(({ jobId }) => jobId !== undefined).length,
    resent: unanswered.length,
    completed: ended('completed'),
    failed: ended('failed'),
    deleted: client.sent.filter(({ isGone }) => isGone).length,
    swept: swept.length,
    longestSeconds:
      swept.reduce((longest, { endedAt = restartedAt }) => Math.max(longest, endedAt - restartedAt), 0) / 1000,
    refused: client.refusals.length,
    faults,
  }
}

/** Kills the service at the moment. */
async function liveUntil(
  life: ServiceProcess,
  { phase, afterMs, searches }: KillMoment,
  { client, dataFolder, signal }: { client: SteadyClient; dataFolder: string; signal: AbortSignal },
): Promise<void> {
  const over = new AbortController()
  const dies = async () => {
    await sleep(afterMs, undefined, { signal }).catch(() => {})
    await life.kill()
    over.abort()
  }
  if (phase === 'start') return dies()
  const service = await life.ready
  const isQuiet = phase === 'recovery'
  let searchesLeft = isQuiet ? -1 : searches
  let death: Promise<void> | undefined
  const isTime = () => {
    death ??= dies()
  }
  const watcher =
    phase === 'publish' || isQuiet ? watchResults(dataFolder, () => searchesLeft < 0 && isTime()) : undefined
  const onSend = () => {
    searchesLeft -= 1
    if (searchesLeft < 0 && phase !== 'publish') isTime()
  }
  const patience = setTimeout(isTime, maxLifeMs(phase))
  try {
    await client.run(service, isQuiet ? undefined : everyMs, AbortSignal.any([over.signal, signal]), onSend)
  } finally {
    clearTimeout(patience)
    watcher?.close()
    await death
  }
}

/** Calls back when a file appears below the folder of objects: a query's result, or a step's empty shard. */
const watchResults = (dataFolder: string, onFile: () => void): FSWatcher =>
  watch(join(dataFolder, 's3'), { recursive: true }, onFile)

async function awaitEnds(client: SteadyClient, service: Ready, deadline: number, signal: AbortSignal): Promise<void> {
  const areEnded = () =>
    client.sent.every(
      ({ jobId, end, isShortLived, isGone }) =>
        jobId === undefined || (end !== undefined && (!isShortLived || isGone === true)),
    )
  while (!areEnded() && performance.now() < deadline) {
    signal.throwIfAborted()
    await client.poll(service)
    await sleep(500)
  }
}

/** The end of every job is announced by the step that ended it, or by the sweeper a minute later. */
async function awaitAnnouncements(
  client: SteadyClient,
  dataFolder: string,
  deadline: number,
  signal: AbortSignal,
): Promise<void> {
  while (listUnannounced(client, dataFolder).length > 0 && performance.now() < deadline) {
    signal.throwIfAborted()
    await sleep(500)
  }
}

function listUnannounced({ sent }: SteadyClient, dataFolder: string): readonly string[] {
  const events = readFileSync(join(dataFolder, 'logs', eventLog), 'utf8')
  return sent.flatMap(({ jobId }) => (jobId === undefined || events.includes(`"job_id":"${jobId}"`) ? [] : [jobId]))
}

/** Lists the violations at the end of a run, one line each. */
async function findFaults(client: SteadyClient, dataFolder: string): Promise<readonly string[]> {
  const { sent } = client
  const faults = listUnannounced(client, dataFolder).map((jobId) => `the end of job ${jobId} was never announced`)
  for (const { known, jobId, end, isShortLived, isGone } of sent) {
    if (jobId === undefined) faults.push('a search was never accepted')
    else if (end === undefined) faults.push(`job ${jobId} did not end`)
    else if (isShortLived) faults.push(...(isGone === true ? [] : [`job ${jobId} could not be deleted`]))
    else {
      const wrong = await findWrongEnd(known, end)
      if (wrong !== undefined) faults.push(`job ${jobId} ${wrong}`)
    }
  }
  const clientJobs = new Set(sent.flatMap(({ jobId, isGone }) => (isGone === true ? [] : [jobId])))
  for (const { jobId, status } of await listStoredJobs(connectJobsTable(dataFolder))) {
    if (status !== 'completed' && status !== 'failed') faults.push(`job ${jobId} is stored as ${status}`)
    if (!clientJobs.has(jobId))
      faults.push(`job ${jobId} is stored, but its client deleted it or never got it under its key`)
  }
  return faults
}
