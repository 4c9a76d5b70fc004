import { availableParallelism } from 'node:os'
import { UsageError } from '../client/command-line/command-errors.ts'
import { flags, readNumber, readOptions, texts } from '../client/command-line/parse-options.ts'
import { repeatByClock } from '../client/command-line/process.ts'
import type { Progress } from '../client/command-line/progress.ts'
import { knownMajor } from '../loader/decode/schema-version.ts'
import type { LoadDeps, LoadRequest } from '../loader/publish/load-request.ts'
import { describeDryRun } from '../loader/run/describe-dry-run.ts'
import { planLoad } from '../loader/run/dry-run.ts'
import { loadFiles } from '../loader/run/load-files.ts'
import { describeLost, describeReport, NothingLoaded } from '../loader/run/load-report.ts'
import { LoadCancelled } from '../loader/run/load-watch.ts'
import { readLoadFilter } from '../loader/run/read-load-filter.ts'
import { realMachine } from '../loader/write/machine.ts'
import { mostCpu } from '../schema/load-order.ts'
import { orderLoad, refuseLocalSources } from './aws-loads/order-load.ts'
import { installationOptions } from './command/options.ts'
import { type Answer, printAnswer } from './command/output.ts'
import { openProgress } from './command/progress.ts'
import { onStopSignal, runCommand } from './command/run-command.ts'
import { showLoadProgress } from './warehouse/load-progress.ts'
import { fetchOptions, fetchUsage, openRemote } from './warehouse/open-remote.ts'
import { openChosenWarehouse, warehouseOptions } from './warehouse/open-warehouse.ts'
import { requireSourceFiles } from './warehouse/source-paths.ts'

/** More processes would take more memory than machines have. */
const maxWorkers = 64

const usage = `
Loads CMS in-network files, schemas 1.x and 2.x, of any size: plain, gzip or zip, local or by their https URL; - reads
standard input. The files of one command together become the content of the fee schedules that they name, and supersede
their previous content.

Usage: npm run load -- <in-network file>… [options]
       npm run load -- --toc <table of contents> [<in-network file>…] [options]

  --toc <file or URL>   a table of contents, which lists plans and the files of each; those of a URL are fetched
  --files <map.json>    the local files of the addresses in these files: {"<address or last segment>": "<path>"}
                        (default: the named file with the address's last segment, else such a file next to the one
                        that contains the address); one local file serves several addresses only if the map gives
                        it for each of them by its whole address. Signatures in an address make no difference
  --payer <name>        the payer (default: the file's issuer, else its reporting entity)
  --plan <name>         the plan (default: the file's plan name); with --toc, load only this plan, or only one of its
                        ids: "PPO (EIN 222222222)"
  --add                 keep the active files, except those that are loaded again from the same address or path
  --create              create the data folder if it does not exist
  --workers <n>         read up to n files in parallel, one process each (default: number of processors; on AWS: 10)
  --on aws              load with workers on AWS Batch, for a stage with loads: what is named must be https URLs. Ctrl-C
                        leaves the load running; \`npm run loads\` shows, cancels and resumes it
  --dry-run             read what files say before their rates, list plans, files, sizes, what is active for the plans, what
                        would be refused, and the expected time, and load nothing; exit codes are those of the load

What is fetched (proxies: HTTPS_PROXY, ALL_PROXY and NO_PROXY):

  ${fetchUsage}

Which rates:

  --codes <file>        keep only items with one of these billing codes, one per line
  --npis <file>         keep only rates of these NPIs, one per line; 0 is a rate for a whole TIN
  --networks <file>     keep only provider groups of these networks, one name per line
                        (searches for codes or NPIs that were left out fail with not_loaded)
  --without-descriptions
                        leave out name and description of items, if you may not pass on the texts of codes: both are
                        null in results, and manifests say so

What may be lost:

  --partial             switch a fee schedule without the files that are missing or refused, and mark it partial
  --max-shrink <share>  leave out a fee schedule that would lose more of its rates, billing codes or NPIs, and refuse a
                        table of contents that drops more than this share of its plans (default 50%)
  --replace             switch even if much would be lost, or if somebody else published the plan before
  --allow-older         switch even if the files were last updated before those that are active (default: such a fee
                        schedule is left out); to go back to the previous month, use \`npm run loads -- rollback\`
  --keep-missing        keep plans that the table of contents no longer lists (default: they are removed, and
                        \`npm run fee-schedules -- rollback\` brings them back)
  --max-failed <share>  load nothing if more than this share of the plans would be left out (default 100%)
  --max-skipped <share> reject a file if more than this share of its prices, items, provider groups or NPIs would be
                        skipped (default 1%)
  --max-cpu <seconds>   refuse a file that takes more processor time than this for each MB of its JSON text, and as for
                        30 MB if it is smaller (default 10: five minutes for a small file)
  --strict              refuse a file at the first value that would be lost or has the wrong type
  --repair              read broken JSON that has one meaning, such as a comma after the last value, .85, 0125.50, NaN,
                        raw tabs in texts, or NUL after the end; the report counts it and says where (default: such
                        files are refused)
  --assume-version 2    read files that state a newer schema version as 2.x (default: they are refused)
  --help                print this

Where to:

  ${warehouseOptions}

Exit code: 0 everything is loaded; 1 nothing is; 2 wrong arguments; 3 some plans or files are left out, and the report
says why. Run the same command again for those: files that have not changed are not read again.
`

