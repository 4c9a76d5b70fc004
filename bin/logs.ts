import { listStackResources } from '../adapters/cloudformation/cfn-stack-resources.ts'
import { createLogQueries, type LogRow } from '../adapters/cloudwatch/cloudwatch-log-queries.ts'
import { UsageError } from '../client/command-line/command-errors.ts'
import { readNumber, readOptions, texts } from '../client/command-line/parse-options.ts'
import { countOf } from '../schema/phrases.ts'
import {
  chooseLogs,
  followLogs,
  listStageLogs,
  readLogLine,
  runLogQuery,
  type StageLog,
  writeLogStatement,
} from './account/log-query.ts'
import { startHeartbeat } from './command/heartbeat.ts'
import { readMoment } from './command/moment.ts'
import { jsonOption, printAnswer, printFacts } from './command/output.ts'
import { onStopSignal, runCommand } from './command/run-command.ts'
import { readOutputs, readStageName } from './stacks/deployment.ts'

/** Maximum number of lines that Logs Insights returns. Source: CloudWatch Logs user guide, "CloudWatch Logs quotas". */
const maxLines = 10_000

const usage = `
Searches the logs of a deployed stage with CloudWatch Logs Insights, which bills what it reads ($0.005 a GB). Prints the
newest lines in order of time. Ctrl-C stops the query.

Usage: npm run logs -- --stage <name> [--job <id>] [--request <id>] [--load <id>] [--function <name>]… [--event <name>]
                       [--filter <condition>] [--since <time>] [--limit <n>] [--follow] [--json]

  --stage <name>        a deployed stage; account and region come from the AWS SDK's settings
  --job <id>            lines about a search
  --request <id>        lines about a request of a client, by the request_id of its answer
  --load <id>           lines of a load on AWS
  --function <name>     only the log of this function, such as start-query; can be repeated. Other logs are access, workflow,
                        loads and loads-workflow, if the stage has them
  --event <name>        lines of one event: --event "query failed"
  --filter <condition>  a condition of Logs Insights: --filter 'event = "query failed"'
  --since <time>        30m, 3h or 7d ago, or a time with its offset (default 3h)
  --limit <n>           maximum number of lines, up to ${maxLines} (default 50; with --follow, of each look)
  --follow              print lines as they appear, until Ctrl-C; Logs Insights has them after some seconds or minutes
  ${jsonOption}
  --help                print this

Lambda itself writes the lines without an id. The local service writes logs to files: npm run status -- --data <folder>
names their folder.
`

await runCommand(usage, async () => {
  const { values } = readOptions({
    options: {
      ...texts('stage', 'job', 'request', 'load', 'event', 'filter', 'since', 'limit'),
      follow: { type: 'boolean', default: false },
      function: { type: 'string', multiple: true, default: [] },
      json: { type: 'boolean', default: false },
    },
  })
  if (values.stage === undefined) throw new UsageError('name the stage whose logs to search with --stage')
  const stage = readStageName(values.stage)
  const limit = readNumber('--limit', values.limit ?? (values.follow ? String(maxLines) : '50'), 1, maxLines)
  const now = new Date()
  const since = values.since ?? (values.follow ? '1m' : '3h')
  const from = readMoment(since, now, 'back')
  if (from === undefined || from >= now)
    throw new UsageError(
      `--since must be minutes, hours or days back from now (30m, 3h, 7d) or a past time with its offset (2026-11-30T12:00:00Z), not "${since}"`,
    )
  const statement = writeLogStatement(values, limit)
  await readOutputs(stage)
  const logs = chooseLogs(listStageLogs(await listStackResources(`SearchService-${stage}`)), values.function)

  const stopping = new AbortController()
  onStopSignal(() => stopping.abort())
  const logGroups = logs.map(({ group }) => group)
  if (values.follow) {
    const following = followLogs(
      createLogQueries(),
      { logGroups, statement },
      { from, now: () => new Date(), signal: stopping.signal },
    )
    await printLines(following, logs, values.json, stopping.signal)
    return
  }
  const heartbeat = startHeartbeat(process.stderr, () => `searching ${countOf(logs.length, 'log')}`)
  const query = { logGroups, statement, from, to: now }
  const { rows, matches, bytesScanned } = await runLogQuery(createLogQueries(), query, { signal: stopping.signal })
  heartbeat.stop()

  const lines = rows.map((row) => readLogLine(row, logs)).reverse()
  const widest = Math.max(0, ...lines.map(({ log }) => log.length))
  const text = lines.map(({ time, log, message }) => `${time}  ${log.padEnd(widest)}  ${message}`).join('\n')
  if (matches !== undefined && matches > lines.length)
    process.stderr.write(
      `showing the newest ${lines.length} of ${matches} lines: raise --limit, or narrow the search with --filter\n`,
    )
  const facts = { lines, matches, bytesScanned, from }
  printAnswer({ facts, text: text || `no lines since ${since}`, wrote: false }, { stage }, values.json)
})

/** Prints lines as they appear, each as a line of text or of JSON. Ctrl-C ends it, and is no failure. */
async function printLines(
  blocks: AsyncIterable<readonly LogRow[]>,
  logs: readonly StageLog[],
  asJson: boolean,
  signal: AbortSignal,
): Promise<void> {
  try {
    for await (const rows of blocks)
      for (const row of rows) {
        const { time, log, message } = readLogLine(row, logs)
        if (asJson) printFacts({ time, log, message })
        else process.stdout.write(`${time}  ${log}  ${message}\n`)
      }
  } catch (error) {
    if (!signal.aborted) throw error
  }
}
