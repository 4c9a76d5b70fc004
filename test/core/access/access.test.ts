import { describe, expect, it } from 'vitest'
import { authorize, checkAccess } from '../../../core/access/access.ts'
import { issueApiKey } from '../../../core/access/api-key.ts'
import { Forbidden, Unauthorized } from '../../../core/errors.ts'
import { createMemoryAccess } from '../../doubles/memory-access.ts'
import { createMemoryLog } from '../../doubles/memory-log.ts'

const { stored: key } = issueApiKey('Org123456789')
const { stored: wrong } = issueApiKey('Org123456789')
const organization = { orgId: 'Org123456789', name: 'Acme', active: true }
const inactive = { ...organization, active: false }
const now = new Date('2026-11-20T09:30:00Z')
const revoked = { ...key, revokedAt: new Date('2026-11-01T00:00:00Z') }
const expired = { ...key, expiresAt: now }
const ending = { ...key, expiresAt: new Date('2026-11-20T09:30:00.001Z') }

const ended = 'This API key is revoked or has expired.'

describe('a key', () => {
  it('gives access to its organization', () => {
    expect(checkAccess(key, { organization, key }, now)).toEqual({ ...organization, key })
  })

  it('gives access until its end', () => {
    expect(checkAccess(key, { organization, key: ending }, now)).toEqual({ ...organization, key: ending })
  })

  it.each([
    ['it is unknown', { organization }],
    ['key and organization are unknown', {}],
    ['its organization is unknown', { key }],
    ['its secret is wrong', { organization, key: wrong }],
    ['its secret is wrong and the key revoked', { organization, key: { ...wrong, revokedAt: revoked.revokedAt } }],
    ['its secret is wrong and the key expired', { organization, key: { ...wrong, expiresAt: now } }],
    ['its secret is wrong and the organization inactive', { organization: inactive, key: wrong }],
    ['it is unknown and the organization inactive', { organization: inactive }],
  ])('gets 401 with the same message as any other if %s', (_, record) => {
    expect(() => checkAccess(key, record, now)).toThrow(Unauthorized)
    expect(() => checkAccess(key, record, now)).toThrow(new Unauthorized().message)
  })

  it.each([
    ['it is revoked', { organization, key: revoked }, ended],
    ['it has expired', { organization, key: expired }, ended],
    ['its organization is inactive', { organization: inactive, key }, 'The organization of this API key is inactive.'],
    ['both are true', { organization: inactive, key: revoked }, ended],
  ])('gets 403 if %s', (_, record, message) => {
    expect(() => checkAccess(key, record, now)).toThrow(Forbidden)
    expect(() => checkAccess(key, record, now)).toThrow(message)
  })
})

describe('the date of last use', () => {
  /** A key over stores that count the notes. */
  const open = (stored = key) => {
    const memory = createMemoryAccess([organization], [stored])
    const { log, lines } = createMemoryLog()
    const notes: string[] = []
    const clock = { now }
    const access = {
      ...memory,
      noteUse: async (...given: Parameters<typeof memory.noteUse>) => {
        notes.push(given[1])
        await memory.noteUse(...given)
      },
    }
    const deps = { access, log, now: () => clock.now }
    return { deps, lines, notes, clock, use: async () => authorize(deps, key, await access.readAccess(key), 'reads') }
  }

  it('notes the first use of a day, once', async () => {
    const { notes, clock, use } = open()
    await use()
    clock.now = new Date('2026-11-20T23:59:59.999Z')
    await use()
    expect(notes).toEqual(['2026-11-20'])
    clock.now = new Date('2026-11-21T00:00:00Z')
    await use()
    expect(notes).toEqual(['2026-11-20', '2026-11-21'])
  })

  it('does not note a key that is refused', async () => {
    const { notes, use } = open(revoked)
    await expect(use()).rejects.toThrow(Forbidden)
    expect(notes).toEqual([])
  })

  it('does not fail the request if it cannot be written, and logs no part of the key', async () => {
    const { deps, lines } = open()
    const access = { ...deps.access, noteUse: () => Promise.reject(new Error('table gone')) }
    const caller = await authorize({ ...deps, access }, key, { organization, key }, 'reads')
    expect(caller).toEqual({ ...organization, key })
    expect(lines).toEqual([{ event: 'use of a key not noted', facts: { cause: 'Error: table gone' } }])
  })
})