await runCommand(usage, async () => {
  const { values, positionals } = readOptions({
    allowPositionals: true,
    options: {
      ...texts('toc', 'files', 'payer', 'plan', 'assume-version', 'workers', 'on', 'codes', 'npis', 'networks'),
      ...texts('max-shrink', 'max-failed', 'max-skipped', 'max-cpu'),
      ...flags('add', 'partial', 'replace', 'allow-older', 'keep-missing', 'strict', 'repair', 'without-descriptions'),
      ...flags('create', 'dry-run'),
      ...fetchOptions,
      ...installationOptions,
    },
  })
  if (positionals.length === 0 && values.toc === undefined) {
    throw new UsageError('name at least one in-network file, or a table of contents with --toc')
  }
  if (values.add && values.replace) throw new UsageError('--add keeps files that --replace would drop: use one of them')
  if (values['keep-missing'] && values.toc === undefined) throw new UsageError('--keep-missing needs --toc')
  const limits = {
    maxShrink: readShare('--max-shrink', values['max-shrink']),
    maxFailed: readShare('--max-failed', values['max-failed']),
    maxSkipped: readShare('--max-skipped', values['max-skipped']),
    maxCpu: values['max-cpu'] === undefined ? undefined : readNumber('--max-cpu', values['max-cpu'], 1, mostCpu),
  }
  const awsStage = readAwsStage(values)
  if (values['dry-run'] && positionals.includes('-')) throw new UsageError('--dry-run cannot look into standard input')
  const sources = [values.toc, ...positionals].filter((path) => path !== undefined)
  if (awsStage !== undefined) refuseLocalSources(sources, values)
  const rules = { allowsPrivate: values['allow-private-addresses'] }
  requireSourceFiles([...sources, ...(values.files === undefined ? [] : [values.files])], rules)
  await using fetching = await openRemote(values, sources)
  const request: LoadRequest = {
    ...values,
    ...limits,
    files: positionals.map(fetching.name),
    toc: values.toc === undefined ? undefined : fetching.name(values.toc),
    fileMap: values.files,
    keepMissing: values['keep-missing'],
    allowOlder: values['allow-older'],
    assumeVersion: readVersion(values['assume-version']),
    withoutDescriptions: values['without-descriptions'],
    filter: await readLoadFilter(values),
  }
  const stopping = new AbortController()
  onStopSignal(() => {
    stopping.abort(new LoadCancelled('stopped; the previous content is still active'))
    // A read that waits for a silent pipe does not look at the signal.
    if (positionals.includes('-')) process.stdin.destroy()
  })
  const { remote } = fetching
  await using opened = await openChosenWarehouse(values)
  const aws = awsStage === undefined ? undefined : await openAws(awsStage)
  const processors = String(availableParallelism())
  const workers =
    aws === undefined
      ? readNumber('--workers', values.workers ?? processors, 1, maxWorkers)
      : aws.readAwsWorkers(values.workers, aws.loads)
  const deps = { ...opened, signal: stopping.signal, repeat: repeatByClock, workers, ...(remote && { remote }) }
  const load = async (): Promise<Answer> => {
    if (values['dry-run']) return foresee(request, deps, aws)
    if (aws === undefined) return loadHere(request, deps)
    if (request.filter !== undefined) await opened.contents.putFilter(request.filter)
    const order = orderLoad({ ...request, ...fetching.settings, toc: values.toc, files: positionals })
    return aws.runOnAws(order, workers, { ...opened, loads: aws.loads })
  }
  printAnswer(await load(), opened.installation, values.json)
})

