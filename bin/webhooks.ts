import { createDynamoAccess } from '../adapters/dynamodb/dynamo-access.ts'
import { connectDynamo } from '../adapters/dynamodb/dynamo-client.ts'
import { createDynamoWebhooks } from '../adapters/dynamodb/dynamo-webhooks.ts'
import { createWebhookCalls } from '../adapters/network/webhook-calls.ts'
import { commandRequests } from '../adapters/request-limits.ts'
import { CommandFailed, UsageError } from '../client/command-line/command-errors.ts'
import { texts } from '../client/command-line/parse-options.ts'
import { webhookEvents } from '../schema/events.ts'
import { type LostEventDeps, openStageEvents } from './access/lost-event-commands.ts'
import { openTables } from './access/tables.ts'
import { webhookCommands } from './access/webhook-commands.ts'
import { defaultDataFolder } from './command/local-access.ts'
import { installationOptions, readCommand } from './command/options.ts'
import { jsonOption, printAnswer } from './command/output.ts'
import { onStopSignal, runCommand } from './command/run-command.ts'

const usage = `
Manages the webhooks of organizations: addresses that are called when something happens (docs/webhooks.md).

Usage: npm run webhooks -- <command> [--data <folder> | --stage <name>] [--json]

  create <organization id> <url>             adds a webhook; prints its id and its secret, which cannot be shown again
  list <organization id>                     its webhooks, and why one fails or is disabled
  test <organization id> <webhook id>        calls it once from here, with the event webhook.test
  rotate <organization id> <webhook id>      makes a new secret; the former one is valid until --ends
  disable <organization id> <webhook id>     stops calling it; later events are not queued
  enable <organization id> <webhook id>      calls it again
  remove <organization id> <webhook id>      deletes it, with its queued events
  failed [<organization id>]                 lists calls that the service gave up in the last 30 days
  resend <organization id> <webhook id> [<event id>]
                                             repeats failed calls, all or one
  lost             lists events that no function has handled, so that webhooks were not called; only with --stage
  redrive          hands the lost events to their functions again, and deletes those that were handled; can be repeated.
                   Exit code 1 if some failed again

  --events <list>  events for which create adds the webhook: ${webhookEvents.join(',')} (default both)
  --ends <time>    when the former secret ends: 30m, 24h, 7d from now, or a time with its offset (default 24h)
  --data <folder>  the data folder of the local service, running or not (default ${defaultDataFolder})
  --stage <name>   a deployed stage; account, region and endpoint come from the AWS SDK's settings
  ${jsonOption}
  --help           print this
`

await runCommand(usage, async () => {
  const options = { ...texts('events', 'ends'), ...installationOptions }
  const { values, command, name, args } = readCommand(webhookCommands, options)
  const { events, ends, data, stage, json } = values
  if (ends !== undefined && name !== 'rotate') throw new UsageError(`--ends belongs to rotate, not to ${name}`)
  if (events !== undefined && name !== 'create') throw new UsageError(`--events belongs to create, not to ${name}`)
  await using opened = await openTables({ stage, data })
  const { tables, installation, outputs } = opened
  const dynamo = connectDynamo(commandRequests)
  // Only a service on this machine can call it there.
  const isHere = /^http:\/\/(localhost|127\.0\.0\.1)[:/]/.test(outputs?.['PublicBaseUrl'] ?? 'http://localhost/')
  const rules = { allowsPrivate: false, allowsOwn: isHere }
  const deps = {
    access: createDynamoAccess(dynamo, tables.Access),
    webhooks: createDynamoWebhooks(dynamo, tables.Webhooks),
    call: createWebhookCalls(rules),
    rules,
    openLostEvents: () => openLostEvents(stage),
  }
  printAnswer(await command(deps, args, { events, ends: ends ?? '24h' }), installation, json)
})

async function openLostEvents(stage: string | undefined): Promise<LostEventDeps> {
  if (stage === undefined)
    throw new CommandFailed(
      'only a deployed stage has lost events: name it with --stage; on this machine events are repeated for a day',
    )
  const stopping = new AbortController()
  onStopSignal(() => stopping.abort())
  const write = (line: string) => process.stderr.write(`${line}\n`)
  return { ...(await openStageEvents(stage)), signal: stopping.signal, write }
}
