import { formatTable } from '../../../bin/command/table.ts'
import { quantile } from '../statistics.ts'
import { inTurn, type KnownJobs, runKnownJob } from './known-jobs.ts'
import { callSteadily, type OpenLoop } from './open-loop.ts'
import type { TrafficService } from './traffic-service.ts'

export interface SteadyTraffic {
  readonly minutes: number
  /** Polls of completed and active jobs; a quarter as many calls go to a function that does nothing. */
  readonly pollsPerSecond: number
  /** Number of active jobs: a new one is posted whenever one has ended. */
  readonly unended: number
}

/** Interval of memory readings, in milliseconds. */
const sampleMs = 5000

/** In the first minute memory grows because modules and data are still being loaded. */
const warmUpMinutes = 1

/** Completed jobs per organization that are polled. */
const completedJobs = 5

/**
 * Holds a rate of polls and prints their times, compared with a function that does nothing behind the same front end.
 */
export async function benchSteadyTraffic(
  service: TrafficService,
  jobs: KnownJobs,
  traffic: SteadyTraffic,
): Promise<void> {
  const polled = await createCompletedJobs(jobs)
  const over = AbortSignal.timeout(traffic.minutes * 60_000)
  const memory: { readonly minute: number; readonly megabytes: number }[] = []
  const start = performance.now()
  const sample = async () => {
    const minute = (performance.now() - start) / 60_000
    memory.push({ minute, megabytes: await service.readMegabytes() })
    process.stderr.write(
      `minute ${minute.toFixed(1)} of ${traffic.minutes}: ${memory.at(-1)?.megabytes} MB, ${ended} jobs ended\n`,
    )
  }
  const timer = setInterval(() => void sample(), sampleMs)
  let ended = 0
  const keepUnended = async (first: number) => {
    for (let index = first; !over.aborted; index += traffic.unended) {
      await runKnownJob(inTurn(jobs.clients, index), inTurn(jobs.searches, index))
      ended += 1
    }
  }
  const [nothing, polls] = await Promise.all([
    callSteadily(traffic.pollsPerSecond / 4, over, () => expectStatus(`${service.baseUrl}/nothing`, 404)),
    callSteadily(traffic.pollsPerSecond, over, async (index) => {
      const { clientIndex, jobId } = inTurn(polled, index)
      const { status } = await inTurn(jobs.clients, clientIndex).get(jobId)
      if (status !== 'completed') throw new Error(`a completed job is ${status}`)
    }),
    ...Array.from({ length: traffic.unended }, (_, index) => keepUnended(index)),
  ])
  clearInterval(timer)
  print({ nothing, polls }, traffic, ended)
  printMemory(memory)
}

interface PolledJob {
  readonly clientIndex: number
  readonly jobId: string
}

async function createCompletedJobs({ clients, searches }: KnownJobs): Promise<readonly PolledJob[]> {
  const jobs: PolledJob[] = []
  for (const [clientIndex, client] of clients.entries()) {
    for (let index = 0; index < completedJobs; index++) {
      const { job_id: jobId } = await client.create(inTurn(searches, index).body)
      await client.waitFor(jobId, { pollSeconds: 0.25 })
      jobs.push({ clientIndex, jobId })
    }
  }
  return jobs
}

async function expectStatus(url: string, status: number): Promise<void> {
  const response = await fetch(url)
  await response.arrayBuffer()
  if (response.status !== status) throw new Error(`HTTP ${response.status}`)
}

function print(
  loops: { readonly nothing: OpenLoop; readonly polls: OpenLoop },
  traffic: SteadyTraffic,
  ended: number,
): void {
  const p50 = (times: readonly number[]) => quantile(times, 0.5)
  const p99 = (times: readonly number[]) => quantile(times, 0.99)
  const { nothing, polls } = loops
  const rows = Object.entries({ 'a function that does nothing': nothing, 'GET a completed search': polls }).map(
    ([call, { times, faults }]) => ({
      call,
      calls: times.length,
      'calls/s': round(times.length / (traffic.minutes * 60)),
      'p50 ms': round(p50(times)),
      'p99 ms': round(p99(times)),
      'p50 ratio': round(p50(times) / p50(nothing.times)),
      'p99 ratio': round(p99(times) / p99(nothing.times)),
      errors: [...faults.values()].reduce((sum, count) => sum + count, 0),
    }),
  )
  const columns = Object.keys(rows[0] ?? {})
  process.stdout.write(
    `\n${traffic.minutes} minutes, ${traffic.unended} jobs active throughout: ${ended} ended, each with its rows\n\n`,
  )
  process.stdout.write(`${formatTable(columns, rows)}\n`)
  for (const [fault, count] of [...nothing.faults, ...polls.faults]) process.stdout.write(`${count} times ${fault}\n`)
}

function printMemory(memory: readonly { readonly minute: number; readonly megabytes: number }[]): void {
  const warm = memory.filter(({ minute }) => minute >= warmUpMinutes)
  const [first, last] = [warm[0], warm.at(-1)]
  if (first === undefined || last === undefined) return
  process.stdout.write(
    `\nmemory: ${first.megabytes} MB after ${first.minute.toFixed(1)} minutes, ${last.megabytes} MB after ${last.minute.toFixed(1)}; ` +
      `${round(slopeOf(warm))} MB per minute (least squares)\n`,
  )
}

function slopeOf(points: readonly { readonly minute: number; readonly megabytes: number }[]): number {
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
  const [x, y] = [mean(points.map(({ minute }) => minute)), mean(points.map(({ megabytes }) => megabytes))]
  const above = points.reduce((sum, { minute, megabytes }) => sum + (minute - x) * (megabytes - y), 0)
  return above / points.reduce((sum, { minute }) => sum + (minute - x) ** 2, 0)
}

const round = (value: number) => Number(value.toFixed(2))
