import { CommandFailed, UsageError } from '../../client/command-line/command-errors.ts'
import { findNameFault, normaliseName } from '../../contract/texts/names.ts'
import { issueOrganizationId } from '../../core/access/api-key.ts'
import type { AccessAdmin, Organization } from '../../core/access/ports.ts'
import { formatTimestamp } from '../../core/time.ts'
import { maxLimits } from '../../schema/limits.ts'
import type { Answer } from '../command/output.ts'
import { formatList } from '../command/table.ts'

/** Limits for `set-limits`: numbers, or `default`. */
export interface LimitOptions {
  readonly searches?: string | undefined
  readonly perMinute?: string | undefined
}

type OrganizationCommand = (access: AccessAdmin, args: readonly string[], limits: LimitOptions) => Promise<Answer>

/** The commands of `npm run keys` over organizations. */
export const organizationCommands: Readonly<Record<string, OrganizationCommand>> = {
  async 'create-organization'(access, [name, ...rest]) {
    if (name === undefined || rest.length > 0) throw new UsageError('create-organization takes one name')
    const fault = findNameFault(name)
    if (fault !== undefined) throw new UsageError(`the name of an organization ${fault}`)
    const namesakes = (await access.listOrganizations()).filter((each) => each.name === normaliseName(name))
    if (namesakes.length > 0)
      process.stderr.write(`note: this is also the name of ${namesakes.map((each) => each.orgId).join(', ')}\n`)
    const orgId = issueOrganizationId()
    await access.putOrganization({ orgId, name: normaliseName(name), active: true, createdAt: new Date() })
    return { facts: { orgId, name: normaliseName(name) }, text: orgId, wrote: true }
  },

  /** Refuses all keys of an organization, until it is activated again. */
  deactivate: setActive('deactivate', false),

  /** Accepts the keys of an organization again, except those that are revoked or expired. */
  activate: setActive('activate', true),

  /** Sets limits of an organization; `default` resets one to the stage's limit. */
  async 'set-limits'(access, [orgId, ...rest], { searches, perMinute }) {
    if (orgId === undefined || rest.length > 0) throw new UsageError('set-limits takes one organization id')
    if (searches === undefined && perMinute === undefined)
      throw new UsageError('set-limits needs --searches, --per-minute or both')
    const changes = {
      ...(searches !== undefined && { searches: readLimit('--searches', searches, maxLimits.searches) }),
      ...(perMinute !== undefined && { perMinute: readLimit('--per-minute', perMinute, maxLimits.perMinute) }),
    }
    const { limits: before } = await findOrganization(access, orgId)
    const { searches: all, perMinute: rate } = { ...before, ...changes }
    await access.setLimits(orgId, {
      ...(all !== undefined && { searches: all }),
      ...(rate !== undefined && { perMinute: rate }),
    })
    const limits = { searches: all ?? 'default', perMinute: rate ?? 'default' }
    const text = `${orgId}: searches that have not ended ${limits.searches}, created in a minute ${limits.perMinute}`
    return { facts: { orgId, limits }, text, wrote: true }
  },
}

function setActive(command: string, active: boolean): OrganizationCommand {
  return async (access, [orgId, ...rest]) => {
    if (orgId === undefined || rest.length > 0) throw new UsageError(`${command} takes one organization id`)
    if (!(await access.setActive(orgId, active))) throw new CommandFailed(`there is no organization ${orgId}`)
    const state = active ? 'active' : 'inactive'
    return { facts: { orgId, state }, text: `${command}d ${orgId}`, wrote: true }
  }
}

function readLimit(option: string, text: string, max: number): number | undefined {
  if (text === 'default') return undefined
  if (/^\d{1,6}$/.test(text) && Number(text) >= 1 && Number(text) <= max) return Number(text)
  throw new UsageError(`${option} must be a whole number from 1 to ${max}, or "default", not "${text}"`)
}

/** Lists organizations by name. */
export async function listOrganizations(access: AccessAdmin): Promise<Answer> {
  const { compare } = new Intl.Collator('en')
  const organizations = [...(await access.listOrganizations())]
    .sort((a, b) => compare(a.name, b.name) || compare(a.orgId, b.orgId))
    .map(({ orgId, name, active, createdAt, limits }) => ({
      orgId,
      name,
      createdAt,
      state: active ? 'active' : 'inactive',
      limits: { searches: limits?.searches ?? 'default', perMinute: limits?.perMinute ?? 'default' },
    }))
  const rows = organizations.map(({ orgId, name, state, limits, createdAt }) => ({
    'organization id': orgId,
    state,
    'created at': createdAt && formatTimestamp(createdAt),
    searches: limits.searches,
    'per minute': limits.perMinute,
    name,
  }))
  return { facts: { organizations }, text: formatList(rows, 'no organizations'), wrote: false }
}

/** @throws CommandFailed if there is no such organization */
export async function findOrganization(access: AccessAdmin, orgId: string): Promise<Organization> {
  const organization = (await access.listOrganizations()).find((each) => each.orgId === orgId)
  if (organization === undefined) throw new CommandFailed(`there is no organization ${orgId}`)
  return organization
}
