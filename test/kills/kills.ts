import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runCommand } from '../../bin/command/run-command.ts'
import { formatTable } from '../../bin/command/table.ts'
import { CommandFailed, UsageError } from '../../client/command-line/command-errors.ts'
import { readOptions } from '../../client/command-line/parse-options.ts'
import { type RunReport, runKilled } from './killed-run.ts'

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

interface NumberedReport extends RunReport {
  readonly run: number
}

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
  const reports: NumberedReport[] = []
  let next = 1
  const work = async () => {
    while (next <= runs && !stop.signal.aborted) {
      const run = next++
      const report = await runOnce(seed + run, stop.signal)
      if (stop.signal.aborted) return
      reports.push({ run, ...report })
      process.stdout.write(describeRun(run, runs, report))
    }
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, runs) }, work))
  process.stdout.write(`\n${formatTable(['measure', 'value'], summarise(reports))}\n`)
  if (stop.signal.aborted) throw new CommandFailed('stopped before all runs were done')
  const broken = reports.filter(({ faults }) => faults.length > 0)
  if (broken.length > 0) throw new CommandFailed(`${broken.length} of ${runs} runs went wrong`)
})

/** One run on a new folder, which is kept if something went wrong. A failed start is a fault like any other. */
async function runOnce(seed: number, signal: AbortSignal): Promise<RunReport> {
  const dataFolder = await mkdtemp(join(tmpdir(), 'kills-'))
  const report = await runKilled({ dataFolder, seed, signal }).catch((error: unknown): RunReport => {
    const none = {
      kills: [],
      accepted: 0,
      resent: 0,
      completed: 0,
      failed: 0,
      deleted: 0,
      swept: 0,
      longestSeconds: 0,
      refused: 0,
    }
    return { ...none, faults: [error instanceof Error ? error.message : String(error)] }
  })
  const isKept = report.faults.length > 0 && !signal.aborted
  if (!isKept) await rm(dataFolder, { recursive: true, force: true, maxRetries: 3 })
  return isKept ? { ...report, faults: [...report.faults, `see ${dataFolder}, seed ${seed}`] } : report
}

function describeRun(run: number, runs: number, report: RunReport): string {
  const { kills, accepted, completed, failed, deleted, swept, longestSeconds, faults } = report
  const ends = `${completed} completed, ${failed} failed as expected, ${deleted} deleted`
  const words = `killed in ${kills.join(', ')}; ${accepted} accepted, ${ends}`
  const line = `${run}/${runs}  ${words}; ${swept} swept in ${longestSeconds.toFixed(0)} s\n`
  return line + faults.map((fault) => `  ${fault}\n`).join('')
}

function summarise(reports: readonly RunReport[]): readonly Readonly<Record<string, unknown>>[] {
  const sum = (count: (report: RunReport) => number) => reports.reduce((total, report) => total + count(report), 0)
  const longest = Math.max(0, ...reports.map(({ longestSeconds }) => longestSeconds))
  return Object.entries({
    runs: reports.length,
    kills: sum(({ kills }) => kills.length),
    'jobs accepted': sum(({ accepted }) => accepted),
    'of these answered only after a retry': sum(({ resent }) => resent),
    completed: sum(({ completed }) => completed),
    'failed as expected': sum(({ failed }) => failed),
    'deleted after their end': sum(({ deleted }) => deleted),
    'orphaned by a kill, ended by the sweeper': sum(({ swept }) => swept),
    'longest from restart to end, in seconds': Math.round(longest),
    'well-formed 5xx answers': sum(({ refused }) => refused),
    faults: sum(({ faults }) => faults.length),
  }).map(([measure, value]) => ({ measure, value }))
}

function readCount(name: string, text: string, least: number): number {
  if (/^\d{1,9}$/.test(text) && Number(text) >= least) return Number(text)
  throw new UsageError(`--${name} must be a whole number of at least ${least}, not "${text}"`)
}
