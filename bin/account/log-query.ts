import { setTimeout as sleep } from 'node:timers/promises'
import type { StackResource } from '../../adapters/cloudformation/cfn-stack-resources.ts'
import {
  type LogQueries,
  type LogQuery,
  type LogQueryState,
  type LogRow,
  maxLogGroups,
} from '../../adapters/cloudwatch/cloudwatch-log-queries.ts'
import { CommandFailed, UsageError } from '../../client/command-line/command-errors.ts'
import { at } from '../../schema/at.ts'
import { functionNames } from '../../schema/function-names.ts'

/** Conditions for lines of a log; a line must meet all of them. */
export interface LogFilter {
  readonly job?: string | undefined
  readonly request?: string | undefined
  readonly load?: string | undefined
  /** The `event` of lines, such as `query failed`. */
  readonly event?: string | undefined
  /** A condition of Logs Insights, such as `event = "query failed"`. */
  readonly filter?: string | undefined
}

const idFields = { job: 'job_id', request: 'request_id', load: 'load_id' } as const

/**
 * Writes the statement of Logs Insights that returns the newest lines first.
 *
 * @throws UsageError if an id cannot be one
 */
export function writeLogStatement(lines: LogFilter, limit: number): string {
  const ids = (['job', 'request', 'load'] as const).flatMap((option) => {
    const id = lines[option]
    if (id === undefined) return []
    if (!/^[\w-]{1,128}$/.test(id))
      throw new UsageError(`--${option} must be an id of letters, digits, _ and -, not "${id}"`)
    return [`| filter ${idFields[option]} = "${id}"`]
  })
  if (lines.event !== undefined && !/^[\w ,.-]{1,128}$/.test(lines.event))
    throw new UsageError(`--event must be the name of an event, such as "query failed", not "${lines.event}"`)
  const conditions = [
    ...ids,
    ...(lines.event === undefined ? [] : [`| filter event = "${lines.event}"`]),
    ...(lines.filter === undefined ? [] : [`| filter ${lines.filter}`]),
  ]
  return ['fields @timestamp, @log, @message', ...conditions, '| sort @timestamp desc', `| limit ${limit}`].join(' ')
}

/** A log group, and what writes to it. */
export interface StageLog {
  readonly name: string
  readonly group: string
}

/** Logs that belong to no function: their construct and their name. */
const otherLogs = [
  [/^ApiAccessLog/, 'access'],
  [/^LoadsWorkflow/, 'loads-workflow'],
  [/^Loads/, 'loads'],
  [/^Workflow/, 'workflow'],
] as const

/** Lists the logs of a stage among the resources of its stack: exactly its own, whatever other stages are called. */
export function listStageLogs(resources: readonly StackResource[]): readonly StageLog[] {
  const nameOf = (logicalId: string) =>
    functionNames.find((name) => new RegExp(`^${name.replaceAll('-', '')}Logs[0-9a-f]{8}$`, 'i').test(logicalId)) ??
    otherLogs.find(([construct]) => construct.test(logicalId))?.[1] ??
    logicalId
  return resources
    .filter(({ type }) => type === 'AWS::Logs::LogGroup')
    .map(({ logicalId, physicalId }) => ({ name: nameOf(logicalId), group: physicalId }))
}

/**
 * Chooses the logs to search.
 *
 * @param names functions, or other logs; all if there are none
 * @throws UsageError if a log does not exist; CommandFailed if there are more than a query can name
 */
export function chooseLogs(logs: readonly StageLog[], names: readonly string[]): readonly StageLog[] {
  const unknown = names.find((name) => !logs.some((log) => log.name === name))
  if (unknown !== undefined) {
    const all = logs.map(({ name }) => name).sort()
    throw new UsageError(`the stage has no log of a function "${unknown}": it has ${all.join(', ')}`)
  }
  const chosen = names.length === 0 ? logs : logs.filter(({ name }) => names.includes(name))
  if (chosen.length === 0) throw new CommandFailed('the stack of the stage has no logs: is it still being deployed?')
  if (chosen.length > maxLogGroups)
    throw new CommandFailed(
      `the stage has ${chosen.length} logs, and a query takes ${maxLogGroups}: name some with --function`,
    )
  return chosen
}

