import { Forbidden, Unauthorized } from '../errors.ts'
import type { PresentedKey, StoredKey } from './api-key.ts'
import { isSameKey } from './api-key.ts'

/** An organization that may call the API. */
export interface Organization {
  readonly orgId: string
  readonly name: string
  readonly active: boolean
}

/** The stored records for a presented key; either may be missing. */
export interface AccessRecord {
  readonly organization?: Organization
  readonly key?: StoredKey
}

/**
 * Decides whether a presented key gives access to its organization. Only a caller who has the key's secret learns that
 * it is revoked.
 *
 * @throws Unauthorized if the key is unknown or wrong
 * @throws Forbidden if the key is right but revoked, or its organization is inactive
 */
export function authorize(presented: PresentedKey, { organization, key }: AccessRecord): Organization {
  if (!isSameKey(presented, key) || organization === undefined) throw new Unauthorized()
  if (key.revokedAt !== undefined) throw new Forbidden('key revoked')
  if (!organization.active) throw new Forbidden('organization inactive')
  return organization
}