/** Opens the loads of a stage. Loads on this machine need not load the clients of AWS that they use. */
async function openAws(stage: string) {
  const [{ requireAwsLoads }, { readAwsWorkers, runOnAws }, { describeOnAws }] = await Promise.all([
    import('./aws-loads/open-aws-loads.ts'),
    import('./aws-loads/load-commands.ts'),
    import('./aws-loads/describe-quotas.ts'),
  ])
  return { loads: await requireAwsLoads(stage), readAwsWorkers, runOnAws, describeOnAws }
}

type Aws = Awaited<ReturnType<typeof openAws>>

type Deps = Omit<LoadDeps, 'machine'> & { readonly workers: number; readonly signal: AbortSignal }

async function loadHere(request: LoadRequest, deps: Deps): Promise<Answer> {
  using progress = openProgress()
  const onProgress = showLoadProgress(progress)
  const report = await loadFiles(request, { ...deps, machine: realMachine, onProgress }).catch((error: unknown) =>
    explainFailure(error, deps, progress),
  )
  if (report.leftOut.length > 0) process.exitCode = 3
  return { facts: { ...report }, text: describeReport(report).trimEnd(), wrote: true }
}

/** Finds out what a load would do, and on AWS what it would cost. */
async function foresee(request: LoadRequest, deps: Deps, aws: Aws | undefined): Promise<Answer> {
  using progress = openProgress()
  const onProgress = showLoadProgress(progress)
  const plan = await planLoad(request, { ...deps, onProgress }).catch((error: unknown) =>
    explainFailure(error, deps, progress),
  )
  if (plan.leftOut.length > 0) process.exitCode = 3
  if (plan.failure !== undefined) process.exitCode = 1
  const onAws = aws === undefined ? '' : `\n${await aws.describeOnAws(plan, deps.workers, aws.loads)}`
  return { facts: { ...plan }, text: `${describeDryRun(plan, deps.workers)}${onAws}`, wrote: false }
}

/** Shows what a load without any fee schedule has lost, and throws its error, or the stop that led to it. */
function explainFailure(error: unknown, { signal }: Deps, progress: Progress): never {
  // Ctrl-C also ends the process that feeds a pipe, so report the stop rather than the truncated file.
  signal.throwIfAborted()
  const lost = error instanceof NothingLoaded ? describeLost(error) : []
  // The error itself names the first.
  if (lost.length > 2) for (const line of lost) progress.say(line)
  throw error
}

/**
 * Reads the stage whose AWS Batch a load runs on.
 *
 * @returns undefined for a load in this process
 * @throws UsageError unless `--on` is absent, or `aws` with a stage
 */
function readAwsStage(values: { readonly on?: string | undefined; readonly stage?: string | undefined }) {
  const { on, stage } = values
  if (on === undefined) return undefined
  if (on !== 'aws') throw new UsageError(`--on can only be aws, not "${on}"`)
  if (stage === undefined) throw new UsageError('--on aws needs --stage: a deployed stage with loads')
  return stage
}

function readVersion(text: string | undefined): typeof knownMajor | undefined {
  if (text === undefined) return undefined
  if (text === String(knownMajor)) return knownMajor
  throw new UsageError(`--assume-version can only be ${knownMajor}, the newest that is known, not "${text}"`)
}

/** Reads a share: `1%`, `0.5 %` or `0.01`. The loader has defaults. */
function readShare(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const [, number, percent] = /^(\d+(?:\.\d+)?)\s*(%?)$/.exec(text) ?? []
  const share = Number(number) / (percent ? 100 : 1)
  if (share >= 0 && share <= 1) return share
  throw new UsageError(`${option} must be a share such as 1% or 0.01, not "${text}"`)
}
