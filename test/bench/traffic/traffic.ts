import { formatTable } from '../../../bin/command/table.ts'
import { UsageError } from '../../../client/command-line/command-errors.ts'
import { readOptions } from '../../../client/command-line/parse-options.ts'
import { workAtOnce } from '../../../core/work-at-once.ts'
import { quantile } from '../statistics.ts'
import { inTurn, type KnownJobs, openKnownJobs, runKnownJob } from './known-jobs.ts'
import { benchSteadyTraffic } from './steady-traffic.ts'
import { startTrafficService, type TrafficService } from './traffic-service.ts'

/** Number of clients that post jobs at once, each posting the next when its last has ended. */
const clientsAtOnce = 16

/**
 * Puts the local service, in a separate process, under traffic: a steady rate of polls for some minutes, then many
 * jobs of several organizations.
 */
export async function benchTraffic(args: readonly string[]): Promise<void> {
  const number = { type: 'string' } as const
  const options = { minutes: number, polls: number, unended: number, jobs: number, organizations: number }
  const { values } = readOptions({ args: [...args], options })
  const readOption = (name: keyof typeof options, otherwise: number) => readNumber(name, values[name], otherwise)
  await using service = await startTrafficService(readOption('organizations', 5))
  const jobs = openKnownJobs(service)
  await benchSteadyTraffic(service, jobs, {
    minutes: readOption('minutes', 10),
    pollsPerSecond: readOption('polls', 40),
    unended: readOption('unended', 4),
  })
  await benchManyJobs(service, jobs, readOption('jobs', 10_000))
}

function readNumber(name: string, text: string | undefined, otherwise: number): number {
  if (text === undefined) return otherwise
  if (/^\d{1,6}$/.test(text) && Number(text) > 0) return Number(text)
  throw new UsageError(`--${name} must be a number of at least 1, not "${text}"`)
}

async function benchManyJobs(service: TrafficService, jobs: KnownJobs, count: number): Promise<void> {
  const start = performance.now()
  const before = await service.readMegabytes()
  const times: number[] = []
  await workAtOnce(Array(count).keys(), clientsAtOnce, async (index) => {
    times.push(await runKnownJob(inTurn(jobs.clients, index), inTurn(jobs.searches, index)))
    if (times.length % 500 === 0) process.stderr.write(`${times.length} of ${count} jobs ended, each with its rows\n`)
  })
  const seconds = (performance.now() - start) / 1000
  const row = {
    jobs: count,
    organizations: jobs.clients.length,
    'clients at once': clientsAtOnce,
    'completed with their rows': times.length,
    'jobs/s': round(count / seconds),
    'p50 s': round(quantile(times, 0.5) / 1000),
    'p99 s': round(quantile(times, 0.99) / 1000),
    'MB before': before,
    'MB after': await service.readMegabytes(),
  }
  process.stdout.write(`\n${formatTable(Object.keys(row), [row])}\n`)
}

const round = (value: number) => Number(value.toFixed(2))
