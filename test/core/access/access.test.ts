import { describe, expect, it } from 'vitest'
import { authorize } from '../../../core/access/access.ts'
import { issueApiKey } from '../../../core/access/api-key.ts'
import { Forbidden, Unauthorized } from '../../../core/errors.ts'

const { stored: key } = issueApiKey('Org123456789')
const { stored: wrong } = issueApiKey('Org123456789')
const organization = { orgId: 'Org123456789', name: 'Acme', active: true }
const inactive = { ...organization, active: false }
const revoked = { ...key, revokedAt: new Date('2026-11-01T00:00:00Z') }

describe('a key', () => {
  it('gives access to its organization', () => {
    expect(authorize(key, { organization, key })).toBe(organization)
  })

  it.each([
    ['it is unknown', { organization }],
    ['key and organization are unknown', {}],
    ['its organization is unknown', { key }],
    ['its secret is wrong', { organization, key: wrong }],
    ['its secret is wrong and the key revoked', { organization, key: { ...wrong, revokedAt: revoked.revokedAt } }],
    ['its secret is wrong and the organization inactive', { organization: inactive, key: wrong }],
    ['it is unknown and the organization inactive', { organization: inactive }],
  ])('is unauthorized if %s, always with the same message', (_, record) => {
    expect(() => authorize(key, record)).toThrow(Unauthorized)
    expect(() => authorize(key, record)).toThrow(new Unauthorized().message)
  })

  it.each([
    ['it is revoked', { organization, key: revoked }, 'This API key is revoked.'],
    ['its organization is inactive', { organization: inactive, key }, 'The organization of this API key is inactive.'],
    ['both are true', { organization: inactive, key: revoked }, 'This API key is revoked.'],
  ])('is forbidden if %s', (_, record, message) => {
    expect(() => authorize(key, record)).toThrow(Forbidden)
    expect(() => authorize(key, record)).toThrow(message)
  })
})
