import { type DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb'
import * as v from 'valibot'
import type { PresentedKey, StoredKey } from '../../core/access/api-key.ts'
import type { AccessAdmin, AccessRecord, Organization } from '../../core/access/ports.ts'
import { accessItem, keyUse } from '../../schema/tables.ts'
import { type Item, queryBelow, readItems, scanFor } from './dynamo-client.ts'
import { readFields, storedTime, writeFields } from './stored-fields.ts'
import { tableWrites } from './table-writes.ts'

const organizationItem = v.object({
  org_id: v.string(),
  name: v.string(),
  active: v.boolean(),
  created_at: v.exactOptional(storedTime),
  max_searches: v.exactOptional(v.number()),
  searches_per_minute: v.exactOptional(v.number()),
})

const keyItem = v.object({
  org_id: v.string(),
  key_id: v.string(),
  hash: v.string(),
  label: v.string(),
  created_at: storedTime,
  revoked_at: v.exactOptional(storedTime),
  expires_at: v.exactOptional(storedTime),
  [keyUse.day]: v.exactOptional(v.string()),
})

/** Keys of the two items that authorize a request, so callers can read them together with their own items. */
export function accessKeys({ orgId, keyId }: PresentedKey): readonly Item[] {
  return [
    { org_id: orgId, item: accessItem.organization },
    { org_id: orgId, item: accessItem.key(keyId) },
  ]
}

/** Parses the items found under `accessKeys`. */
export function parseAccess(items: readonly Item[]): AccessRecord {
  const organization = items.find(({ item }) => item === accessItem.organization)
  const key = items.find(({ item }) => item !== accessItem.organization)
  return { ...(organization && { organization: parseOrganization(organization) }), ...(key && { key: parseKey(key) }) }
}

function parseOrganization(item: Item): Organization {
  const { maxSearches, searchesPerMinute, ...organization } = readFields(v.parse(organizationItem, item))
  const limits = {
    ...(maxSearches !== undefined && { searches: maxSearches }),
    ...(searchesPerMinute !== undefined && { perMinute: searchesPerMinute }),
  }
  return { ...organization, ...(Object.keys(limits).length > 0 && { limits }) }
}

const parseKey = (item: Item): StoredKey & { readonly label: string; readonly createdAt: Date } =>
  readFields(v.parse(keyItem, item))

/** Stores organizations and keys in DynamoDB (`accessTable` in schema/tables.ts). */
export function createDynamoAccess(client: DynamoDBDocumentClient, table: string): AccessAdmin {
  const { updateIf } = tableWrites(client, table)
  const putNew = async (Item: Item) => {
    await client.send(new PutCommand({ TableName: table, Item, ConditionExpression: 'attribute_not_exists(org_id)' }))
  }
  const updateExisting = (key: Item, expression: string, values: Item, condition = '') =>
    updateIf(key, expression, { condition: `attribute_exists(org_id)${condition}`, values })

  return {
    readAccess: async (key) => parseAccess(await readItems(client, table, accessKeys(key))),

    noteUse: async ({ orgId, keyId }, day) => {
      const key = { org_id: orgId, item: accessItem.key(keyId) }
      const earlier = ` AND (attribute_not_exists(${keyUse.day}) OR ${keyUse.day} < :day)`
      await updateExisting(key, `SET ${keyUse.day} = :day`, { ':day': day }, earlier)
    },

    putOrganization: async ({ orgId, name, active, createdAt }) => {
      await putNew(writeFields({ orgId, item: accessItem.organization, name, active, createdAt }))
    },

    putKey: async ({ orgId, keyId, hash }, label, createdAt) => {
      await putNew(writeFields({ orgId, item: accessItem.key(keyId), keyId, hash, label, createdAt }))
    },

    listOrganizations: async () => {
      return Array.fromAsync(scanFor(client, table, accessItem.organization), parseOrganization)
    },

    listKeys: async (orgId) => {
      return Array.fromAsync(queryBelow(client, table, { org_id: orgId, item: accessItem.key('') }), parseKey)
    },

    revokeKey: async (orgId, keyId, revokedAt) => {
      const key = { org_id: orgId, item: accessItem.key(keyId) }
      // Idempotent: keeps the time of the first revocation.
      const expression = 'SET revoked_at = if_not_exists(revoked_at, :at)'
      return (await updateExisting(key, expression, { ':at': revokedAt.toISOString() })) === 'written'
    },

    expireKey: async (orgId, keyId, expiresAt) => {
      const key = { org_id: orgId, item: accessItem.key(keyId) }
      const open = ' AND attribute_not_exists(revoked_at) AND attribute_not_exists(expires_at)'
      const values = { ':at': expiresAt.toISOString() }
      return (await updateExisting(key, 'SET expires_at = :at', values, open)) === 'written'
    },

    setActive: async (orgId, active) => {
      const key = { org_id: orgId, item: accessItem.organization }
      return (await updateExisting(key, 'SET active = :active', { ':active': active })) === 'written'
    },

    setLimits: async (orgId, { searches, perMinute }) => {
      const key = { org_id: orgId, item: accessItem.organization }
      const own = Object.entries({ max_searches: searches, searches_per_minute: perMinute })
      const set = own.filter(([, limit]) => limit !== undefined).map(([name]) => `${name} = :${name}`)
      const removed = own.filter(([, limit]) => limit === undefined).map(([name]) => name)
      const change = [
        ...(set.length > 0 ? [`SET ${set.join(', ')}`] : []),
        ...(removed.length > 0 ? [`REMOVE ${removed.join(', ')}`] : []),
      ]
      const values = Object.fromEntries(
        own.flatMap(([name, limit]) => (limit === undefined ? [] : [[`:${name}`, limit]])),
      )
      return (await updateExisting(key, change.join(' '), values)) === 'written'
    },
  }
}