/** A line of a log. */
export interface LogLine {
  readonly time: string
  readonly log: string
  readonly message: string
}

/** Names the log of a row by what writes to it; `@log` is the account and the group. */
export function readLogLine(row: LogRow, logs: readonly StageLog[]): LogLine {
  const group = (row['@log'] ?? '').replace(/^\d+:/, '')
  return {
    time: row['@timestamp'] ?? '',
    log: logs.find((log) => log.group === group)?.name ?? group,
    message: (row['@message'] ?? '').trimEnd(),
  }
}

export interface Watching {
  /** Ends the query. */
  readonly signal: AbortSignal
  /** Waits, at most until the signal. */
  readonly wait?: (milliseconds: number, signal: AbortSignal) => Promise<void>
}

/** Pauses between looks at a query, in milliseconds; the last is repeated. */
const pauses = [300, 500, 1000, 2000]

/**
 * Runs a query until it has ended. A query that is not waited for is stopped, because it is billed by what it reads.
 *
 * @throws CommandFailed if it failed, was cancelled or took too long, or the signal ended it
 */
export async function runLogQuery(
  queries: LogQueries,
  query: LogQuery,
  { signal, wait = waitAtMost }: Watching,
): Promise<LogQueryState> {
  const queryId = await queries.start(query)
  for (let looks = 0; ; looks++) {
    if (signal.aborted) {
      await queries.stop(queryId)
      throw new CommandFailed('stopped, and the query with it')
    }
    const state = await queries.read(queryId)
    if (state.status === 'Complete') return state
    if (state.status !== 'Scheduled' && state.status !== 'Running')
      throw new CommandFailed(
        `the query of the logs ended as ${state.status}: run it again, over less time (--since) or fewer logs (--function)`,
      )
    await wait(at(pauses, Math.min(looks, pauses.length - 1)), signal)
  }
}

/** Pause between two queries while lines are followed, in milliseconds. */
const followPause = 5000

/** Lines are found up to this many milliseconds after they were written, and each query looks back as far. */
const indexingDelay = 180_000

/**
 * Yields the lines that appear in logs from now on, each once, in the order of their times, until the signal ends it.
 * Lines reach Logs Insights late and not in order, so each query looks back over the last minutes; it reads little.
 */
export async function* followLogs(
  queries: LogQueries,
  query: Omit<LogQuery, 'from' | 'to'>,
  { from, now, signal, wait = waitAtMost }: Watching & { readonly from: Date; readonly now: () => Date },
): AsyncGenerator<readonly LogRow[], void> {
  const seenAt = new Map<string, number>()
  while (!signal.aborted) {
    const to = now()
    const start = new Date(Math.max(from.getTime(), to.getTime() - indexingDelay))
    const { rows } = await runLogQuery(queries, { ...query, from: start, to }, { signal, wait })
    const fresh = rows.filter((row) => !seenAt.has(identifyRow(row))).reverse()
    for (const row of fresh) seenAt.set(identifyRow(row), to.getTime())
    for (const [row, time] of seenAt) if (to.getTime() - time > 2 * indexingDelay) seenAt.delete(row)
    if (fresh.length > 0) yield fresh
    await wait(followPause, signal)
  }
}

/** Logs Insights names each line by `@ptr`. Source: CloudWatch Logs API, GetQueryResults. */
const identifyRow = (row: LogRow) => row['@ptr'] ?? JSON.stringify(row)

const waitAtMost = (milliseconds: number, signal: AbortSignal) =>
  sleep(milliseconds, undefined, { signal }).catch((error: unknown) => {
    if (!signal.aborted) throw error
  })
