import { CommandFailed, UsageError } from '../../client/command-line/command-errors.ts'
import { isExpired } from '../../core/access/access.ts'
import { issueApiKey, type StoredKey } from '../../core/access/api-key.ts'
import type { AccessAdmin } from '../../core/access/ports.ts'
import { formatTimestamp } from '../../core/time.ts'
import { readMoment } from '../command/moment.ts'
import type { Answer } from '../command/output.ts'
import { formatList } from '../command/table.ts'
import { describeKeyLimits, type KeyLimitOptions, readKeyLimits, showKeyLimits } from './key-limits.ts'
import { findOrganization, type LimitOptions, listOrganizations } from './organization-commands.ts'

/** Options of the commands of `npm run keys`. */
export interface KeyOptions extends LimitOptions, KeyLimitOptions {
  /** End of a rotated key; absent for a day from now. */
  readonly ends?: string | undefined
}

export type KeyCommand = (access: AccessAdmin, args: readonly string[], options: KeyOptions) => Promise<Answer>

/** The commands of `npm run keys` over the keys of an organization. */
export const keyCommands: Readonly<Record<string, KeyCommand>> = {
  /** Creates a key. Only this answer contains it. */
  async create(access, [orgId, label = '', ...rest], options) {
    if (orgId === undefined || rest.length > 0) throw new UsageError('create takes an organization id and a label')
    const limits = readKeyLimits(options)
    await requireActive(access, orgId)
    const { token, stored } = issueApiKey(orgId)
    await access.putKey({ ...stored, ...limits }, label, new Date())
    return {
      facts: { orgId, keyId: stored.keyId, label, ...showKeyLimits(limits), apiKey: token },
      text: token,
      wrote: true,
    }
  },

  /** Sets limits of a key, from its next request on. */
  async limit(access, [orgId, keyId, ...rest], options) {
    if (orgId === undefined || keyId === undefined || rest.length > 0)
      throw new UsageError('limit takes an organization id and a key id')
    const changes = readKeyLimits(options)
    if (Object.keys(changes).length === 0) throw new UsageError('limit needs --allow')
    const { permission } = await findKey(access, orgId, keyId)
    const limits = { ...(permission && { permission }), ...changes }
    await access.limitKey(orgId, keyId, limits)
    return { facts: { orgId, keyId, ...showKeyLimits(limits) }, text: describeKeyLimits(keyId, limits), wrote: true }
  },

  /** Creates a successor of a key with the same label and limits, and sets the end of the key. */
  async rotate(access, [orgId, keyId, ...rest], { ends = '24h' }) {
    if (orgId === undefined || keyId === undefined || rest.length > 0)
      throw new UsageError('rotate takes an organization id and a key id')
    const now = new Date()
    const expiresAt = readEnd(ends, now)
    await requireActive(access, orgId)
    const key = await findKey(access, orgId, keyId)
    refuseEnded(key)
    const { token, stored } = issueApiKey(orgId)
    const { permission } = key
    await access.putKey({ ...stored, ...(permission && { permission }) }, key.label, now)
    if (!(await access.expireKey(orgId, keyId, expiresAt))) {
      await access.revokeKey(orgId, stored.keyId, new Date())
      throw new CommandFailed(
        `key ${keyId} was revoked or rotated by somebody else in the meantime: npm run keys -- list ${orgId} shows its state`,
      )
    }
    const { label } = key
    return {
      facts: { orgId, keyId: stored.keyId, label, apiKey: token, replaces: { keyId, expiresAt } },
      text: `${token}\nkey ${keyId} works until ${formatTimestamp(expiresAt)}`,
      wrote: true,
    }
  },

  /** Revokes a key: the next request with it is refused. */
  async revoke(access, [orgId, keyId, ...rest]) {
    if (orgId === undefined || keyId === undefined || rest.length > 0)
      throw new UsageError('revoke takes an organization id and a key id')
    if (!(await access.revokeKey(orgId, keyId, new Date())))
      throw new CommandFailed(`organization ${orgId} has no key ${keyId}`)
    return { facts: { orgId, keyId, state: 'revoked' }, text: `revoked ${keyId}`, wrote: true }
  },

  async list(access, [orgId, ...rest]) {
    if (rest.length > 0) throw new UsageError('list takes one organization id, or none')
    return orgId === undefined ? listOrganizations(access) : listKeys(access, orgId)
  },
}

async function findKey(access: AccessAdmin, orgId: string, keyId: string) {
  const key = (await access.listKeys(orgId)).find((each) => each.keyId === keyId)
  if (key === undefined) throw new CommandFailed(`organization ${orgId} has no key ${keyId}`)
  return key
}

function refuseEnded({ keyId, revokedAt, expiresAt }: StoredKey): void {
  if (revokedAt !== undefined) throw new CommandFailed(`key ${keyId} is revoked: create a new key instead`)
  if (expiresAt !== undefined)
    throw new CommandFailed(
      `key ${keyId} was rotated before and ends at ${formatTimestamp(expiresAt)}: create a new key instead`,
    )
}

/** Longest time for which a rotated key may continue to work, in days. */
const maxOverlapDays = 90

/**
 * Reads the end of a key.
 *
 * @param text a number of minutes, hours or days from now (`30m`, `24h`, `7d`), or a time with its offset
 * @throws UsageError unless that is in the next 90 days
 */
export function readEnd(text: string, now: Date): Date {
  const end = readMoment(text, now, 'ahead')
  const ahead = end === undefined ? Number.NaN : end.getTime() - now.getTime()
  if (end !== undefined && ahead >= 0 && ahead <= maxOverlapDays * 86_400_000) return end
  throw new UsageError(
    `--ends must be minutes, hours or days from now (30m, 24h, 7d) or a time with its offset (2026-11-30T12:00:00Z), at most ${maxOverlapDays} days ahead, not "${text}"`,
  )
}

/** Lists the keys of an organization, the oldest first. */
async function listKeys(access: AccessAdmin, orgId: string): Promise<Answer> {
  await findOrganization(access, orgId)
  const now = new Date()
  const keys = [...(await access.listKeys(orgId))]
    .sort((a, b) => a.createdAt.getTime() - b.createdAt.getTime())
    .map(({ orgId: _, hash: __, ...key }) => ({ ...key, ...showKeyLimits(key), state: stateOf(key, now) }))
  const rows = keys.map(({ keyId, state, permission, label, createdAt, lastUsedOn, expiresAt, revokedAt }) => ({
    'key id': keyId,
    state,
    may: permission,
    'created at': formatTimestamp(createdAt),
    'last used': lastUsedOn,
    'ends at': expiresAt && formatTimestamp(expiresAt),
    'revoked at': revokedAt && formatTimestamp(revokedAt),
    label,
  }))
  return { facts: { orgId, keys }, text: formatList(rows, 'no keys'), wrote: false }
}

function stateOf(key: Pick<StoredKey, 'revokedAt' | 'expiresAt'>, now: Date): 'active' | 'expired' | 'revoked' {
  if (key.revokedAt !== undefined) return 'revoked'
  return isExpired(key, now) ? 'expired' : 'active'
}

async function requireActive(access: AccessAdmin, orgId: string): Promise<void> {
  const { active } = await findOrganization(access, orgId)
  if (!active) throw new CommandFailed(`organization ${orgId} is inactive: the service would refuse the key`)
}
