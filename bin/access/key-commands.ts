import { createDynamoByteUsages } from '../../adapters/dynamodb/dynamo-byte-usages.ts'
import { connectDynamo } from '../../adapters/dynamodb/dynamo-client.ts'
import { commandRequests } from '../../adapters/request-limits.ts'
import { CommandFailed, UsageError } from '../../client/command-line/command-errors.ts'
import { formatBytes } from '../../client/command-line/table.ts'
import { isExpired } from '../../core/access/access.ts'
import { issueApiKey, type StoredKey } from '../../core/access/api-key.ts'
import type { AccessAdmin } from '../../core/access/ports.ts'
import type { ByteUsages } from '../../core/limits/ports.ts'
import { formatTimestamp, isoDay } from '../../core/time.ts'
import type { Answer } from '../command/output.ts'
import { formatList } from '../command/table.ts'
import { readEnd } from './key-end.ts'
import { changeKeyLimits, describeKeyLimits, type KeyLimitOptions, showKeyLimits } from './key-limits.ts'
import { findOrganization, type LimitOptions, listOrganizations } from './organization-commands.ts'
import type { OwnedStores } from './remove-organization.ts'

/** Options of the commands of `npm run keys`. */
export interface KeyOptions extends LimitOptions, KeyLimitOptions {
  /** End of a rotated key; absent for a day from now. */
  readonly ends?: string | undefined
}

/** @param stores undefined if the command knows only the table of keys */
export type KeyCommand = (
  access: AccessAdmin,
  args: readonly string[],
  options: KeyOptions,
  ownedStores: Pick<OwnedStores, 'tables'> | undefined,
) => Promise<Answer>

/** The commands of `npm run keys` over the keys of an organization. */
export const keyCommands: Readonly<Record<string, KeyCommand>> = {
  /** Creates a key. Only this answer contains it. */
  async create(access, [orgId, label = '', ...rest], options) {
    if (orgId === undefined || rest.length > 0) throw new UsageError('create takes an organization id and a label')
    const limits = changeKeyLimits({}, options)
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
    if (options.allow === undefined && options.bytesPerDay === undefined)
      throw new UsageError('limit needs --allow, --bytes-per-day or both')
    // Refuses wrong options before anything is read.
    changeKeyLimits({}, options)
    const limits = changeKeyLimits(await findKey(access, orgId, keyId), options)
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
    await access.putKey({ ...stored, ...changeKeyLimits(key, {}) }, key.label, now)
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

  async list(access, [orgId, ...rest], _, ownedStores) {
    if (rest.length > 0) throw new UsageError('list takes one organization id, or none')
    const byteUsages = ownedStores && createDynamoByteUsages(connectDynamo(commandRequests), ownedStores.tables.Jobs)
    return orgId === undefined ? listOrganizations(access) : listKeys(access, orgId, byteUsages)
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

/** Lists the keys of an organization, the oldest first. */
async function listKeys(access: AccessAdmin, orgId: string, byteUsages?: Pick<ByteUsages, 'read'>): Promise<Answer> {
  await findOrganization(access, orgId)
  const now = new Date()
  const sortedKeys = (await access.listKeys(orgId)).toSorted((a, b) => a.createdAt.getTime() - b.createdAt.getTime())
  const keys = await Promise.all(
    sortedKeys.map(async ({ hash: _, orgId: __, ...key }) => {
      const today = { orgId, keyId: key.keyId, day: isoDay(now) }
      const bytesToday = key.bytesPerDay === undefined ? undefined : await byteUsages?.read(today)
      return { ...key, ...showKeyLimits(key), bytesToday, state: stateOf(key, now) }
    }),
  )
  const rows = keys.map(({ keyId, state, permission, label, createdAt, lastUsedOn, expiresAt, revokedAt, ...key }) => ({
    'key id': keyId,
    state,
    may: permission,
    'bytes a day':
      typeof key.bytesPerDay === 'number' ? formatBytes(key.bytesPerDay) + sinceMidnight(key) : key.bytesPerDay,
    'created at': formatTimestamp(createdAt),
    'last used': lastUsedOn,
    'ends at': expiresAt && formatTimestamp(expiresAt),
    'revoked at': revokedAt && formatTimestamp(revokedAt),
    label,
  }))
  return { facts: { orgId, keys }, text: formatList(rows, 'no keys'), wrote: false }
}

const sinceMidnight = ({ bytesToday }: { readonly bytesToday: number | undefined }) =>
  bytesToday === undefined ? '' : `, ${formatBytes(bytesToday)} today`

function stateOf(key: Pick<StoredKey, 'revokedAt' | 'expiresAt'>, now: Date): 'active' | 'expired' | 'revoked' {
  if (key.revokedAt !== undefined) return 'revoked'
  return isExpired(key, now) ? 'expired' : 'active'
}

async function requireActive(access: AccessAdmin, orgId: string): Promise<void> {
  const { active } = await findOrganization(access, orgId)
  if (!active) throw new CommandFailed(`organization ${orgId} is inactive: the service would refuse the key`)
}
