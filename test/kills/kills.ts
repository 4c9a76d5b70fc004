import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runCommand } from '../../bin/command/run-command.ts'
import { formatTable } from '../../bin/command/table.ts'
import { CommandFailed, UsageError } from '../../client/command-line/command-errors.ts'
import { readOptions } from '../../client/command-line/parse-options.ts'
import { workAtOnce } from '../../core/work-at-once.ts'
import { measures, type RunReport, runKilled } from './killed-run.ts'

const usage = `
Kills the local service (SIGKILL) at random moments while a client creates and polls searches, restarts it, and waits
until every accepted job has ended. Compares every row of every result with the sample data.

Usage: npm run kills -- [--runs <n>] [--at-once <n>] [--seed <n>]

  --runs <n>     data folders, each killed one to three times (default 50)
  --at-once <n>  services that run at the same time (default 5); the sweeper runs in real time
  --seed <n>     seed of the random moments (default: a new one, which is printed)
  --help         print this

Exit code: 0 if all runs succeeded, 1 if one did not (its folder is kept), 2 for wrong arguments.
`

await runCommand(usage, async () => {
  const { values } = readOptions({
    options: {
      runs: { type: 'string', default: '50' },
      'at-once': { type: 'string', default: '5' },
      seed: { type: 'string', default: String(Math.floor(Math.random() * 1e6)) },
    },
  })
  const runs = readCount('runs', values.runs, 1)
  const atOnce = readCount('at-once', values['at-once'], 1)
  const seed = readCount('seed', values.seed, 0)
  const stop = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort())

  process.stdout.write(`seed ${seed}\n`)
  const reports: RunReport[] = []
  await workAtOnce(Array(runs).keys(), Math.min(atOnce, runs), async (index) => {
    if (stop.signal.aborted) return
    const report = await runOnce(seed + index + 1, stop.signal)
    if (stop.signal.aborted) return
    reports.push(report)
    process.stdout.write(describeRun(index + 1, runs, report))
  })
  process.stdout.write(`\n${formatTable(['measure', 'value'], summarise(reports))}\n`)
  if (stop.signal.aborted) throw new CommandFailed('stopped before all runs were done')
  const broken = reports.filter(({ faults }) => faults.length > 0)
  if (broken.length > 0) throw new CommandFailed(`${broken.length} of ${runs} runs went wrong`)
})

/** One run on a new folder, which is kept if something went wrong. A failed start is a fault like any other. */
async function runOnce(seed: number, signal: AbortSignal): Promise<RunReport> {
  const dataFolder = await mkdtemp(join(tmpdir(), 'kills-'))
  const report = await runKilled({ dataFolder, seed, signal }).catch((error: unknown): RunReport => {
    return { kills: [], longestSeconds: 0, faults: [error instanceof Error ? error.message : String(error)] }
  })
  const isKept = report.faults.length > 0 && !signal.aborted
  if (!isKept) await rm(dataFolder, { recursive: true, force: true, maxRetries: 3 })
  return isKept ? { ...report, faults: [...report.faults, `see ${dataFolder}, seed ${seed}`] } : report
}

function describeRun(run: number, runs: number, { kills, counts, longestSeconds, faults }: RunReport): string {
  const lines = faults.map((fault) => `  ${fault}\n`).join('')
  if (counts === undefined) return `${run}/${runs}  did not run to its end\n${lines}`
  const { accepted, completed, failed, deleted, swept } = counts
  const ends = `${completed} completed, ${failed} failed as expected, ${deleted} deleted`
  const words = `killed in ${kills.join(', ')}; ${accepted} accepted, ${ends}`
  return `${run}/${runs}  ${words}; ${swept} swept in ${longestSeconds.toFixed(0)} s\n${lines}`
}

function summarise(reports: readonly RunReport[]): readonly Readonly<Record<string, unknown>>[] {
  const sum = (count: (report: RunReport) => number) => reports.reduce((total, report) => total + count(report), 0)
  const numbers: readonly (readonly [measure: string, value: number])[] = [
    ['runs', reports.length],
    ['kills', sum(({ kills }) => kills.length)],
    ...measures.map(({ name, label }) => [label, sum(({ counts }) => counts?.[name] ?? 0)] as const),
    ['longest from restart to end, in seconds', Math.round(Math.max(0, ...reports.map((each) => each.longestSeconds)))],
    ['faults', sum(({ faults }) => faults.length)],
  ]
  return numbers.map(([measure, value]) => ({ measure, value }))
}

function readCount(name: string, text: string, least: number): number {
  if (/^\d{1,9}$/.test(text) && Number(text) >= least) return Number(text)
  throw new UsageError(`--${name} must be a whole number of at least ${least}, not "${text}"`)
}
