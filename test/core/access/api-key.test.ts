import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  isSameKey,
  issueApiKey,
  issueOrganizationId,
  issueTrialOrganizationId,
  parseApiKey,
  parseAuthorization,
} from '../../../core/access/api-key.ts'
import { isTrialOrganization } from '../../../core/trial-organization.ts'

const orgId = 'Org123456789'
const anyOrgId = fc.stringMatching(/^[0-9A-Za-z]{12}$/)

describe('an issued key', () => {
  it('parses as the stored key', () => {
    fc.assert(
      fc.property(anyOrgId, (id) => {
        const { token, stored } = issueApiKey(id)
        expect(parseApiKey(token)).toEqual(stored)
        expect(stored.orgId).toBe(id)
        expect(token).toMatch(/^rates_[0-9A-Za-z]{56}$/)
      }),
    )
  })

  it('ends in its CRC32 in Base62', () => {
    const body = `rates_Org123456789Key12345${'0'.repeat(30)}`
    expect(parseApiKey(`${body}35Ilut`)).toMatchObject({ orgId: 'Org123456789', keyId: 'Key12345' })
  })

  it.each([
    ['a character too few', `rates_Org123456789Key12345${'0'.repeat(29)}0NC5yF`],
    ['a character too many', `rates_Org123456789Key12345${'0'.repeat(31)}3lFtDX`],
    ['another prefix', `other_Org123456789Key12345${'0'.repeat(30)}3GwcP1`],
    ['a hyphen', `rates_Org123456789Key1234-${'0'.repeat(30)}0tuAm3`],
  ])('must not have %s, even with the right checksum', (_, token) => {
    expect(parseApiKey(token)).toBeUndefined()
  })

  it('stores the SHA-256 of the whole key and never the key itself', () => {
    const { token, stored } = issueApiKey(orgId)
    expect(stored.hash).toBe(createHash('sha256').update(token).digest('hex'))
    expect(JSON.stringify(stored)).not.toContain(token.slice(26))
  })

  it('issues a different key each time, and a different organization id', () => {
    const tokens = Array.from({ length: 100 }, () => issueApiKey(orgId))
    expect(new Set(tokens.map(({ token }) => token)).size).toBe(100)
    expect(new Set(tokens.map(({ stored }) => stored.keyId)).size).toBe(100)
    const ids = Array.from({ length: 100 }, issueOrganizationId)
    expect(new Set(ids).size).toBe(100)
    expect(ids.filter((id) => !/^[0-9A-Za-z]{12}$/.test(id))).toEqual([])
  })

  it('issues the ids of trials apart from those of organizations', () => {
    const ids = Array.from({ length: 100 }, issueTrialOrganizationId)
    expect(new Set(ids).size).toBe(100)
    expect(ids.filter((id) => !/^smoke[0-9A-Za-z]{7}$/.test(id) || !isTrialOrganization(id))).toEqual([])
    expect(isTrialOrganization('Smoke1234567')).toBe(false)
    const { token, stored } = issueApiKey(issueTrialOrganizationId())
    expect(parseApiKey(token)?.orgId).toBe(stored.orgId)
  })

  it('refuses a key with any character changed, missing or added', () => {
    const { token } = issueApiKey(orgId)
    const anyCharacter = fc.oneof(fc.stringMatching(/^[0-9A-Za-z_]$/), fc.string({ unit: 'binary', maxLength: 2 }))
    fc.assert(
      fc.property(fc.nat(token.length - 1), anyCharacter, fc.boolean(), (at, character, isAdded) => {
        const changed = token.slice(0, at) + character + token.slice(isAdded ? at : at + 1)
        expect(changed === token || parseApiKey(changed) === undefined).toBe(true)
      }),
      { numRuns: 2000 },
    )
  })

  it('refuses a key with two adjacent characters swapped', () => {
    const { token } = issueApiKey(orgId)
    for (let at = 0; at < token.length - 1; at++) {
      const swapped = `${token.slice(0, at)}${token[at + 1]}${token[at]}${token.slice(at + 2)}`
      expect(swapped === token || parseApiKey(swapped) === undefined).toBe(true)
    }
  })
})

describe('the Authorization header', () => {
  const { token, stored } = issueApiKey(orgId)
  /** The header with the key in place of KEY: names of tests have no random characters. */
  const fill = (header: string) => header.replaceAll('KEY', token)

  it.each(['Bearer KEY', 'bearer KEY', 'BEARER   KEY  '])('gives the key of %j', (header) => {
    expect(parseAuthorization(fill(header))).toEqual(stored)
  })

  it.each([
    '',
    'Bearer',
    'Bearer ',
    'KEY',
    'Basic KEY',
    'BearerKEY',
    'Bearer\tKEY',
    'Bearer KEY KEY',
    'Bearer KEY\n',
    'Bearer KEY  x',
    ' Bearer KEY',
    'x Bearer KEY',
    'Bearer rates_',
  ])('gives none of %j', (header) => {
    expect(parseAuthorization(fill(header))).toBeUndefined()
  })

  it('gives none if it is missing, or if the key is in lower case', () => {
    expect(parseAuthorization(undefined)).toBeUndefined()
    expect(parseAuthorization(`Bearer ${token.toLowerCase()}`)).toBeUndefined()
  })

  it('never throws for any value', () => {
    const anyHeader = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({ unit: 'binary' }).map((text) => `Bearer ${text}`),
      fc.stringMatching(/^Bearer rates_\w{56}$/),
    )
    fc.assert(
      fc.property(anyHeader, (header) => {
        expect(parseAuthorization(header)).toBeUndefined()
      }),
    )
  })

  it('parses in linear time', () => {
    const started = performance.now()
    expect(parseAuthorization(`Bearer ${' '.repeat(100_000)}${'x '.repeat(100_000)}`)).toBeUndefined()
    expect(performance.now() - started).toBeLessThan(1000)
  })
})

describe('a presented key', () => {
  it('matches only the stored key that it was issued with', () => {
    const one = issueApiKey(orgId)
    const other = issueApiKey(orgId)
    expect(isSameKey(one.stored, one.stored)).toBe(true)
    expect(isSameKey(one.stored, other.stored)).toBe(false)
    expect(isSameKey(one.stored, { ...one.stored, revokedAt: new Date(0) })).toBe(true)
  })

  it('never matches an unknown key', () => {
    expect(isSameKey(issueApiKey(orgId).stored, undefined)).toBe(false)
  })
})
