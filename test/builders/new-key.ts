import type { PresentedKey, StoredKey } from '../../core/access/api-key.ts'
import { issueApiKey, issueOrganizationId, parseApiKey } from '../../core/access/api-key.ts'
import type { AccessAdmin } from '../../core/access/ports.ts'

export interface NewKey {
  readonly orgId: string
  readonly keyId: string
  /** The token that a client sends. */
  readonly token: string
  readonly presented: PresentedKey
  readonly stored: StoredKey
}

/** Issues a key of a new organization without storing either. */
export function newKey(orgId = issueOrganizationId()): NewKey {
  const { token, stored } = issueApiKey(orgId)
  const presented = parseApiKey(token)
  if (presented === undefined) throw new Error('an issued key does not parse')
  return { orgId, keyId: stored.keyId, token, presented, stored }
}

/** Stores a new organization and one of its keys. */
export async function storeKey(access: Pick<AccessAdmin, 'putOrganization' | 'putKey'>): Promise<NewKey> {
  const key = newKey()
  await access.putOrganization({ orgId: key.orgId, name: 'Demo Clinic', active: true })
  await access.putKey(key.stored, 'laptop', new Date('2026-11-20T09:00:00.000Z'))
  return key
}
