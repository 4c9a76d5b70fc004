import { type DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb'
import * as v from 'valibot'
import type { PresentedKey, StoredKey } from '../../core/access/api-key.ts'
import { permissionNames } from '../../core/access/permissions.ts'
import type { AccessAdmin, AccessRecord, Organization } from '../../core/access/ports.ts'
import { accessItem, keyUse } from '../../schema/tables.ts'
import { queryBelow, readItems, scanFor } from './dynamo-client.ts'
import { type Item, readFields, storedTime, writeFields } from './stored-fields.ts'
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
  permission: v.exactOptional(v.picklist(permissionNames)),
  bytes_per_day: v.exactOptional(v.number()),
})

/** Keys of the two items that authorize a request, so callers can read them together with their own items. */
export function accessItemKeys({ orgId, keyId }: PresentedKey): readonly Item[] {
  return [organizationItemOf(orgId), keyItemOf(orgId, keyId)]
}

const organizationItemOf = (orgId: string) => ({ org_id: orgId, item: accessItem.organization })

const keyItemOf = (orgId: string, keyId: string) => ({ org_id: orgId, item: accessItem.key(keyId) })

/** Parses the items found under `accessItemKeys`. */
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
  const { setIf } = tableWrites(client, table)
  const putNew = async (Item: Item) => {
    await client.send(new PutCommand({ TableName: table, Item, ConditionExpression: 'attribute_not_exists(org_id)' }))
  }
  /** Changes an item that exists and meets the conditions. @returns false if there is none */
  const changeItem = async (
    key: { readonly org_id: string; readonly item: string },
    { fields = {}, absent = {}, and = [] }: { fields?: object; absent?: object; and?: readonly string[] },
  ) => {
    const condition = ['attribute_exists(org_id)', ...and].join(' AND ')
    return (await setIf(key, { fields, condition, absent })) === 'written'
  }

  return {
    readAccess: async (key) => parseAccess(await readItems(client, table, accessItemKeys(key))),

    noteUse: async ({ orgId, keyId }, day) => {
      const attribute = keyUse.day
      const isEarlier = `(attribute_not_exists(${attribute}) OR ${attribute} < :${attribute})`
      await changeItem(keyItemOf(orgId, keyId), { fields: { [attribute]: day }, and: [isEarlier] })
    },

    putOrganization: async ({ orgId, name, active, createdAt }) => {
      await putNew(writeFields({ orgId, item: accessItem.organization, name, active, createdAt }))
    },

    putKey: async ({ orgId, keyId, hash, permission, bytesPerDay }, label, createdAt) => {
      const limits = { permission, bytesPerDay }
      await putNew(writeFields({ orgId, item: accessItem.key(keyId), keyId, hash, label, createdAt, ...limits }))
    },

    listOrganizations: () => Array.fromAsync(scanFor(client, table, accessItem.organization), parseOrganization),

    listKeys: (orgId) =>
      Array.fromAsync(queryBelow(client, table, { org_id: orgId, item: accessItem.key('') }), parseKey),

    // Idempotent: keeps the time of the first revocation.
    revokeKey: (orgId, keyId, revokedAt) => changeItem(keyItemOf(orgId, keyId), { absent: { revokedAt } }),

    expireKey: (orgId, keyId, expiresAt) => {
      const isOpen = ['attribute_not_exists(revoked_at)', 'attribute_not_exists(expires_at)']
      return changeItem(keyItemOf(orgId, keyId), { fields: { expiresAt }, and: isOpen })
    },

    limitKey: (orgId, keyId, { permission, bytesPerDay }) =>
      changeItem(keyItemOf(orgId, keyId), { fields: { permission, bytesPerDay } }),

    setActive: (orgId, active) => changeItem(organizationItemOf(orgId), { fields: { active } }),

    setLimits: (orgId, { searches, perMinute }) =>
      changeItem(organizationItemOf(orgId), { fields: { maxSearches: searches, searchesPerMinute: perMinute } }),
  }
}
