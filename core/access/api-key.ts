import { createHash, randomInt, timingSafeEqual } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { keyParts, keyPrefix, writtenKey } from '../../contract/limits.ts'
import { isTrialOrganization, trialStart } from '../trial-organization.ts'
import type { KeyLimits } from './permissions.ts'

/**
 * API keys: `rates_<organization id><key id><secret><checksum>`, all in Base62. Prefix and checksum let secret scanners
 * recognize a key and let the service reject a mistyped one without any read. The organization id makes it possible to
 * fetch key, organization and job in one read.
 */

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** A well-formed key as a client sent it, not yet checked against the store. */
export interface PresentedKey {
  readonly orgId: string
  readonly keyId: string
  /** SHA-256 of the whole key, in hex. The key itself never leaves its parser. */
  readonly hash: string
}

/**
 * The stored form of a key. Plain SHA-256 is enough for 178 random bits; a slow hash would only slow down every
 * request.
 */
export interface StoredKey extends KeyLimits {
  readonly orgId: string
  readonly keyId: string
  readonly hash: string
  /** Revoked keys are kept, so that their holders get 403 instead of 401. */
  readonly revokedAt?: Date
  /** Time from which the key is refused like a revoked one; absent: never. */
  readonly expiresAt?: Date
  /** The last day (UTC, `2026-11-20`) on which the key was accepted; absent: never. */
  readonly lastUsedOn?: string
}

/**
 * Parses the value of an `Authorization` header.
 *
 * @returns undefined unless it is a well-formed key
 */
export function parseAuthorization(header: string | undefined): PresentedKey | undefined {
  const token = readBearerToken(header)
  return token === undefined ? undefined : parseApiKey(token)
}

/** Returns the token of an `Authorization` header as it was sent, whatever its form; undefined if there is none. */
export const readBearerToken = (header: string | undefined): string | undefined =>
  /^Bearer +(\S+) *$/i.exec(header ?? '')?.[1]

/** Reads a key; undefined if its form or checksum is wrong. */
export function parseApiKey(token: string): PresentedKey | undefined {
  const { orgId, keyId } = writtenKey.exec(token)?.groups ?? {}
  const body = token.slice(0, -keyParts.checksum)
  if (orgId === undefined || keyId === undefined || token !== body + checksumOf(body)) return undefined
  return { orgId, keyId, hash: hashApiKey(token) }
}

/** Issues a new key. The token is shown once and not stored. */
export function issueApiKey(orgId: string): { readonly token: string; readonly stored: StoredKey } {
  const keyId = randomBase62(keyParts.keyId)
  const body = `${keyPrefix}${orgId}${keyId}${randomBase62(keyParts.secret)}`
  const token = body + checksumOf(body)
  return { token, stored: { orgId, keyId, hash: hashApiKey(token) } }
}

export function issueOrganizationId(): string {
  const orgId = randomBase62(keyParts.orgId)
  return isTrialOrganization(orgId) ? issueOrganizationId() : orgId
}

/** Issues the id of an organization for a trial of a stage. */
export function issueTrialOrganizationId(): string {
  return trialStart + randomBase62(keyParts.orgId - trialStart.length)
}

/**
 * True if a presented key is the stored one. Takes constant time: an unknown key is compared with a hash that no key
 * has.
 */
export function isSameKey(presented: PresentedKey, stored: StoredKey | undefined): stored is StoredKey {
  const expected = Buffer.from(stored?.hash ?? '0'.repeat(64), 'hex')
  return timingSafeEqual(Buffer.from(presented.hash, 'hex'), expected)
}

function hashApiKey(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}

function randomBase62(length: number): string {
  return Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('')
}

function checksumOf(text: string): string {
  let remainder = crc32(text)
  let digits = ''
  for (let position = 0; position < keyParts.checksum; position++) {
    digits = `${alphabet[remainder % alphabet.length]}${digits}`
    remainder = Math.floor(remainder / alphabet.length)
  }
  return digits
}
