import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openCredentialBook } from '../../../local/signing/credentials.ts'

const now = new Date('2026-11-20T09:30:00Z')
const role = 'arn:aws:iam::000000000000:role/signer'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'local-credentials-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

describe('a credential book', () => {
  it('makes its master secret readable only by its owner', () => {
    openCredentialBook(folder)
    expect(statSync(join(folder, 'master-secret')).mode & 0o777).toBe(0o600)
  })

  it('keeps its key when it is reopened, and has another key in another folder', () => {
    const { localUser } = openCredentialBook(folder)
    expect(openCredentialBook(folder).localUser).toEqual(localUser)
    expect(openCredentialBook(join(folder, 'another')).localUser).not.toEqual(localUser)
  })

  it('accepts temporary credentials until they expire, without storing them', () => {
    const issued = openCredentialBook(folder).issue(role, 900, now)
    const book = openCredentialBook(folder)
    const secret = issued.secretAccessKey
    const last = new Date(issued.expiresAt.getTime() - 1)
    const expected = { secret, arn: role, expiresAt: issued.expiresAt }
    expect(book.find(issued.accessKeyId, issued.sessionToken, last)).toEqual(expected)
    expect(book.find(issued.accessKeyId, issued.sessionToken, issued.expiresAt)).toBe('expired')
  })

  it('refuses a session token that it did not seal', () => {
    const book = openCredentialBook(folder)
    const { accessKeyId, sessionToken } = book.issue(role, 900, now)
    const bytes = Buffer.from(sessionToken, 'base64')
    for (const index of bytes.keys()) {
      const forged = Buffer.from(bytes)
      forged[index] = (forged[index] ?? 0) ^ 1
      expect(book.find(accessKeyId, forged.toString('base64'), now)).toBe('token invalid')
    }
    expect(book.find(accessKeyId, `${sessionToken}=`, now)).toBe('token invalid')
    expect(book.find('ASIAOTHER', sessionToken, now)).toBe('token invalid')
    expect(book.find('local', sessionToken, now)).toBe('token invalid')
  })

  it('does not accept other keys, or temporary keys without their token', () => {
    const book = openCredentialBook(folder)
    expect(book.find('AKIAUNKNOWN', undefined, now)).toBe('unknown')
    expect(book.find(book.issue(role, 900, now).accessKeyId, undefined, now)).toBe('unknown')
  })

  it('refuses to open a file without a valid secret', () => {
    writeFileSync(join(folder, 'master-secret'), 'short')
    expect(() => openCredentialBook(folder)).toThrow('does not contain a valid secret')
  })
})
