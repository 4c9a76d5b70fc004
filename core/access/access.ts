import { Forbidden, Unauthorized } from '../errors.ts'
import type { Log } from '../log.ts'
import { type Clock, isoDay } from '../time.ts'
import { isSameKey, type PresentedKey, type StoredKey } from './api-key.ts'
import type { Access, AccessRecord, Organization } from './ports.ts'

export interface Authorize {
  readonly access: Access
  readonly now: Clock
  readonly log: Log
}

/**
 * Decides whether a presented key opens its organization, and notes both in the log. Stores the day on which an
 * accepted key was used, once for each day; a failed write of that day never makes the request fail.
 *
 * @throws Unauthorized, Forbidden, see `checkAccess`
 */
export async function authorize(
  { access, now, log }: Authorize,
  presented: PresentedKey,
  record: AccessRecord,
): Promise<Organization> {
  const at = now()
  const organization = checkAccess(presented, record, at)
  log.note?.({ org_id: organization.orgId, key_id: presented.keyId })
  const today = isoDay(at)
  const { lastUsedOn } = record.key ?? {}
  if (lastUsedOn === undefined || lastUsedOn < today) {
    const [noted] = await Promise.allSettled([access.noteUse(presented, today)])
    if (noted.status === 'rejected') log('use of a key not noted', { cause: String(noted.reason) })
  }
  return organization
}

/**
 * Decides whether a presented key gives access to its organization. Only a caller who has the key's secret learns that
 * it is revoked.
 *
 * @throws Unauthorized if the key is unknown or wrong
 * @throws Forbidden if the key is right but revoked or expired, or its organization is inactive
 */
export function checkAccess(presented: PresentedKey, { organization, key }: AccessRecord, at: Date): Organization {
  if (!isSameKey(presented, key) || organization === undefined) throw new Unauthorized()
  if (key.revokedAt !== undefined || isExpired(key, at)) throw new Forbidden('key revoked')
  if (!organization.active) throw new Forbidden('organization inactive')
  return organization
}

export function isExpired({ expiresAt }: Pick<StoredKey, 'expiresAt'>, at: Date): boolean {
  return expiresAt !== undefined && expiresAt <= at
}
