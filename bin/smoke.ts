import { writeFileSync } from 'node:fs'
import { CommandFailed, UsageError } from '../client/command-line/command-errors.ts'
import { flags, readNumber, readOptions, texts } from '../client/command-line/parse-options.ts'
import { countOf } from '../schema/phrases.ts'
import { describeFault } from './command/errors.ts'
import { defaultDataFolder } from './command/local-access.ts'
import { installationOptions } from './command/options.ts'
import { jsonOption, printAnswer } from './command/output.ts'
import { onStopSignal, runCommand } from './command/run-command.ts'
import { Checks, describeCheck } from './smoke/checks.ts'
import { explainSearch } from './smoke/explain-search.ts'
import { measureSearches } from './smoke/measure-searches.ts'
import { writeMeasuredPage } from './smoke/measured-page.ts'
import { openLocal, openStage, type Target } from './smoke/open-target.ts'
import {
  endSearch,
  type StartedSearch,
  type Trial,
  tryHealth,
  tryKey,
  tryLists,
  tryRows,
  trySearch,
  trySignatures,
} from './smoke/run-trial.ts'
import { removeAbandoned, removeTrialOrganization } from './smoke/trial-organization.ts'
import { loadSamples, removeSamples } from './smoke/trial-samples.ts'
import { chooseSearch } from './smoke/trial-search.ts'
import { tryAlarm } from './smoke/try-alarm.ts'

const usage = `
Tries a service from outside: creates an organization and a key, searches some providers and codes of the smallest
loaded plan, compares the rows with those in the files of the plan, checks that storage refuses URLs that were changed or have
expired, and removes what it made, also after a failure or Ctrl-C. If nothing is loaded, it loads the samples first, and
removes them. Nothing about the trial is announced to subscribers or webhooks.

Usage: npm run smoke -- [--stage <name> | --data <folder>] [--code <code>] [--alarm] [--measure <file>] [--timeout <seconds>]
                        [--json]

  --stage <name>       a deployed stage; account, region and endpoint come from the AWS SDK's settings
  --data <folder>      the data folder of the service that runs on this machine (default ${defaultDataFolder}); with --stage,
                       where files are made before they are uploaded
  --code <code>        search this code in the first listed plan, and only see that there are rows: for a warehouse of
                       your own, or plans too large to compare
  --alarm              also set the alarm SearchesFail off, and see that CloudWatch notifies somebody
  --measure <file>     also run a search of each class, and write a page with the bytes that Athena read, its EXPLAIN, and the
                       commands that count the requests to Glue and S3
  --timeout <seconds>  longest time for the search (default 600)
  ${jsonOption}
  --help               print this

Exit code: 0 everything works; 1 something does not, and its line says what; 2 wrong arguments.
`

/** The remains of a trial that must be removed. */
interface Remains {
  orgId?: string
  search?: StartedSearch
  /** Removes the samples. */
  readonly loads: (() => Promise<string>)[]
}

await runCommand(usage, async () => {
  const { values } = readOptions({
    options: { ...texts('code', 'measure', 'timeout'), ...flags('alarm'), ...installationOptions },
  })
  const { stage, data = defaultDataFolder, code, json } = values
  const timeout = readNumber('--timeout', values.timeout ?? '600', 1, 86_400)
  if (values.alarm && stage === undefined) throw new UsageError('--alarm needs --stage: one machine has no alarms')
  if (values.measure !== undefined && (stage === undefined || code !== undefined))
    throw new UsageError('--measure needs --stage, and chooses its codes itself')
  const target = stage === undefined ? openLocal(data) : await openStage(stage, data)
  const stopping = new AbortController()
  onStopSignal(() => stopping.abort(new CommandFailed('stopped')))
  const { signal } = stopping
  const checks = new Checks((check) => {
    if (!json) process.stdout.write(`${describeCheck(check)}\n`)
  })
  const remains: Remains = { loads: [] }
  try {
    await runChecks(checks, target, remains, { code, timeout, signal, measure: values.measure })
    if (values.alarm) await runAlarm(checks, target, signal)
  } finally {
    await removeRemains(checks, target, remains)
  }
  const failed = checks.outcomes.filter(({ state }) => state === 'failed')
  const works = failed.length === 0 && !signal.aborted
  const text = works ? 'everything works' : 'not everything works'
  printAnswer({ facts: { works, checks: checks.outcomes }, text, wrote: false }, target.installation, json)
  if (!works) process.exitCode = 1
})

