import { issueOrganizationId } from '../../core/access/api-key.ts'
import type { AccessAdmin } from '../../core/ports.ts'
import { CommandFailed, UsageError } from './errors.ts'
import type { Answer } from './output.ts'
import { formatTable } from './table.ts'

/** The commands of `npm run keys` over organizations. */

export async function createOrganization(access: AccessAdmin, [name, ...rest]: readonly string[]): Promise<Answer> {
  if (name === undefined || rest.length > 0) throw new UsageError('create-organization takes one name')
  const orgId = issueOrganizationId()
  await access.putOrganization({ orgId, name, active: true })
  return { facts: { orgId, name }, text: orgId, wrote: true }
}

/** Accepts the keys of an organization again that are neither revoked nor expired. */
export function activateOrganization(access: AccessAdmin, args: readonly string[]): Promise<Answer> {
  return setActive(access, args, { command: 'activate', active: true })
}

/** Refuses all keys of an organization, until it is activated again. */
export function deactivateOrganization(access: AccessAdmin, args: readonly string[]): Promise<Answer> {
  return setActive(access, args, { command: 'deactivate', active: false })
}

async function setActive(
  access: AccessAdmin,
  [orgId, ...rest]: readonly string[],
  { command, active }: { readonly command: string; readonly active: boolean },
): Promise<Answer> {
  if (orgId === undefined || rest.length > 0) throw new UsageError(`${command} takes one organization id`)
  if (!(await access.setActive(orgId, active))) throw new CommandFailed(`there is no organization ${orgId}`)
  const state = active ? 'active' : 'inactive'
  return { facts: { orgId, state }, text: `${command}d ${orgId}`, wrote: true }
}

/** Lists organizations by name. */
export async function listOrganizations(access: AccessAdmin): Promise<Answer> {
  const { compare } = new Intl.Collator('en')
  const organizations = [...(await access.listOrganizations())]
    .sort((a, b) => compare(a.name, b.name) || compare(a.orgId, b.orgId))
    .map(({ orgId, name, active }) => ({ orgId, name, state: active ? 'active' : 'inactive' }))
  const rows = organizations.map(({ orgId, ...rest }) => ({ 'organization id': orgId, ...rest }))
  const text = rows.length === 0 ? 'no organizations' : formatTable(['organization id', 'state', 'name'], rows)
  return { facts: { organizations }, text, wrote: false }
}
