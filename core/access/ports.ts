import type { Limits } from '../limits/usage.ts'
import type { PresentedKey, StoredKey } from './api-key.ts'
import type { KeyLimits } from './permissions.ts'

/** An organization that may call the API. */
export interface Organization {
  readonly orgId: string
  readonly name: string
  readonly active: boolean
  /** Absent if it was created before this was recorded. */
  readonly createdAt?: Date
  /** Limits that differ from the stage's; an absent one is the stage's. */
  readonly limits?: Partial<Limits>
}

/** The stored records for a presented key; either may be missing. */
export interface AccessRecord {
  readonly organization?: Organization
  readonly key?: StoredKey
}

/** Reads keys. Every read is strongly consistent, so that a revoked key is refused from the next request on. */
export interface Access {
  readAccess(key: PresentedKey): Promise<AccessRecord>
  /** Stores the day (`2026-11-20`) of a key's last use; a no-op for a day before the stored one, or a missing key. */
  noteUse(key: Pick<PresentedKey, 'orgId' | 'keyId'>, day: string): Promise<void>
}

/** Manages organizations and keys; only for the operator's command. */
export interface AccessAdmin extends Access {
  putOrganization(organization: Organization): Promise<void>
  putKey(key: StoredKey, label: string, createdAt: Date): Promise<void>
  listOrganizations(): Promise<readonly Organization[]>
  listKeys(orgId: string): Promise<readonly (StoredKey & { readonly label: string; readonly createdAt: Date })[]>
  /** @returns false if the key does not exist */
  revokeKey(orgId: string, keyId: string, revokedAt: Date): Promise<boolean>
  /** Sets the time at which a key expires. @returns false if the key does not exist, is revoked, or has an end */
  expireKey(orgId: string, keyId: string, expiresAt: Date): Promise<boolean>
  /** Sets the limits of a key; one that is left out does not limit it. @returns false if the key does not exist */
  limitKey(orgId: string, keyId: string, limits: KeyLimits): Promise<boolean>
  /** @returns false if the organization does not exist */
  setActive(orgId: string, active: boolean): Promise<boolean>
  /** Sets an organization's limits; one that is left out is the stage's. @returns false if it does not exist */
  setLimits(orgId: string, limits: Partial<Limits>): Promise<boolean>
}

/** All items of organizations in a table that is partitioned by them; only for the operator's command. */
export interface OwnedItems {
  list(orgId: string): Promise<readonly OwnedItem[]>
  /** Idempotent. */
  remove(orgId: string, items: readonly Pick<OwnedItem, 'item'>[]): Promise<void>
}

export interface OwnedItem {
  /** Its sort key. */
  readonly item: string
  /** True for a job that has not ended, or whose end is not announced. */
  readonly isUnended: boolean
}
