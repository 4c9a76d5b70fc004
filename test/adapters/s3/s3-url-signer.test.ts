import { randomUUID } from 'node:crypto'
import { GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { STSClient } from '@aws-sdk/client-sts'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createS3UrlSigner } from '../../../adapters/s3/s3-url-signer.ts'
import { findStorageOrigin } from '../../../adapters/s3/storage-origin.ts'
import { addSeconds } from '../../../core/time.ts'
import { type Answer, startHttpStub } from '../../doubles/http-stub.ts'
import { createMemorySigner } from '../../doubles/memory-access.ts'
import { connectEndpoints } from '../../endpoints/connect.ts'

const { resultsBucket: bucket, signingRoleArn: roleArn } = connectEndpoints()
afterEach(() => void vi.unstubAllEnvs())

const noon = new Date('2026-11-20T12:00:00.750Z')
const shard = { key: 'results/org/job/run/attempt-1/0000', fileName: 'job-0001.parquet' }

const element = (name: string, text: string) => `<${name}>${text}</${name}>`

/** The response of STS to AssumeRole. */
function grant(credentialsEnd: Date, keyId = 'ASIAEXAMPLE'): Answer {
  const credentials = [
    element('AccessKeyId', keyId),
    element('SecretAccessKey', 'secret'),
    element('SessionToken', 'token'),
    element('Expiration', credentialsEnd.toISOString()),
  ]
  const result = element('AssumeRoleResult', element('Credentials', credentials.join('')))
  return { status: 200, body: element('AssumeRoleResponse', result) }
}

const denial: Answer = {
  status: 403,
  body: element('ErrorResponse', element('Error', element('Code', 'AccessDenied') + element('Message', 'denied'))),
}

/** Opens a signer over a fake STS, with a clock that only the test moves. */
async function openSigner(assume: (turn: number) => Answer) {
  const stub = await startHttpStub(() => assume(stub.calls.length))
  const clock = { now: noon }
  const settings = { bucket, roleArn, now: () => clock.now }
  const signer = createS3UrlSigner(settings, new STSClient({ endpoint: stub.url, maxAttempts: 1 }))
  return { signer, clock, calls: stub.calls, [Symbol.asyncDispose]: () => stub[Symbol.asyncDispose]() }
}

const longLived = (turn: number) => grant(addSeconds(noon, 7200), `ASIA${turn}`)

describe('signed URLs', () => {
  it('deliver a file under the requested name to a plain GET', async () => {
    const key = `results/${randomUUID()}/20261120_0000`
    await new S3Client({}).send(new PutObjectCommand({ Bucket: bucket, Key: key, Body: 'PAR1 and so on' }))
    const signer = createS3UrlSigner({ bucket, roleArn, now: () => new Date() })
    const { urls } = await signer.sign([{ key, fileName: 'job-0001.parquet' }])
    const response = await fetch(urls[0] ?? '')
    expect([response.status, await response.text()]).toEqual([200, 'PAR1 and so on'])
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="job-0001.parquet"')
  })

  it('need no header but the host', async () => {
    await using setup = await openSigner(longLived)
    const { urls } = await setup.signer.sign([shard])
    expect(new URL(urls[0] ?? '').searchParams.get('X-Amz-SignedHeaders')).toBe('host')
  })

  it('contain the bucket, and end at the common expiry', async () => {
    await using setup = await openSigner(longLived)
    const { urls, expiresAt } = await setup.signer.sign([shard, shard])
    expect(urls.map((url) => new URL(url).pathname)).toEqual([`/${bucket}/${shard.key}`, `/${bucket}/${shard.key}`])
    expect(urls.map(endOf)).toEqual([expiresAt, expiresAt])
    expect(new URL(urls[0] ?? '').origin).toBe(await findStorageOrigin(bucket))
  })
})

/** The adapter, and its double in tests of the core. */
const signers = {
  S3: () => openSigner(longLived),
  memory: async () => ({ signer: createMemorySigner(addSeconds(noon, 3600)), [Symbol.asyncDispose]: async () => {} }),
}

