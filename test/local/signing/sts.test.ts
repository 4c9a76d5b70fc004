import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AssumeRoleCommand, GetSessionTokenCommand, STSClient } from '@aws-sdk/client-sts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { RunningServer } from '../../../local/http-server.ts'
import { type AccessKey, type CredentialBook, openCredentialBook } from '../../../local/signing/credentials.ts'
import { startSts } from '../../../local/sts/server.ts'

const RoleArn = 'arn:aws:iam::123456789012:role/stage/signer'
const RoleSessionName = 'get-search'

let folder: string
let credentials: CredentialBook
let server: RunningServer
const now = new Date()
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'local-sts-'))
  credentials = openCredentialBook(folder)
  server = await startSts({ credentials, now: () => now })
})
afterAll(async () => {
  await server.close()
  rmSync(folder, { recursive: true })
})

function clientFor(key: AccessKey & { sessionToken?: string }): STSClient {
  return new STSClient({ endpoint: server.url, region: 'us-east-1', credentials: key, maxAttempts: 1 })
}

async function assumeRole(seconds?: number, key: AccessKey = credentials.localUser) {
  const duration = seconds === undefined ? {} : { DurationSeconds: seconds }
  const command = new AssumeRoleCommand({ RoleArn, RoleSessionName, ...duration })
  const { Credentials, AssumedRoleUser } = await clientFor(key).send(command)
  const { AccessKeyId = '', SecretAccessKey = '', SessionToken = '', Expiration } = Credentials ?? {}
  const issued = { accessKeyId: AccessKeyId, secretAccessKey: SecretAccessKey, sessionToken: SessionToken }
  return { issued, expiration: Expiration, arn: AssumedRoleUser?.Arn }
}

describe('AssumeRole', () => {
  it('issues credentials for an hour by default, or for the requested duration', async () => {
    expect((await assumeRole()).expiration).toEqual(new Date(now.getTime() + 3_600_000))
    expect((await assumeRole(900)).expiration).toEqual(new Date(now.getTime() + 900_000))
  })

  it('issues credentials that sign as the role, even after a restart', async () => {
    const { issued, arn } = await assumeRole()
    expect(issued.accessKeyId).toMatch(/^ASIA[0-9A-F]{16}$/)
    expect(arn).toBe('arn:aws:sts::123456789012:assumed-role/signer/get-search')
    const signer = openCredentialBook(folder).find(issued.accessKeyId, issued.sessionToken, now)
    expect(signer).toMatchObject({ secret: issued.secretAccessKey, arn })
  })

  it.each([899, 43_201])('refuses a duration of %d seconds', async (seconds) => {
    await expect(assumeRole(seconds)).rejects.toMatchObject({ name: 'ValidationError' })
  })

  it('refuses more than an hour to a caller that already has a role', async () => {
    const { issued } = await assumeRole(43_200)
    await expect(assumeRole(3601, issued)).rejects.toMatchObject({ name: 'ValidationError' })
    expect((await assumeRole(3600, issued)).expiration).toBeInstanceOf(Date)
  })

  it('refuses an invalid role ARN or session name', async () => {
    const sts = clientFor(credentials.localUser)
    const noRole = new AssumeRoleCommand({ RoleArn: 'arn:aws:iam::123456789012:user/x', RoleSessionName })
    await expect(sts.send(noRole)).rejects.toMatchObject({ name: 'ValidationError' })
    const noName = new AssumeRoleCommand({ RoleArn, RoleSessionName: 'two words' })
    await expect(sts.send(noName)).rejects.toMatchObject({ name: 'ValidationError' })
  })

  it('refuses unknown credentials, wrong secrets and unsigned requests', async () => {
    const { localUser } = credentials
    const unknown = assumeRole(900, { ...localUser, accessKeyId: 'AKIAUNKNOWN' })
    await expect(unknown).rejects.toMatchObject({ name: 'InvalidClientTokenId' })
    const wrong = assumeRole(900, { ...localUser, secretAccessKey: 'wrong' })
    await expect(wrong).rejects.toMatchObject({ name: 'SignatureDoesNotMatch' })
    const unsigned = await fetch(server.url, { method: 'POST', body: 'Action=AssumeRole' })
    expect([unsigned.status, await unsigned.text()]).toEqual([
      403,
      expect.stringContaining('MissingAuthenticationToken'),
    ])
  })
})

describe('the STS endpoint', () => {
  it('refuses other actions', async () => {
    const other = clientFor(credentials.localUser).send(new GetSessionTokenCommand({}))
    await expect(other).rejects.toMatchObject({ name: 'InvalidAction', $metadata: { httpStatusCode: 400 } })
  })
})
