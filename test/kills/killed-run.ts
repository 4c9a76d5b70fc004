import { type FSWatcher, watch } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { awaitAnnouncements, awaitEnds, findFaults } from './job-ends.ts'
import { type KillMoment, planKills, startRandom } from './kill-plan.ts'
import { type ServiceProcess, startServiceProcess } from './service-process.ts'
import { createSteadyClient, type SteadyClient } from './steady-client.ts'

/** Numbers of a run, with their labels in the summary of all runs. */
export const measures = [
  { name: 'accepted', label: 'jobs accepted' },
  { name: 'resent', label: 'of these answered only after a retry' },
  { name: 'completed', label: 'completed' },
  { name: 'failed', label: 'failed as expected' },
  { name: 'deleted', label: 'deleted after their end' },
  // Accepted before the last kill and not ended by then: only the sweeper can end them.
  { name: 'swept', label: 'orphaned by a kill, ended by the sweeper' },
  // The machine was too busy to start a function in time.
  { name: 'refused', label: 'well-formed 5xx answers' },
] as const

/** The result of one run. */
export interface RunReport {
  readonly kills: readonly KillMoment['phase'][]
  /** @default - none: the service did not start again */
  readonly counts?: Readonly<Record<(typeof measures)[number]['name'], number>>
  /** Seconds from the last restart until all orphaned jobs had ended. */
  readonly longestSeconds: number
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
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(maxEndMs)])
  await awaitEnds(client, service, deadline)
  await awaitAnnouncements(client, dataFolder, deadline)
  signal.throwIfAborted()
  await client.askAgain(service)
  const ended = (status: string) => client.sent.filter(({ end }) => end?.status === status).length
  return {
    kills: plan.map(({ phase }) => phase),
    counts: {
      accepted: client.sent.filter(({ jobId }) => jobId !== undefined).length,
      resent: unanswered.length,
      completed: ended('completed'),
      failed: ended('failed'),
      deleted: client.sent.filter(({ isGone }) => isGone).length,
      swept: swept.length,
      refused: client.refusals.length,
    },
    longestSeconds:
      swept.reduce((longest, { endedAt = restartedAt }) => Math.max(longest, endedAt - restartedAt), 0) / 1000,
    faults: await findFaults(client, dataFolder),
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