interface RunOptions {
  readonly code: string | undefined
  readonly timeout: number
  readonly signal: AbortSignal
  /** Path of the page to write. */
  readonly measure: string | undefined
}

async function runChecks(checks: Checks, target: Target, remains: Remains, options: RunOptions): Promise<void> {
  const { signal } = options
  if (!(await tryHealth(checks, target, signal))) return
  const client = await tryKey(checks, target, signal, ({ orgId }) => {
    remains.orgId = orgId
  })
  if (client === undefined) return
  const trial = await checks.run('plan', () => prepareTrial(target, remains, options, client))
  if (trial === undefined) return
  const explain = async (jobId: string) =>
    remains.orgId === undefined ? '' : explainSearch(target, { orgId: remains.orgId, jobId })
  const session = { checks, client, signal, explain }
  const search = await trySearch(session, trial, options.timeout, (started) => {
    remains.search = started
  })
  if (search === undefined) return
  await tryLists(checks, target)
  await tryRows(session, trial, search.job_id)
  await trySignatures(session, search, target.isEmulated)
  const { measure } = options
  if (measure === undefined || checks.haveFailed || trial.expected === undefined) return
  await checks.run('measure', async () => {
    const { measured } = target
    if (measured === undefined) throw new CommandFailed('only searches of the service’s own warehouse can be measured')
    const searches = await measureSearches(session, trial, measured, (started) => {
      remains.search = started
    })
    const { feeSchedule, files } = trial
    const plan = `${feeSchedule.payer} / ${feeSchedule.plan}`
    writeFileSync(measure, writeMeasuredPage({ ...measured, plan, files, at: new Date(), searches }))
    return { value: undefined, detail: `wrote ${measure} about ${countOf(searches.length, 'search', 'searches')}` }
  })
}

/** Chooses the search, after loading the samples if nothing is loaded. */
async function prepareTrial(
  target: Target,
  remains: Remains,
  { code, signal }: RunOptions,
  client: StartedSearch['client'],
): Promise<{ readonly value: Trial; readonly detail: string }> {
  if (code !== undefined) {
    for await (const { payer, plan } of client.feeSchedules({ pageSize: 1 }, { signal }))
      return {
        value: { request: { billing_codes: [code], fee_schedules: [{ payer, plan }] } },
        detail: `${payer} / ${plan}`,
      }
    throw new CommandFailed('no plan is loaded: leave --code out to try the samples')
  }
  const opened = await target.openWarehouse()
  const loaded = await chooseSearch(opened)
  if (loaded !== undefined)
    return { value: loaded, detail: `${loaded.feeSchedule.payer} / ${loaded.feeSchedule.plan}, the smallest loaded` }
  const ids: string[] = []
  remains.loads.push(async () => `${countOf(await removeSamples(opened, ids), 'plan')} of the samples`)
  const plans = await loadSamples(opened, ids, signal)
  const sample = await chooseSearch(opened)
  if (sample === undefined) throw new CommandFailed('the samples were loaded, but the catalogue is empty')
  const { payer, plan } = sample.feeSchedule
  return {
    value: sample,
    detail: `nothing was loaded: loaded ${countOf(plans, 'plan')} of the samples; ${payer} / ${plan}`,
  }
}

async function runAlarm(checks: Checks, { alarm }: Target, signal: AbortSignal): Promise<void> {
  if (alarm === undefined) checks.skip('alarm', 'the stage has no alarms')
  else await checks.run('alarm', async () => ({ value: undefined, detail: await tryAlarm(alarm, new Date(), signal) }))
}

/** Removes everything that the trial has made, whatever failed before. */
async function removeRemains(checks: Checks, target: Target, { orgId, search, loads }: Remains): Promise<void> {
  const steps: readonly (() => Promise<string>)[] = [
    async () => `${countOf(await removeAbandoned(target, new Date()), 'organization')} of killed trials`,
    ...loads,
    async () => {
      // A stage that cannot cancel the search can still lose its organization once the search has ended.
      if (search !== undefined) await endSearch(search).catch(() => {})
      if (orgId === undefined) return 'no organization'
      await removeTrialOrganization(target, orgId)
      return `the organization ${orgId}`
    },
  ]
  const removed: string[] = []
  await checks.run('removal', async () => {
    const faults: string[] = []
    for (const step of steps)
      await step().then(
        (part) => removed.push(part),
        (error: unknown) => faults.push(describeFault(error)),
      )
    if (faults.length > 0) throw new CommandFailed(faults.join('; '))
    return { value: undefined, detail: `removed ${removed.join(', ')}` }
  })
}
