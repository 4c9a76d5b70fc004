import { describe, expect, it } from 'vitest'
import { effectOf, operations, type Route } from '../../../contract/routes.ts'
import { authorize } from '../../../core/access/access.ts'
import { issueApiKey } from '../../../core/access/api-key.ts'
import { NotPermitted, type Permission, permissionNames, requireSummary } from '../../../core/access/permissions.ts'
import { Forbidden, Unauthorized } from '../../../core/errors.ts'
import { createMemoryAccess } from '../../doubles/memory-access.ts'
import { createMemoryLog } from '../../doubles/memory-log.ts'

const { stored: key } = issueApiKey('Org123456789')
const { stored: other } = issueApiKey('Org123456789')
const organization = { orgId: 'Org123456789', name: 'Acme', active: true }
const now = () => new Date('2026-11-20T09:30:00Z')

/** Calls that change searches, written here a second time on purpose: all others must be open to every key. */
const changing: readonly Route['operation'][] = ['create-search', 'cancel-search', 'delete-search']

const refusedCalls: Readonly<Record<Permission, readonly Route['operation'][]>> = {
  everything: [],
  summaries: ['cancel-search', 'delete-search'],
  reading: changing,
}

describe.each(permissionNames)('a key for %s', (permission) => {
  const limited = { ...key, permission }
  const access = createMemoryAccess([organization], [limited])
  const deps = { access, now, log: createMemoryLog().log }

  it.each(operations)('may make the call %s, or gets to know what it may do', async (operation) => {
    const call = authorize(deps, key, { organization, key: limited }, effectOf(operation))
    if (!refusedCalls[permission].includes(operation)) return expect(await call).toMatchObject({ key: limited })
    return expect(call).rejects.toThrow(
      /^This API key may only .*; it may not (create|cancel or delete) searches\. The operator of the service can change this\.$/,
    )
  })

  it('counts as used even if the call is refused', async () => {
    await Promise.allSettled([authorize(deps, key, { organization, key: limited }, 'ends')])
    expect((await access.readAccess(key)).key?.lastUsedOn).toBe('2026-11-20')
  })

  it('tells nothing about its permission without its secret, or once it is revoked', async () => {
    const ask = (record: Parameters<typeof authorize>[2]) => authorize(deps, key, record, 'ends')
    await expect(ask({ organization, key: { ...other, permission } })).rejects.toThrow(Unauthorized)
    await expect(ask({ organization, key: { ...limited, revokedAt: now() } })).rejects.toThrow(Forbidden)
  })
})

describe('a key without a permission', () => {
  it.each(operations)('may make the call %s', async (operation) => {
    const deps = { access: createMemoryAccess([organization], [key]), now, log: createMemoryLog().log }
    const caller = await authorize(deps, key, { organization, key }, effectOf(operation))
    expect(caller.orgId).toBe(organization.orgId)
  })
})

describe('a search for rows', () => {
  it('needs another key than one for summaries, and a summary does not', () => {
    const rows = {}
    const summary = { summary: { weight: 'tins', by: [] } } as const
    expect(() => requireSummary({ permission: 'summaries' }, rows)).toThrow(NotPermitted)
    expect(() => requireSummary({ permission: 'summaries' }, rows)).toThrow(/may not create searches for rows\./)
    expect(() => requireSummary({ permission: 'everything' }, rows)).not.toThrow()
    expect(() => requireSummary({}, rows)).not.toThrow()
    for (const permission of permissionNames) expect(() => requireSummary({ permission }, summary)).not.toThrow()
  })
})