describe.each(Object.entries(signers))('URLs signed by %s', (_, open) => {
  it('come one per shard, in order, with a common expiry', async () => {
    await using setup = await open()
    const shards = [1, 2, 3].map((number) => ({ key: `results/a/${number}`, fileName: `${number}.parquet` }))
    const { urls, expiresAt } = await setup.signer.sign(shards)
    expect(urls).toHaveLength(3)
    for (const [index, { key, fileName }] of shards.entries()) {
      expect(new URL(urls[index] ?? '').pathname).toMatch(new RegExp(`/${key}$`))
      expect(decodeURIComponent(urls[index] ?? '')).toContain(fileName)
    }
    expect(expiresAt.getTime()).toBeGreaterThan(noon.getTime())
  })

  it('number none for no shards', async () => {
    await using setup = await open()
    expect((await setup.signer.sign([])).urls).toEqual([])
  })
})

describe('a signed URL', () => {
  it.each([
    { style: 'by the path of an endpoint', endpoint: process.env['AWS_ENDPOINT_URL_S3'] },
    { style: 'by the host of Amazon S3', endpoint: undefined },
  ])("equals the SDK's, byte for byte, when buckets are addressed $style", async ({ endpoint }) => {
    vi.stubEnv('AWS_ENDPOINT_URL_S3', endpoint)
    await using setup = await openSigner(longLived)
    const credentials = { accessKeyId: 'ASIA1', secretAccessKey: 'secret', sessionToken: 'token' }
    // No checksum: it would add two more parameters, one of them for an empty body.
    const plain = { responseChecksumValidation: 'WHEN_REQUIRED', requestChecksumCalculation: 'WHEN_REQUIRED' } as const
    const client = new S3Client({ credentials, ...plain })
    const keys = fc.array(fc.string({ unit: 'binary', minLength: 1, maxLength: 40 }), { minLength: 1, maxLength: 3 })
    const fileName = fc.stringMatching(/^[\w .()'!*-]{1,20}$/)
    await fc.assert(
      fc.asyncProperty(keys, fileName, async (segments, fileName) => {
        const key = `results/${segments.join('/')}`
        const { urls } = await setup.signer.sign([{ key, fileName }])
        const command = new GetObjectCommand({
          Bucket: bucket,
          Key: key,
          ResponseContentDisposition: `attachment; filename="${fileName}"`,
        })
        expect(urls).toEqual([await getSignedUrl(client, command, { expiresIn: 3600, signingDate: noon })])
      }),
    )
    expect(new URL(String((await setup.signer.sign([shard])).urls[0])).host).toMatch(endpoint ? /^127/ : /amazonaws/)
  })
})

/** Returns the time at which S3 stops serving a URL. */
function endOf(url: string): Date {
  const { searchParams } = new URL(url)
  const [, date, time] = /^(\d{8})T(\d{6})Z$/.exec(searchParams.get('X-Amz-Date') ?? '') ?? []
  const signedAt = `${date?.replace(/(....)(..)/, '$1-$2-')}T${time?.replace(/(..)(..)/, '$1:$2:')}Z`
  return addSeconds(new Date(signedAt), Number(searchParams.get('X-Amz-Expires')))
}

describe('the expiry of a URL', () => {
  it('lies one hour ahead, in whole seconds', async () => {
    await using setup = await openSigner(longLived)
    const { urls, expiresAt } = await setup.signer.sign([shard])
    expect(expiresAt).toEqual(new Date('2026-11-20T13:00:00.000Z'))
    expect(endOf(urls[0] ?? '')).toEqual(expiresAt)
  })

  it("equals the credentials' expiry if that comes first", async () => {
    const credentialsEnd = new Date('2026-11-20T12:55:30.000Z')
    await using setup = await openSigner(() => grant(credentialsEnd))
    const { urls, expiresAt } = await setup.signer.sign([shard])
    expect(expiresAt).toEqual(credentialsEnd)
    expect(endOf(urls[0] ?? '')).toEqual(credentialsEnd)
  })
})

describe('credentials of the signer', () => {
  it('serve five minutes before they are renewed', async () => {
    await using setup = await openSigner(longLived)
    const keyIds = new Map<number, string>()
    for (const seconds of [0, 1, 299.999, 300, 599.999, 600]) {
      setup.clock.now = addSeconds(noon, seconds)
      const { urls } = await setup.signer.sign([shard])
      keyIds.set(seconds, new URL(urls[0] ?? '').searchParams.get('X-Amz-Credential')?.split('/')[0] ?? '')
    }
    expect([...keyIds.values()]).toEqual(['ASIA1', 'ASIA1', 'ASIA1', 'ASIA2', 'ASIA2', 'ASIA3'])
    expect(setup.calls).toHaveLength(3)
  })

  it('come from one request for a burst of a hundred calls', async () => {
    await using setup = await openSigner(longLived)
    const signed = await Promise.all(Array.from({ length: 100 }, () => setup.signer.sign([shard])))
    expect(new Set(signed.flatMap(({ urls }) => urls)).size).toBe(1)
    expect(setup.calls).toHaveLength(1)
  })

  it('come from the signing role, for an hour', async () => {
    await using setup = await openSigner(longLived)
    await setup.signer.sign([shard])
    const parameters = new URLSearchParams(setup.calls[0]?.body)
    expect([parameters.get('RoleArn'), parameters.get('DurationSeconds')]).toEqual([roleArn, '3600'])
  })

  it('get requested again after a refusal, by the next call', async () => {
    await using setup = await openSigner((turn) => (turn === 1 ? denial : longLived(turn)))
    await expect(setup.signer.sign([shard])).rejects.toThrow('denied')
    await expect(setup.signer.sign([shard])).resolves.toMatchObject({ urls: [expect.any(String)] })
    expect(setup.calls).toHaveLength(2)
  })

  it('get renewed if they have ended early by the clock', async () => {
    await using setup = await openSigner((turn) => (turn === 1 ? grant(addSeconds(noon, 60)) : longLived(turn)))
    await setup.signer.sign([shard])
    setup.clock.now = addSeconds(noon, 61)
    const { urls } = await setup.signer.sign([shard])
    expect(urls[0]).toContain('ASIA2')
  })

  it('fail the call if they have ended when they are new', async () => {
    await using setup = await openSigner(() => grant(addSeconds(noon, -1)))
    await expect(setup.signer.sign([shard])).rejects.toMatchObject({ name: 'CredentialsEnded' })
    expect(setup.calls).toHaveLength(2)
  })

  it.each(['AccessKeyId', 'SecretAccessKey', 'SessionToken', 'Expiration'])(
    'fail the call without %s',
    async (name) => {
      const whole = grant(addSeconds(noon, 3600))
      const cut = { ...whole, body: whole.body.replace(new RegExp(`<${name}>.*</${name}>`), '') }
      await using setup = await openSigner(() => cut)
      await expect(setup.signer.sign([shard])).rejects.toThrow('STS gave no credentials')
    },
  )

  it('fail the call if the response of STS lacks them', async () => {
    await using setup = await openSigner(() => ({ status: 200, body: element('AssumeRoleResponse', '') }))
    await expect(setup.signer.sign([shard])).rejects.toThrow()
  })
})

describe('a signer whose clock moves', () => {
  it('never signs with credentials that have expired by it', async () => {
    const anyMove = fc.oneof(fc.integer({ min: -86_400, max: 86_400 }), fc.integer({ min: -600, max: 600 }))
    await fc.assert(
      fc.asyncProperty(fc.array(anyMove, { minLength: 1, maxLength: 6 }), async (moves) => {
        // The clock of STS is right and advances; only the function's clock is set.
        let right = noon
        await using setup = await openSigner(() => grant(addSeconds(right, 3600)))
        for (const seconds of moves) {
          right = addSeconds(right, 1800)
          setup.clock.now = addSeconds(right, seconds)
          const signed = await setup.signer.sign([shard]).catch(() => undefined)
          if (signed !== undefined) expect(signed.expiresAt > setup.clock.now).toBe(true)
          // Signing may fail only if the clock is ahead of the credentials' expiry.
          if (seconds < 3600) expect(signed).toBeDefined()
        }
      }),
      { numRuns: 60 },
    )
  })

  it('renews the credentials if its clock moves backwards, because they may have expired', async () => {
    await using setup = await openSigner(longLived)
    await setup.signer.sign([shard])
    setup.clock.now = addSeconds(noon, -86_400)
    await setup.signer.sign([shard])
    expect(setup.calls.length).toBe(2)
  })
})
