import { runCommand } from '../../bin/command/run-command.ts'
import { CommandFailed, UsageError } from '../../client/command-line/command-errors.ts'
import { readOptions } from '../../client/command-line/parse-options.ts'
import { RateSearchClient } from '../../client/rate-search-client.ts'
import { smallSearch } from '../conformance/samples.ts'
import { findService } from '../conformance/service.ts'
import { httpSurface } from './http.ts'
import { keySurface } from './key.ts'
import { requestSurface } from './request.ts'
import type { Rule, Surface } from './surface.ts'

const usage = `
Sends hostile input to every surface of the service, until the time is up or an input breaks a rule.

Usage: npm run fuzz -- [--minutes <n>] [--surface <name>]
       npm run fuzz -- --surface <name> --rule <name> --seed <n> --path <path>

  --minutes <n>     duration (default 5); Ctrl-C ends it sooner
  --surface <name>  only request, key or http (default all, in turn)
  --rule <name>     only one rule of the surface
  --seed <n>        with --rule: one run with the values of this seed, to reproduce a failure
  --path <path>     with --seed: from this value on
  --help            print this

The HTTP surface is that of a local service, or of the one in CONFORMANCE_BASE_URL and CONFORMANCE_KEYS (the keys
of two organizations, separated by a comma). It creates searches there, and the output contains keys.

Exit code: 0 if nothing was found, 1 if something was, 2 for wrong arguments.
`

const surfaceNames = ['request', 'key', 'http'] as const
type SurfaceName = (typeof surfaceNames)[number]

/** Number of values that one turn tries: few enough that Ctrl-C takes effect soon. */
const runsATurn: Readonly<Record<SurfaceName, number>> = { request: 300, key: 2000, http: 200 }

/** Longest time of one turn, including shrinking. */
const maxTurnMs = 60_000

const progressMs = 5000

interface Entry {
  readonly surface: SurfaceName
  readonly rule: Rule
}

interface Options {
  readonly minutes: number
  readonly surface: SurfaceName | undefined
  readonly rule: string | undefined
  readonly seed: number | undefined
  readonly path: string | undefined
}

await runCommand(usage, async () => {
  const options = parseOptions()
  const stop = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort())
  const names = options.surface === undefined ? surfaceNames : [options.surface]
  await using running = new AsyncDisposableStack()
  const entries: Entry[] = []
  for (const surface of names) {
    const { rules } = await openSurface(surface, running)
    entries.push(...rules.map((rule) => ({ surface, rule })))
  }
  const chosen = entries.filter(({ rule }) => options.rule === undefined || rule.name === options.rule)
  if (chosen.length === 0) {
    throw new UsageError(`--rule must be one of ${entries.map(({ rule }) => rule.name).join(', ')}`)
  }
  if (options.seed === undefined) await fuzz(chosen, options.minutes, stop.signal)
  else await repeat(chosen, options)
})

function parseOptions(): Options {
  const text = { type: 'string' } as const
  const { values } = readOptions({ options: { minutes: text, surface: text, rule: text, seed: text, path: text } })
  const { minutes = '5', rule, seed, path } = values
  if (!/^\d+(\.\d+)?$/.test(minutes) || Number(minutes) === 0) {
    throw new UsageError(`--minutes must be a number above 0, not "${minutes}"`)
  }
  const surface = surfaceNames.find((name) => name === values.surface)
  if (surface === undefined && values.surface !== undefined) {
    throw new UsageError(`--surface must be one of ${surfaceNames.join(', ')}, not "${values.surface}"`)
  }
  if (rule !== undefined && surface === undefined) throw new UsageError('--rule requires --surface')
  if (seed !== undefined && rule === undefined) throw new UsageError('--seed requires --surface and --rule')
  if (path !== undefined && seed === undefined) throw new UsageError('--path requires --seed')
  if (seed !== undefined && !/^-?\d+$/.test(seed)) throw new UsageError(`--seed must be a whole number, not "${seed}"`)
  return { minutes: Number(minutes), surface, rule, seed: seed === undefined ? undefined : Number(seed), path }
}

/** The HTTP surface needs a service with a job; `running` disposes of it. */
async function openSurface(name: SurfaceName, running: AsyncDisposableStack): Promise<Surface> {
  if (name === 'request') return requestSurface
  if (name === 'key') return keySurface
  const { access, stop } = await findService()
  running.defer(stop)
  const client = new RateSearchClient({ url: access.baseUrl, key: access.keys[0] ?? '' })
  const { job_id: jobId } = await client.create(smallSearch)
  return httpSurface({ ...access, jobId })
}

/** Tries the rules in turn, with a new seed each time. */
async function fuzz(entries: readonly Entry[], minutes: number, stop: AbortSignal): Promise<void> {
  const end = performance.now() + minutes * 60_000
  const counts = new Map(entries.map((entry) => [entry, 0]))
  let lastSaid = performance.now()
  while (performance.now() < end && !stop.aborted) {
    for (const entry of entries) {
      if (performance.now() >= end || stop.aborted) break
      counts.set(entry, (counts.get(entry) ?? 0) + (await takeTurn(entry, end - performance.now(), stop)))
      if (performance.now() - lastSaid < progressMs) continue
      lastSaid = performance.now()
      process.stderr.write(`${describeCounts(counts)}; ${Math.max(0, (end - lastSaid) / 1000).toFixed(0)} s left\n`)
    }
  }
  process.stdout.write(`nothing found: ${describeCounts(counts)}\n`)
}

async function takeTurn({ surface, rule }: Entry, leftMs: number, stop: AbortSignal): Promise<number> {
  const interruptAfterTimeLimit = Math.min(maxTurnMs, Math.max(1000, leftMs))
  const { runs, failure } = await rule.check({ numRuns: runsATurn[surface], interruptAfterTimeLimit })
  // Ctrl-C stops the local service too, so failures after it are not findings.
  if (failure !== undefined && !stop.aborted) report({ surface, rule }, failure)
  return runs
}

/** Reruns a rule with the values of a seed. */
async function repeat([entry]: readonly Entry[], { seed, path }: Options): Promise<void> {
  if (entry === undefined) return
  const { runs, failure } = await entry.rule.check({ numRuns: runsATurn[entry.surface], seed, path })
  if (failure !== undefined) report(entry, failure)
  process.stdout.write(`nothing found: ${runs} values\n`)
}

function report({ surface, rule }: Entry, failure: string): never {
  const [, seed = '', path = ''] = /seed: (-?\d+), path: "([^"]*)"/.exec(failure) ?? []
  process.stdout.write(`${failure}\n\n`)
  process.stdout.write(
    `reproduce it: npm run fuzz -- --surface ${surface} --rule ${rule.name} --seed=${seed} --path ${path}\n`,
  )
  throw new CommandFailed(`${surface} violates ${rule.name}`)
}

function describeCounts(counts: ReadonlyMap<Entry, number>): string {
  return [...counts].map(([{ surface, rule }, count]) => `${surface} ${rule.name} ${count}`).join(', ')
}
