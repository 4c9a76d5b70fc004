import { join, resolve } from 'node:path'
import type { DeployedStack } from '../adapters/cloudformation/cfn-deployed-stacks.ts'
import { listStackResources } from '../adapters/cloudformation/cfn-stack-resources.ts'
import { watchStage } from '../adapters/cloudwatch/cloudwatch-watch.ts'
import { connectDynamo } from '../adapters/dynamodb/dynamo-client.ts'
import { createDynamoUnendedJobs } from '../adapters/dynamodb/jobs/dynamo-unended-jobs.ts'
import { commandRequests } from '../adapters/request-limits.ts'
import { CommandFailed, UsageError } from '../client/command-line/command-errors.ts'
import { readOptions, texts } from '../client/command-line/parse-options.ts'
import { formatTimestamp } from '../core/time.ts'
import { runbooksPage } from '../lib/operations/alarm-facts.ts'
import { countOf } from '../schema/phrases.ts'
import type { OfTables } from '../schema/tables.ts'
import { openTables } from './access/tables.ts'
import { describeResources } from './account/describe-resources.ts'
import { describeTimers } from './account/describe-timers.ts'
import { listExecutions, showExecution } from './account/executions.ts'
import { describeState } from './aws-loads/describe-load.ts'
import { repeatInstallation } from './command/cli-arguments.ts'
import { describeFault } from './command/errors.ts'
import type { Installation } from './command/installation.ts'
import { defaultDataFolder } from './command/local-access.ts'
import { installationOptions } from './command/options.ts'
import { jsonOption, printAnswer } from './command/output.ts'
import { runCommand } from './command/run-command.ts'
import { findStacks, guessStageOption, type Outputs, readOutputs, readStageName } from './stacks/deployment.ts'
import { describeStack, judgeStack, listNextCommands } from './stacks/stack-states.ts'
import { connectCatalogue } from './warehouse/connect-catalogue.ts'

/** Maximum number of unended searches, and of fee schedules, that are read. */
const maxRead = 1000

const usage = `
Shows the state of a service and where to look next. Facts that you may not read are "unknown". Exits with 3 if something
is wrong: a stack of the stage is not deployed completely, a resource of it is gone or off, an alarm fires, or a rule is
disabled. The state of a stack that is not complete comes first, with the commands that are safe to run next.

Usage: npm run status -- [--stage <name> | --data <folder>] [--json]
       npm run status -- --stage <name> (--executions running|broken | --execution <name>) [--json]

  --stage <name>   a deployed stage; account, region and endpoint come from the AWS SDK's settings
  --data <folder>  the data folder of the local service, running or not (default ${defaultDataFolder})
  --executions <state>
                   list the executions of searches and loads on AWS that run, or that failed, timed out or were aborted
  --execution <name>
                   show the last events of an execution, with their errors and outputs; that of a search is named
                   <job id>-<run>
  ${jsonOption}
  --help           print this

Reads alarms and the metrics of a day (cloudwatch:DescribeAlarms, GetMetricData), the outputs of the stacks
(cloudformation:DescribeStacks), resources and rules (cloudformation:ListStackResources and a call for each, such as
states:DescribeStateMachine and events:DescribeRule), the searches that have not ended (dynamodb:Query), the loads, and the first ${maxRead}
fee schedules (dynamodb:Scan).
`

/** Lines about a part of a service that is wrong. */
interface Fault {
  readonly isWrong: boolean
  readonly lines: string | readonly string[]
}

type Description = string | readonly string[] | Fault

/** Descriptions of the parts of a service, by their names: one line or several. */
type Lines = Readonly<Record<string, () => Promise<Description> | Description>>

