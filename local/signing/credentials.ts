import { createHmac, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * The credentials that the local endpoints accept. All derive from one master secret in the data folder, so what STS
 * issues needs no storage, and a URL signed before a restart stays valid until it expires.
 */

export interface AccessKey {
  readonly accessKeyId: string
  readonly secretAccessKey: string
}

export interface TemporaryCredentials extends AccessKey {
  readonly sessionToken: string
  readonly expiresAt: Date
}

/** The credentials behind an access key. */
export interface KnownCredentials {
  readonly secret: string
  /** ARN of the local user or of the assumed role. */
  readonly arn: string
  /** Only set for temporary credentials. */
  readonly expiresAt?: Date
}

export type CredentialBook = ReturnType<typeof openCredentialBook>

/** The claims inside a session token. */
interface Session {
  readonly arn: string
  /** Milliseconds since 1970. */
  readonly expiresAt: number
}

const localKeyId = 'local'
const localArn = 'arn:aws:iam::000000000000:user/local'
const temporaryPrefix = 'ASIA'
const secretBytes = 32
const sealBytes = 32

/**
 * Opens the credential book of a data folder. Creates its master secret, readable only by its owner, if there is none.
 *
 * @throws Error if the secret's file is invalid
 */
export function openCredentialBook(folder: string) {
  const master = readMasterSecret(folder)
  const localUser = { accessKeyId: localKeyId, secretAccessKey: deriveSecret(master, localKeyId) }
  return {
    /** The static key of the local user, with which commands and endpoints of this machine call. */
    localUser,
    /**
     * Issues credentials for a role or role session, valid for `seconds` from `now`. Same arguments, same credentials.
     */
    issue(arn: string, seconds: number, now: Date): TemporaryCredentials {
      const expiresAt = new Date(now.getTime() + seconds * 1000)
      const claims = Buffer.from(JSON.stringify({ arn, expiresAt: expiresAt.getTime() } satisfies Session))
      return { ...deriveKey(master, claims), sessionToken: sealClaims(master, claims), expiresAt }
    },
    /** Looks up the credentials that signed a request. The session token is undefined if the request has none. */
    find(
      accessKeyId: string,
      sessionToken: string | undefined,
      now: Date,
    ): KnownCredentials | 'unknown' | 'expired' | 'token invalid' {
      if (accessKeyId === localUser.accessKeyId)
        return sessionToken === undefined ? { secret: localUser.secretAccessKey, arn: localArn } : 'token invalid'
      if (!accessKeyId.startsWith(temporaryPrefix) || sessionToken === undefined) return 'unknown'
      const claims = openToken(master, sessionToken)
      if (claims === undefined) return 'token invalid'
      const key = deriveKey(master, claims)
      if (key.accessKeyId !== accessKeyId) return 'token invalid'
      const session = parseSession(claims)
      const expiresAt = new Date(session.expiresAt)
      return expiresAt <= now ? 'expired' : { secret: key.secretAccessKey, arn: session.arn, expiresAt }
    },
  }
}

function readMasterSecret(folder: string): Buffer {
  const file = join(folder, 'master-secret')
  if (!existsSync(file)) {
    mkdirSync(folder, { recursive: true })
    // Renamed into place, so a killed process never leaves a half-written secret.
    const draft = `${file}.${randomUUID()}`
    writeFileSync(draft, randomBytes(secretBytes).toString('hex'), { mode: 0o600 })
    renameSync(draft, file)
  }
  const secret = Buffer.from(readFileSync(file, 'utf8'), 'hex')
  if (secret.length !== secretBytes)
    throw new Error(`${file} does not contain a valid secret; delete it to generate a new one`)
  return secret
}

function deriveKey(master: Buffer, claims: Buffer): AccessKey {
  const id = createHmac('sha256', master).update('access key id\n').update(claims).digest('hex')
  const accessKeyId = `${temporaryPrefix}${id.slice(0, 16).toUpperCase()}`
  return { accessKeyId, secretAccessKey: deriveSecret(master, claims) }
}

/** 30 bytes encode to 40 Base64 characters, the length of AWS secrets. */
function deriveSecret(master: Buffer, purpose: Buffer | string): string {
  const digest = createHmac('sha256', master).update('secret access key\n').update(purpose).digest()
  return digest.subarray(0, 30).toString('base64')
}

/**
 * Writes plain Base64 rather than base64url: tokens of AWS contain `+`, `/` and `=`, and clients must encode them here
 * as there.
 */
function sealClaims(master: Buffer, claims: Buffer): string {
  return Buffer.concat([sealOf(master, claims), claims]).toString('base64')
}

function openToken(master: Buffer, token: string): Buffer | undefined {
  const bytes = Buffer.from(token, 'base64')
  if (bytes.length <= sealBytes || bytes.toString('base64') !== token) return undefined
  const claims = bytes.subarray(sealBytes)
  return timingSafeEqual(bytes.subarray(0, sealBytes), sealOf(master, claims)) ? claims : undefined
}

function sealOf(master: Buffer, claims: Buffer): Buffer {
  return createHmac('sha256', master).update('session token\n').update(claims).digest()
}

/** Reads claims whose seal has been verified, so the claims have the shape that `issue` gave them. */
function parseSession(claims: Buffer): Session {
  return JSON.parse(claims.toString('utf8')) as Session
}
