import { describe, expect, it } from 'vitest'
import { createDynamoAccess } from '../../../adapters/dynamodb/dynamo-access.ts'
import { connectDynamo } from '../../../adapters/dynamodb/dynamo-client.ts'
import { newKey, storeKey } from '../../builders/new-key.ts'
import { createMemoryAccess } from '../../doubles/memory-access.ts'
import { connectEndpoints } from '../../endpoints/connect.ts'

const { tables } = connectEndpoints()
const access = createDynamoAccess(connectDynamo(), tables.access)

/** The adapter, and its double in tests of the core. */
const stores = { DynamoDB: access, memory: createMemoryAccess() }

const createdAt = new Date('2026-11-20T09:00:00.000Z')
const revokedAt = new Date('2026-11-20T10:00:00.250Z')

describe.each(Object.entries(stores))('reading access in %s', (_, access) => {
  it('returns the organization and the key', async () => {
    const { orgId, presented, stored } = await storeKey(access)
    expect(await access.readAccess(presented)).toEqual({
      organization: { orgId, name: 'Demo Clinic', active: true },
      key: { ...stored, label: 'laptop', createdAt },
    })
  })

  it('returns nothing for an unknown organization, and no key for an unknown key', async () => {
    expect(await access.readAccess(newKey().presented)).toEqual({})
    const { orgId } = await storeKey(access)
    const { organization, key } = await access.readAccess(newKey(orgId).presented)
    expect([organization?.orgId, key]).toEqual([orgId, undefined])
  })

  it("does not find a key under another organization's id", async () => {
    const [first, second] = [await storeKey(access), await storeKey(access)]
    const { key } = await access.readAccess({ ...first.presented, orgId: second.orgId })
    expect(key).toBeUndefined()
  })
})

describe('creating an organization or a key', () => {
  it('never overwrites an organization or a key', async () => {
    const { orgId, presented, stored } = await storeKey(access)
    const before = await access.readAccess(presented)
    await expect(access.putOrganization({ orgId, name: 'Other', active: true })).rejects.toThrow('conditional')
    await expect(access.putKey({ ...stored, hash: '0'.repeat(64) }, 'other', createdAt)).rejects.toThrow('conditional')
    expect(await access.readAccess(presented)).toEqual(before)
  })
})

describe.each(Object.entries(stores))('the limits of a new key in %s', (_, access) => {
  it('come with the key', async () => {
    const { orgId, presented, stored } = newKey()
    await access.putOrganization({ orgId, name: 'Demo Clinic', active: true })
    const limits = { permission: 'summaries', bytesPerDay: 1e10 } as const
    await access.putKey({ ...stored, ...limits }, 'assistant', createdAt)
    expect((await access.readAccess(presented)).key).toEqual({
      ...stored,
      ...limits,
      label: 'assistant',
      createdAt,
    })
  })
})

describe('limiting a key', () => {
  it('replaces its limits, and keeps its other facts', async () => {
    const { orgId, presented, stored } = await storeKey(access)
    const facts = { ...stored, label: 'laptop', createdAt }
    for (const limits of [{ permission: 'reading' }, { permission: 'everything', bytesPerDay: 7 }, {}] as const) {
      expect(await access.limitKey(orgId, stored.keyId, limits)).toBe(true)
      expect((await access.readAccess(presented)).key).toStrictEqual({ ...facts, ...limits })
    }
  })

  it('reports a missing key without creating one', async () => {
    const { orgId, presented, stored } = newKey()
    expect(await access.limitKey(orgId, stored.keyId, { permission: 'reading' })).toBe(false)
    expect(await access.readAccess(presented)).toEqual({})
  })
})

describe('revoking a key', () => {
  it('keeps the key with the time of its first revocation', async () => {
    const { orgId, presented, stored } = await storeKey(access)
    expect(await access.revokeKey(orgId, stored.keyId, revokedAt)).toBe(true)
    expect(await access.revokeKey(orgId, stored.keyId, new Date())).toBe(true)
    expect((await access.readAccess(presented)).key).toEqual({ ...stored, label: 'laptop', createdAt, revokedAt })
  })

  it('reports a missing key without creating one', async () => {
    const { orgId, presented, stored } = newKey()
    expect(await access.revokeKey(orgId, stored.keyId, revokedAt)).toBe(false)
    expect(await access.readAccess(presented)).toEqual({})
  })
})