await runCommand(usage, async () => {
  const { values } = readOptions({ options: { ...texts('executions', 'execution'), ...installationOptions } })
  const { stage, data, json, executions, execution } = values
  if (executions !== undefined || execution !== undefined) {
    if (stage === undefined || (executions !== undefined && execution !== undefined))
      throw new UsageError('--executions and --execution need --stage, and exclude one another')
    const outputs = await readOutputs(readStageName(stage))
    const answer =
      execution === undefined ? listExecutions(outputs, executions ?? '') : showExecution(outputs, execution)
    printAnswer(await answer, { stage }, json)
    return
  }
  const stacks = stage === undefined || data !== undefined ? [] : await findStacks(readStageName(stage))
  const service = stacks.find(({ name }) => name === `SearchService-${stage}`)
  const stackLines = stage === undefined ? {} : listStackLines(stacks, stage)
  const isComplete = stacks.every((stack) => judgeStack(stack).condition === 'complete')
  if (stage !== undefined && stacks.length > 0 && (service === undefined || !judgeStack(service).isInService)) {
    await print(stackLines, { stage }, json)
    process.exitCode = 3
    return
  }
  await using opened = await openTables({ stage, data })
  const { tables, installation, outputs } = opened
  const lines = listTableLines(tables)
  const logs = () => resolve(join(data ?? defaultDataFolder, 'logs'))
  const all = outputs && stage ? { ...stackLines, ...listStageLines(stage, outputs, lines) } : { ...lines, logs }
  await print(all, installation, json)
  if (!isComplete) process.exitCode = 3
})

/** Prints the lines. Exits with 3 if one of them is about something that is wrong. */
async function print(lines: Lines, installation: Installation, json: boolean): Promise<void> {
  const facts = await Promise.all(
    Object.entries(lines).map(async ([name, describe]) => {
      try {
        const description = await describe()
        const { lines: line, isWrong } = isFault(description) ? description : { lines: description, isWrong: false }
        if (isWrong) process.exitCode = 3
        return [name, typeof line === 'string' ? repeatInstallation(line) : line] as const
      } catch (error) {
        return [name, `unknown: ${describeFault(error)}`] as const
      }
    }),
  )
  const text = facts.map(([name, line]) => name.padEnd(14) + [line].flat().join(`\n${' '.repeat(14)}`)).join('\n')
  const lineFacts = Object.fromEntries(facts.map(([name, line]) => [name.replaceAll(' ', '_'), line]))
  printAnswer({ facts: lineFacts, text, wrote: false }, installation, json)
}

function isFault(description: Description): description is Fault {
  return typeof description === 'object' && 'isWrong' in description
}

/** Lists the states of a stage's stacks, and the next commands for stacks that are not complete. */
function listStackLines(stacks: readonly DeployedStack[], stage: string): Lines {
  const option = guessStageOption(stage)
  const next = stacks.flatMap((stack) => listNextCommands(stack, option))
  const missing = stacks.some(({ name }) => name === `SearchService-${stage}`)
    ? []
    : [`SearchService-${stage} does not exist yet`]
  const deploy = { purpose: 'deploy it', command: `npm run deploy -- ${option}` }
  const commands = next.length === 0 && missing.length > 0 ? [deploy] : next
  return {
    stacks: () => [...stacks.map(describeStackLine), ...missing],
    ...(commands.length > 0 && { next: () => commands.map(({ purpose, command }) => `${purpose}: ${command}`) }),
  }
}

function describeStackLine(stack: DeployedStack): string {
  return stack.reason === undefined ? describeStack(stack) : `${describeStack(stack)} (${stack.reason})`
}

