import { createDynamoAccess } from '../adapters/dynamodb/dynamo-access.ts'
import { connectDynamo } from '../adapters/dynamodb/dynamo-client.ts'
import type { Organization } from '../core/access/access.ts'
import { issueApiKey, issueOrganizationId } from '../core/access/api-key.ts'
import { formatTimestamp } from '../core/job/timestamp.ts'
import type { AccessAdmin } from '../core/ports.ts'
import { readOutputs, readStageName } from './command/deployment.ts'
import { CommandFailed, UsageError } from './command/errors.ts'
import { defaultDataFolder, withLocalService } from './command/local-service.ts'
import { readOptions } from './command/options.ts'
import type { Answer } from './command/output.ts'
import { jsonOption, printAnswer } from './command/output.ts'
import type { Place } from './command/place.ts'
import { runCommand } from './command/run-command.ts'
import { tableName } from './command/seed.ts'
import { formatTable } from './command/table.ts'

const usage = `
Manages the organizations and API keys of a service.

Usage: npm run keys -- <command> [--data <folder> | --stage <name> | --table <name>] [--json]

  create-organization <name>           creates an organization and prints its id
  create <organization id> [<label>]   creates a key and prints it; it cannot be shown again
  list [<organization id>]             lists organizations, or the keys of one
  revoke <organization id> <key id>    refuses a key from the next request on; it cannot be undone
  deactivate <organization id>         refuses all keys of an organization

  --data <folder>  the data folder of the local service, running or not (default ${defaultDataFolder})
  --stage <name>   a deployed stage; account, region and endpoint come from the AWS SDK's settings
  --table <name>   the access table of a deployed service by name (stack output AccessTable)
  ${jsonOption}
  --help           print this
`

type Command = (access: AccessAdmin, args: readonly string[]) => Promise<Answer>

const commands: Readonly<Record<string, Command>> = {
  'create-organization': async (access, [name, ...rest]) => {
    if (name === undefined || rest.length > 0) throw new UsageError('create-organization takes one name')
    const orgId = issueOrganizationId()
    await access.putOrganization({ orgId, name, active: true })
    return { facts: { orgId, name }, text: orgId, wrote: true }
  },

  create: async (access, [orgId, label = '', ...rest]) => {
    if (orgId === undefined || rest.length > 0) throw new UsageError('create takes an organization id and a label')
    const { active } = await findOrganization(access, orgId)
    if (!active) throw new CommandFailed(`organization ${orgId} is inactive: the service would refuse the key`)
    const { token, stored } = issueApiKey(orgId)
    await access.putKey(stored, label, new Date())
    return { facts: { orgId, keyId: stored.keyId, label, apiKey: token }, text: token, wrote: true }
  },

  list: async (access, [orgId, ...rest]) => {
    if (rest.length > 0) throw new UsageError('list takes one organization id, or none')
    return orgId === undefined ? listOrganizations(access) : listKeys(access, orgId)
  },

  revoke: async (access, [orgId, keyId, ...rest]) => {
    if (orgId === undefined || keyId === undefined || rest.length > 0)
      throw new UsageError('revoke takes an organization id and a key id')
    if (!(await access.revokeKey(orgId, keyId, new Date())))
      throw new CommandFailed(`organization ${orgId} has no key ${keyId}`)
    return { facts: { orgId, keyId, state: 'revoked' }, text: `revoked ${keyId}`, wrote: true }
  },

  deactivate: async (access, [orgId, ...rest]) => {
    if (orgId === undefined || rest.length > 0) throw new UsageError('deactivate takes one organization id')
    if (!(await access.deactivateOrganization(orgId))) throw new CommandFailed(`there is no organization ${orgId}`)
    return { facts: { orgId, state: 'inactive' }, text: `deactivated ${orgId}`, wrote: true }
  },
}

async function listOrganizations(access: AccessAdmin): Promise<Answer> {
  const { compare } = new Intl.Collator('en')
  const organizations = [...(await access.listOrganizations())]
    .sort((a, b) => compare(a.name, b.name) || compare(a.orgId, b.orgId))
    .map(({ orgId, name, active }) => ({ orgId, name, state: active ? 'active' : 'inactive' }))
  const rows = organizations.map(({ orgId, ...rest }) => ({ 'organization id': orgId, ...rest }))
  const text = rows.length === 0 ? 'no organizations' : formatTable(['organization id', 'state', 'name'], rows)
  return { facts: { organizations }, text, wrote: false }
}

async function listKeys(access: AccessAdmin, orgId: string): Promise<Answer> {
  await findOrganization(access, orgId)
  const keys = [...(await access.listKeys(orgId))]
    .sort((a, b) => a.createdAt.getTime() - b.createdAt.getTime())
    .map(({ keyId, label, createdAt, revokedAt }) => ({
      keyId,
      state: revokedAt ? 'revoked' : 'active',
      label,
      createdAt,
      revokedAt,
    }))
  const rows = keys.map(({ keyId, state, label, createdAt, revokedAt }) => ({
    'key id': keyId,
    state,
    'created at': formatTimestamp(createdAt),
    'revoked at': revokedAt && formatTimestamp(revokedAt),
    label,
  }))
  const columns = ['key id', 'state', 'created at', 'revoked at', 'label']
  return { facts: { orgId, keys }, text: rows.length === 0 ? 'no keys' : formatTable(columns, rows), wrote: false }
}

async function findOrganization(access: AccessAdmin, orgId: string): Promise<Organization> {
  const organization = (await access.listOrganizations()).find((each) => each.orgId === orgId)
  if (organization === undefined) throw new CommandFailed(`there is no organization ${orgId}`)
  return organization
}

await runCommand(usage, async () => {
  const { values, positionals } = readOptions({
    allowPositionals: true,
    options: {
      data: { type: 'string' },
      stage: { type: 'string' },
      table: { type: 'string' },
      json: { type: 'boolean', default: false },
    },
  })
  const [name = '', ...args] = positionals
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (command === undefined)
    throw new UsageError(`the command must be one of ${Object.keys(commands).join(', ')}, not "${name}"`)
  const { data, stage, table, json } = values
  if ([data, stage, table].filter((place) => place !== undefined).length > 1)
    throw new UsageError('--data, --stage and --table exclude one another')
  const run = async (accessTable: string, place: Place) => {
    printAnswer(await command(createDynamoAccess(connectDynamo(), accessTable), args), place, json)
  }
  if (table !== undefined) await run(table, { accessTable: table })
  else if (stage !== undefined) await run((await readOutputs(readStageName(stage)))['AccessTable'] ?? '', { stage })
  else {
    const dataFolder = data ?? defaultDataFolder
    await withLocalService(dataFolder, (service) => run(tableName(service, 'Access'), { dataFolder }))
  }
})
