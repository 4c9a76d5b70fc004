import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { createDynamoAccess } from '../adapters/dynamodb/dynamo-access.ts'
import { connectDynamo } from '../adapters/dynamodb/dynamo-client.ts'
import { commandRequests } from '../adapters/request-limits.ts'
import { UsageError } from '../client/command-line/command-errors.ts'
import { texts } from '../client/command-line/parse-options.ts'
import type { AccessAdmin } from '../core/access/ports.ts'
import { type KeyOptions, keyCommands } from './access/key-commands.ts'
import { organizationCommands } from './access/organization-commands.ts'
import { type OwnedStores, removeOrganizationFrom } from './access/remove-organization.ts'
import { openTables } from './access/tables.ts'
import type { Installation } from './command/installation.ts'
import { defaultDataFolder } from './command/local-access.ts'
import { installationOptions, readCommand } from './command/options.ts'
import { type Answer, jsonOption, printAnswer } from './command/output.ts'
import { runCommand } from './command/run-command.ts'
import { requireOutput } from './stacks/deployment.ts'

const usage = `
Manages the organizations and API keys of a service.

Usage: npm run keys -- <command> [--data <folder> | --stage <name> | --table <name>] [--json]

  create-organization <name>           creates an organization and prints its id
  create <organization id> [<label>]   creates a key and prints it; it cannot be shown again
  list [<organization id>]             lists organizations, or the keys of one
  limit <organization id> <key id>     sets limits of a key with --allow and --bytes-per-day
  rotate <organization id> <key id>    creates a successor of a key and prints it; the old key works until --ends
  revoke <organization id> <key id>    refuses a key from the next request; cannot be undone
  deactivate <organization id>         refuses all keys of an organization, until activate
  activate <organization id>           accepts its keys again
  set-limits <organization id>         sets its limits with --searches and --per-minute
  remove-organization <organization id> --yes
                                       deletes it with its keys, searches and results; cannot be undone

  --allow <permission>
                   with create and limit, what the key may do: "everything" (default); "summaries", to read, estimate and
                   create searches with a summary; or "reading", to read and estimate
  --bytes-per-day <n>
                   with create and limit, the bytes that searches of the key may read on a day (UTC) by their estimates,
                   such as 10GB, or "unlimited" (default)
  --ends <time>    end of a rotated key: 30m, 24h or 7d from now, or a time with its offset (default 24h)
  --searches <n>   maximum number of searches that have not ended, or "default"
  --per-minute <n> maximum number of searches created per minute, and of estimates, or "default"
  --data <folder>  the data folder of the local service, running or not (default ${defaultDataFolder})
  --stage <name>   a deployed stage; account, region and endpoint come from the AWS SDK's settings
  --table <name>   the access table of a deployed service by name (stack output AccessTable)
  ${jsonOption}
  --help           print this
`

type Command = (
  access: AccessAdmin,
  args: readonly string[],
  options: KeyOptions & { readonly yes: boolean },
  ownedStores: OwnedStores | undefined,
) => Promise<Answer>

const commands: Readonly<Record<string, Command>> = {
  ...organizationCommands,
  ...keyCommands,
  'remove-organization': (_, args, { yes }, ownedStores) => removeOrganizationFrom(ownedStores, args, yes),
}

await runCommand(usage, async () => {
  const { values, command, name, args } = readCommand(commands, {
    ...texts('allow', 'bytes-per-day', 'ends', 'searches', 'per-minute', 'table'),
    ...installationOptions,
    yes: { type: 'boolean', default: false },
  })
  const {
    allow,
    'bytes-per-day': bytesPerDay,
    ends,
    searches,
    'per-minute': perMinute,
    data,
    stage,
    table,
    json,
    yes,
  } = values
  if (ends !== undefined && name !== 'rotate') throw new UsageError(`--ends belongs to rotate, not to ${name}`)
  if ((allow ?? bytesPerDay) !== undefined && name !== 'create' && name !== 'limit')
    throw new UsageError(`--allow and --bytes-per-day belong to create and limit, not to ${name}`)
  if ((searches ?? perMinute) !== undefined && name !== 'set-limits')
    throw new UsageError(`--searches and --per-minute belong to set-limits, not to ${name}`)
  if (yes && name !== 'remove-organization')
    throw new UsageError(`--yes belongs to remove-organization, not to ${name}`)
  if ([data, stage, table].filter((installation) => installation !== undefined).length > 1)
    throw new UsageError('--data, --stage and --table exclude one another')
  const run = async (accessTable: string, installation: Installation, ownedStores?: OwnedStores) => {
    const access = createDynamoAccess(connectDynamo(commandRequests), accessTable)
    printAnswer(
      await command(access, args, { allow, bytesPerDay, ends, searches, perMinute, yes }, ownedStores),
      installation,
      json,
    )
  }
  if (table !== undefined) return run(table, { accessTable: table })
  await using opened = await openTables({ stage, data })
  const { tables, installation, outputs } = opened
  const listBuckets = () =>
    outputs ? [requireOutput(outputs, 'ResultsBucket')] : readdirSync(join(data ?? defaultDataFolder, 's3'))
  await run(tables.Access, installation, { tables, listBuckets })
})