function listStageLines(stage: string, outputs: Outputs, tableLines: Lines): Lines {
  const { DashboardName, Version, Commit, StageFile } = outputs
  const watch = watchStage(stage)
  const now = new Date()
  const stack = `SearchService-${stage}`
  const resources = listStackResources(stack)
  // Each line that needs them says what is wrong.
  resources.catch(() => undefined)
  return {
    version: () => {
      if (Version === undefined) return 'unknown: deployed by a version that did not note it'
      return `${Version}${Commit === undefined ? '' : `, commit ${Commit}`}, with ${StageFile}`
    },
    alarms: async () => {
      const alarms = await watch.listAlarms()
      const firing = alarms.filter(({ isFiring }) => isFiring)
      const shown = firing.map(({ name, since }) => `${name}${since ? ` since ${formatTimestamp(since)}` : ''}`)
      const look = [...new Set(firing.map(({ name }) => `${runbooksPage}#${name.toLowerCase()}`))]
      if (alarms.length === 0)
        return DashboardName === undefined
          ? 'none: the setting alarms is false'
          : 'the stage has no alarms: deploy it again'
      if (shown.length === 0) return `none of ${alarms.length} fires`
      return { lines: `${shown.join(', ')}: see ${look.join(', ')}`, isWrong: true }
    },
    resources: async () => describeResources(stack, await resources),
    timers: async () => describeTimers(stack, await resources),
    'ended today': async () => {
      const ends = Object.entries(await watch.countEnds(new Date(now.getTime() - 86_400_000), now))
      return ends.map(([word, count]) => `${count} ${word}`).join(', ') || 'no search'
    },
    ...tableLines,
    ...(DashboardName !== undefined && {
      dashboard: () => `${findConsole(outputs)}#dashboards/dashboard/${DashboardName}`,
    }),
    logs: () => `saved queries in the folder ${stage} of ${findConsole(outputs)}#logsV2:logs-insights`,
  }
}

/** Returns the address of CloudWatch's console in the region of a stage. */
function findConsole({ SearchesStateMachine }: Outputs): string {
  const region = SearchesStateMachine?.split(':')[3]
  if (region === undefined) throw new CommandFailed('the stack has no output of its region')
  return `https://${region}.console.aws.amazon.com/cloudwatch/home?region=${region}`
}

function listTableLines(tables: OfTables<string>): Lines {
  const { catalogue, records } = connectCatalogue(tables)
  const unended = createDynamoUnendedJobs(connectDynamo(commandRequests), tables.Jobs)
  const now = Date.now()
  const age = (time: Date) => `${Math.round((now - time.getTime()) / 1000)} s`
  return {
    searches: async () => {
      const jobs = await unended.list(maxRead)
      const open = Object.entries(Object.groupBy(jobs, ({ status }) => status))
      const waiting = jobs.filter(({ status, runningSince }) => status === 'queued' && runningSince === undefined)
      const [oldest] = waiting.toSorted((a, b) => a.createdAt.getTime() - b.createdAt.getTime())
      const counts = open.map(([status, { length }]) => `${length} ${status}`).join(', ') || 'none waiting or running'
      return oldest === undefined ? counts : `${counts}; longest wait ${age(oldest.createdAt)} (${oldest.jobId})`
    },
    'last load': async () => {
      const [latest] = (await records.list()).toSorted((a, b) => b.startedAt.getTime() - a.startedAt.getTime())
      if (latest === undefined) return 'none'
      const leftOut = latest.counts?.leftOut ? `, ${countOf(latest.counts.leftOut, 'plan')} left out` : ''
      const startedAt = formatTimestamp(latest.startedAt)
      return `${describeState(latest)}${leftOut}, started ${startedAt}: npm run loads -- show ${latest.loadId}`
    },
    rates: async () => {
      const { items, next } = await catalogue.list({ limit: maxRead })
      const entries = items.flatMap(({ state, variantOf }) =>
        state.status === 'active' || state.status === 'relation'
          ? [{ ...state, isVariant: variantOf !== undefined }]
          : [],
      )
      const states = entries.filter(({ isVariant }) => !isVariant)
      const dates = states.flatMap(({ lastUpdatedOn }) => lastUpdatedOn ?? []).sort()
      const loaded = states.flatMap((state) => ('loadedAt' in state ? state.loadedAt : [])).sort()
      const names = `${next === undefined ? '' : 'more than '}${countOf(states.length, 'fee schedule')}`
      const partial = states.filter((state) => state.partial).length
      return [
        names,
        ...(dates.length === 0 ? [] : [`published ${dates[0]} to ${dates.at(-1)}`]),
        ...(loaded.length === 0 ? [] : [`last loaded ${loaded.at(-1)}`]),
        ...(partial === 0 ? [] : [`${partial} partial`]),
      ].join(', ')
    },
  }
}
