import type { Effect } from '../../contract/routes.ts'
import { Forbidden, Unauthorized } from '../errors.ts'
import type { Log } from '../log.ts'
import { type Clock, isoDay } from '../time.ts'
import { isSameKey, type PresentedKey, type StoredKey } from './api-key.ts'
import { requireEffect } from './permissions.ts'
import type { Access, AccessRecord, Organization } from './ports.ts'

export interface Authorize {
  readonly access: Access
  readonly now: Clock
  readonly log: Log
}

/** The organization that makes a call, and the key with which it does. */
export interface Caller extends Organization {
  readonly key: StoredKey
}

/**
 * Decides whether a presented key may make a call for its organization, and notes both in the log. Stores the day on
 * which a valid key was used, once for each day; a failed write of that day never makes the request fail.
 *
 * @param effect of the call, by the table of routes
 * @throws Unauthorized, Forbidden, see `checkAccess`
 * @throws NotPermitted if the key is valid, but may not make calls with this effect
 */
export async function authorize(
  { access, now, log }: Authorize,
  presented: PresentedKey,
  record: AccessRecord,
  effect: Effect,
): Promise<Caller> {
  const at = now()
  const caller = checkAccess(presented, record, at)
  log.note?.({ org_id: caller.orgId, key_id: presented.keyId })
  const today = isoDay(at)
  const { lastUsedOn } = caller.key
  if (lastUsedOn === undefined || lastUsedOn < today) {
    const [noted] = await Promise.allSettled([access.noteUse(presented, today)])
    if (noted.status === 'rejected') log('use of a key not noted', { cause: String(noted.reason) })
  }
  requireEffect(caller.key, effect)
  return caller
}

/**
 * Authorizes a call like `authorize`, and reads the access record of the key by itself: for calls that do not read it
 * together with their own items.
 */
export const authorizeKey = async (deps: Authorize, presented: PresentedKey, effect: Effect): Promise<Caller> =>
  authorize(deps, presented, await deps.access.readAccess(presented), effect)

/**
 * Decides whether a presented key gives access to its organization. Only a caller who has the key's secret learns that
 * it is revoked.
 *
 * @throws Unauthorized if the key is unknown or wrong
 * @throws Forbidden if the key is right but revoked or expired, or its organization is inactive
 */
export function checkAccess(presented: PresentedKey, { organization, key }: AccessRecord, at: Date): Caller {
  if (!isSameKey(presented, key) || organization === undefined) throw new Unauthorized()
  if (key.revokedAt !== undefined || isExpired(key, at)) throw new Forbidden('key revoked')
  if (!organization.active) throw new Forbidden('organization inactive')
  return { ...organization, key }
}

export function isExpired({ expiresAt }: Pick<StoredKey, 'expiresAt'>, at: Date): boolean {
  return expiresAt !== undefined && expiresAt <= at
}
