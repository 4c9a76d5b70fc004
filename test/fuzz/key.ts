import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import fc from 'fast-check'
import { checkAccess } from '../../core/access/access.ts'
import { issueApiKey, parseApiKey, parseAuthorization } from '../../core/access/api-key.ts'
import type { AccessRecord } from '../../core/access/ports.ts'
import { Unauthorized } from '../../core/errors.ts'
import { brokenKey, closeToKey } from './broken-keys.ts'
import { rule, type Surface } from './surface.ts'

const organizations = ['Org123456789', 'Org987654321'].map((orgId) => ({ orgId, name: orgId, active: true }))
const keys = organizations.flatMap(({ orgId }) => [issueApiKey(orgId), issueApiKey(orgId)])
const anyKey = fc.constantFrom(...keys).map(({ token }) => token)

const anyHeader = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.tuple(fc.constantFrom('Bearer ', 'bearer  ', 'Basic ', 'Bearer\t', ''), fc.string({ unit: 'binary' })).map(join),
  fc
    .tuple(fc.constantFrom('Bearer ', 'BEARER ', ' Bearer '), anyKey, fc.constantFrom('', ' ', '\n', '\u00a0'))
    .map(join),
  anyKey.chain(brokenKey).map((key) => `Bearer ${key}`),
  fc.integer({ min: 1, max: 65_536 }).map((length) => `Bearer rates_${'x'.repeat(length)}`),
)

const anyCharacter = fc.oneof(
  fc.stringMatching(/^[0-9A-Za-z_]$/),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
)

/** API keys: only issued keys are accepted, and a key only gives access to its own organization. */
export const keySurface: Surface = {
  name: 'key',
  rules: [
    rule(
      'only-keys-parse',
      3000,
      fc.property(anyHeader, (header) => {
        const presented = parseAuthorization(header)
        if (presented === undefined) return
        // Computed without the parser's code.
        const token = /^bearer +(rates_[0-9A-Za-z_]{56}) *$/i.exec(header)?.[1] ?? ''
        assert.equal(token.slice(-6), checksum(token.slice(0, -6)))
        assert.deepEqual(presented, { orgId: token.slice(6, 18), keyId: token.slice(18, 26), hash: sha256(token) })
      }),
    ),
    rule(
      'one-character-is-noticed',
      2000,
      fc.property(anyKey, fc.nat(61), anyCharacter, (key, at, character) => {
        fc.pre(key[at] !== character)
        assert.equal(parseApiKey(key.slice(0, at) + character + key.slice(at + 1)), undefined)
      }),
    ),
    rule(
      'opens-only-its-own-organization',
      2000,
      fc.property(fc.oneof(anyKey, forgedKey()), (token) => {
        const presented = parseApiKey(token)
        if (presented === undefined) throw new Error('a forged key must have a valid checksum')
        const issued = keys.find((key) => key.token === token)
        if (issued === undefined)
          assert.throws(() => checkAccess(presented, recordOf(presented), new Date()), Unauthorized)
        else assert.equal(checkAccess(presented, recordOf(presented), new Date()).orgId, issued.stored.orgId)
      }),
    ),
  ],
}

/** A key forged from parts of other keys, with a valid checksum: its algorithm is not a secret. */
function forgedKey(): fc.Arbitrary<string> {
  return closeToKey(keys.map(({ token }) => token)).map((body) => body + checksum(body))
}

/** The access record that the store returns for the ids in a key. */
function recordOf({ orgId, keyId }: { readonly orgId: string; readonly keyId: string }): AccessRecord {
  const organization = organizations.find((it) => it.orgId === orgId)
  const key = keys.find(({ stored }) => stored.orgId === orgId && stored.keyId === keyId)?.stored
  return { ...(organization && { organization }), ...(key && { key }) }
}

function checksum(text: string): string {
  const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
  const positions = [5, 4, 3, 2, 1, 0].map((position) => Math.floor(crc32(text) / 62 ** position) % 62)
  return positions.map((digit) => digits[digit]).join('')
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

function join(parts: readonly string[]): string {
  return parts.join('')
}
