import { createDynamoAccess } from '../adapters/dynamo-access.ts'
import { connectDynamo } from '../adapters/dynamo-client.ts'
import { issueApiKey, issueOrganizationId } from '../core/api-key.ts'
import type { AccessAdmin } from '../core/ports.ts'
import { CommandFailed, readOptions, runCommand, UsageError } from './command.ts'
import { readOutputs, readStageName } from './deployment.ts'
import { defaultDataFolder, withLocalService } from './local-service.ts'
import { tableName } from './seed.ts'

const usage = `
Manages the organizations and API keys of a service.

Usage: npm run keys -- <command> [--data <folder> | --stage <name> | --table <name>]

  create-organization <name>           makes an organization and prints its id
  create <organization id> [<label>]   makes a key and prints it, this once
  list [<organization id>]             lists organizations, or the keys of one
  revoke <organization id> <key id>    refuses a key from the next request on; it cannot be undone
  deactivate <organization id>         refuses all keys of an organization

  --data <folder>  the data folder of the local service, running or not (default ${defaultDataFolder})
  --stage <name>   a deployed stage; account, region and endpoint are the AWS SDK's own settings
  --table <name>   the access table of a deployed service by name (stack output AccessTable)
  --help           print this
`

type Command = (access: AccessAdmin, args: readonly string[]) => Promise<string>

const commands: Readonly<Record<string, Command>> = {
  'create-organization': async (access, [name, ...rest]) => {
    if (name === undefined || rest.length > 0) throw new UsageError('create-organization takes one name')
    const orgId = issueOrganizationId()
    await access.putOrganization({ orgId, name, active: true })
    return `${orgId}\n`
  },

  create: async (access, [orgId, label = '', ...rest]) => {
    if (orgId === undefined || rest.length > 0) throw new UsageError('create takes an organization id and a label')
    await requireOrganization(access, orgId)
    const { token, stored } = issueApiKey(orgId)
    await access.putKey(stored, label, new Date())
    return `${token}\n`
  },

  list: async (access, [orgId, ...rest]) => {
    if (rest.length > 0) throw new UsageError('list takes one organization id, or none')
    if (orgId === undefined) {
      const organizations = await access.listOrganizations()
      return organizations
        .map(({ orgId, name, active }) => `${orgId}  ${active ? 'active  ' : 'inactive'}  ${name}\n`)
        .join('')
    }
    await requireOrganization(access, orgId)
    const keys = [...(await access.listKeys(orgId))].sort((a, b) => a.createdAt.getTime() - b.createdAt.getTime())
    return keys
      .map(
        ({ keyId, createdAt, revokedAt, label }) =>
          `${keyId}  ${createdAt.toISOString()}  ${revokedAt ? 'revoked' : 'active '}  ${label}\n`,
      )
      .join('')
  },

  revoke: async (access, [orgId, keyId, ...rest]) => {
    if (orgId === undefined || keyId === undefined || rest.length > 0)
      throw new UsageError('revoke takes an organization id and a key id')
    if (await access.revokeKey(orgId, keyId, new Date())) return `revoked ${keyId}\n`
    throw new CommandFailed(`organization ${orgId} has no key ${keyId}`)
  },

  deactivate: async (access, [orgId, ...rest]) => {
    if (orgId === undefined || rest.length > 0) throw new UsageError('deactivate takes one organization id')
    if (await access.deactivateOrganization(orgId)) return `deactivated ${orgId}\n`
    throw new CommandFailed(`there is no organization ${orgId}`)
  },
}

async function requireOrganization(access: AccessAdmin, orgId: string): Promise<void> {
  const organizations = await access.listOrganizations()
  if (!organizations.some((organization) => organization.orgId === orgId))
    throw new CommandFailed(`there is no organization ${orgId}`)
}

await runCommand(usage, async () => {
  const { values, positionals } = readOptions({
    allowPositionals: true,
    options: { data: { type: 'string' }, stage: { type: 'string' }, table: { type: 'string' } },
  })
  const [name = '', ...args] = positionals
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (command === undefined)
    throw new UsageError(`the command must be one of ${Object.keys(commands).join(', ')}, not "${name}"`)
  const { data, stage, table } = values
  if ([data, stage, table].filter((place) => place !== undefined).length > 1) {
    throw new UsageError('--data, --stage and --table exclude one another')
  }
  const run = async (name: string) => {
    process.stdout.write(await command(createDynamoAccess(connectDynamo(), name), args))
  }
  if (table !== undefined) await run(table)
  else if (stage !== undefined) await run((await readOutputs(readStageName(stage)))['AccessTable'] ?? '')
  else await withLocalService(data ?? defaultDataFolder, (service) => run(tableName(service, 'Access')))
})