describe('expiring a key', () => {
  const expiresAt = new Date('2026-11-27T10:00:00.000Z')

  it('succeeds once, and keeps the other facts of the key', async () => {
    const { orgId, presented, stored } = await storeKey(access)
    expect(await access.expireKey(orgId, stored.keyId, expiresAt)).toBe(true)
    expect(await access.expireKey(orgId, stored.keyId, new Date())).toBe(false)
    expect((await access.readAccess(presented)).key).toEqual({ ...stored, label: 'laptop', createdAt, expiresAt })
  })

  it('refuses a revoked or missing key', async () => {
    const { orgId, stored } = await storeKey(access)
    await access.revokeKey(orgId, stored.keyId, revokedAt)
    expect(await access.expireKey(orgId, stored.keyId, expiresAt)).toBe(false)
    expect(await access.expireKey(orgId, newKey(orgId).stored.keyId, expiresAt)).toBe(false)
  })
})

describe.each(Object.entries(stores))('noting the last use of a key in %s', (_, access) => {
  it('keeps the latest day', async () => {
    const { presented } = await storeKey(access)
    const readDay = async () => (await access.readAccess(presented)).key?.lastUsedOn
    expect(await readDay()).toBeUndefined()
    for (const day of ['2026-11-20', '2026-11-21', '2026-11-20']) await access.noteUse(presented, day)
    expect(await readDay()).toBe('2026-11-21')
  })

  it('creates nothing for a missing key', async () => {
    const { presented } = newKey()
    await access.noteUse(presented, '2026-11-20')
    expect(await access.readAccess(presented)).toEqual({})
  })
})

describe('deactivating an organization', () => {
  it('keeps its name and its keys', async () => {
    const { orgId, presented, stored } = await storeKey(access)
    expect(await access.setActive(orgId, false)).toBe(true)
    const { organization, key } = await access.readAccess(presented)
    expect(organization).toEqual({ orgId, name: 'Demo Clinic', active: false })
    expect(key?.keyId).toBe(stored.keyId)
  })

  it('ends when the organization is activated', async () => {
    const { orgId, presented } = await storeKey(access)
    await access.setActive(orgId, false)
    expect(await access.setActive(orgId, true)).toBe(true)
    expect((await access.readAccess(presented)).organization?.active).toBe(true)
  })

  it('reports a missing organization without creating one', async () => {
    const { orgId, presented } = newKey()
    expect(await access.setActive(orgId, false)).toBe(false)
    expect(await access.readAccess(presented)).toEqual({})
  })
})

describe("an organization's own limits", () => {
  it('change one by one', async () => {
    const { orgId, presented } = await storeKey(access)
    const readLimits = async () => (await access.readAccess(presented)).organization?.limits
    expect(await readLimits()).toBeUndefined()
    for (const limits of [{ searches: 5 }, { perMinute: 7 }, { searches: 50, perMinute: 70 }]) {
      expect(await access.setLimits(orgId, limits)).toBe(true)
      expect(await readLimits()).toStrictEqual(limits)
    }
    expect(await access.setLimits(orgId, {})).toBe(true)
    expect((await access.readAccess(presented)).organization).toStrictEqual({
      orgId,
      name: 'Demo Clinic',
      active: true,
    })
  })

  it('cannot be set for a missing organization', async () => {
    const { orgId, presented } = newKey()
    expect(await access.setLimits(orgId, { searches: 5 })).toBe(false)
    expect(await access.readAccess(presented)).toEqual({})
  })
})

describe('lists of organizations and keys', () => {
  it('contain every organization once, and no key', async () => {
    const stored = [await storeKey(access), await storeKey(access)]
    const listedIds = (await access.listOrganizations()).map(({ orgId }) => orgId)
    expect(new Set(listedIds).size).toBe(listedIds.length)
    expect(listedIds).toEqual(expect.arrayContaining(stored.map(({ orgId }) => orgId)))
  })

  it('contain the keys of one organization, including revoked ones', async () => {
    const { orgId, stored } = await storeKey(access)
    const second = newKey(orgId).stored
    await access.putKey(second, 'server', createdAt)
    await access.revokeKey(orgId, second.keyId, revokedAt)
    await storeKey(access)
    const keys = await access.listKeys(orgId)
    expect(keys).toHaveLength(2)
    expect(keys).toContainEqual({ ...stored, label: 'laptop', createdAt })
    expect(keys).toContainEqual({ ...second, label: 'server', createdAt, revokedAt })
    expect(await access.listKeys(newKey().orgId)).toEqual([])
  })

  it('continue past the 1 MB page of DynamoDB', async () => {
    const { orgId } = newKey()
    const keys = Array.from({ length: 8 }, () => newKey(orgId).stored)
    for (const key of keys) await access.putKey(key, 'long '.repeat(60_000), createdAt)
    const listedIds = (await access.listKeys(orgId)).map(({ keyId }) => keyId)
    expect(listedIds.sort()).toEqual(keys.map(({ keyId }) => keyId).sort())
  })
})
