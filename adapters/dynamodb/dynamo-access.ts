import { type DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb'
import * as v from 'valibot'
import type { PresentedKey, StoredKey } from '../../core/access/api-key.ts'
import type { AccessAdmin, AccessRecord, Organization } from '../../core/access/ports.ts'
import { accessItem, keyUse } from '../../schema/tables.ts'
import { conditionalWrites } from './conditional-write.ts'
import { type Item, queryItems, readItems, scanItems } from './dynamo-client.ts'

const time = v.pipe(
  v.string(),
  v.transform((text) => new Date(text)),
)

const organizationItem = v.object({
  org_id: v.string(),
  name: v.string(),
  active: v.boolean(),
  created_at: v.optional(time),
  max_searches: v.optional(v.number()),
  searches_per_minute: v.optional(v.number()),
})

const keyItem = v.object({
  org_id: v.string(),
  key_id: v.string(),
  hash: v.string(),
  label: v.string(),
  created_at: time,
  revoked_at: v.optional(time),
  expires_at: v.optional(time),
  [keyUse.day]: v.optional(v.string()),
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
  const { org_id, name, active, created_at, max_searches, searches_per_minute } = v.parse(organizationItem, item)
  const limits = {
    ...(max_searches !== undefined && { searches: max_searches }),
    ...(searches_per_minute !== undefined && { perMinute: searches_per_minute }),
  }
  const optional = { ...(created_at && { createdAt: created_at }), ...(Object.keys(limits).length > 0 && { limits }) }
  return { orgId: org_id, name, active, ...optional }
}

function parseKey(item: Item): StoredKey & { readonly label: string; readonly createdAt: Date } {
  const { org_id, key_id, hash, label, created_at, revoked_at, expires_at, last_used_on } = v.parse(keyItem, item)
  return {
    orgId: org_id,
    keyId: key_id,
    hash,
    label,
    createdAt: created_at,
    ...(revoked_at && { revokedAt: revoked_at }),
    ...(expires_at && { expiresAt: expires_at }),
    ...(last_used_on && { lastUsedOn: last_used_on }),
  }
}

/** Stores organizations and keys in DynamoDB (`accessTable` in schema/tables.ts). */
export function createDynamoAccess(client: DynamoDBDocumentClient, table: string): AccessAdmin {
  const { updateIf } = conditionalWrites(client, table)
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
      const created = createdAt && { created_at: createdAt.toISOString() }
      const Item = { org_id: orgId, item: accessItem.organization, name, active, ...created }
      await client.send(new PutCommand({ TableName: table, Item, ConditionExpression: 'attribute_not_exists(org_id)' }))
    },

    putKey: async ({ orgId, keyId, hash }, label, createdAt) => {
      const Item = {
        org_id: orgId,
        item: accessItem.key(keyId),
        key_id: keyId,
        hash,
        label,
        created_at: createdAt.toISOString(),
      }
      await client.send(new PutCommand({ TableName: table, Item, ConditionExpression: 'attribute_not_exists(org_id)' }))
    },

    listOrganizations: async () => {
      const items = scanItems(client, {
        TableName: table,
        ConsistentRead: true,
        FilterExpression: '#item = :organization',
        ExpressionAttributeNames: { '#item': 'item' },
        ExpressionAttributeValues: { ':organization': accessItem.organization },
      })
      return Array.fromAsync(items, parseOrganization)
    },

    listKeys: async (orgId) => {
      const items = queryItems(client, {
        TableName: table,
        ConsistentRead: true,
        KeyConditionExpression: 'org_id = :org AND begins_with(#item, :key)',
        ExpressionAttributeNames: { '#item': 'item' },
        ExpressionAttributeValues: { ':org': orgId, ':key': accessItem.key('') },
      })
      return Array.fromAsync(items, parseKey)
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
