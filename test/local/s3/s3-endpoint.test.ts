import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { GetObjectCommand, HeadBucketCommand, ListBucketsCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bucket, discardLocalS3, type LocalS3, openLocalS3, presignGet, sendRaw } from '../local-s3.ts'

let s3: LocalS3
beforeAll(async () => {
  s3 = await openLocalS3()
})
afterAll(() => discardLocalS3(s3))

function presignPut(key: string): Promise<string> {
  const client = s3.clientFor(s3.credentials.localUser, { requestChecksumCalculation: 'WHEN_REQUIRED' })
  return getSignedUrl(client, new PutObjectCommand({ Bucket: bucket, Key: key }), { signingDate: s3.clock.now })
}

describe('the S3 endpoint', () => {
  it('serves only the buckets that exist', async () => {
    const existing = await s3.client.send(new HeadBucketCommand({ Bucket: bucket }))
    expect(existing.$metadata.httpStatusCode).toBe(200)
    const head = s3.client.send(new HeadBucketCommand({ Bucket: 'no-such-bucket' }))
    await expect(head).rejects.toMatchObject({ name: 'NotFound' })
    const put = s3.client.send(new PutObjectCommand({ Bucket: 'no-such-bucket', Key: 'k', Body: 'x' }))
    await expect(put).rejects.toMatchObject({ name: 'NoSuchBucket' })
  })

  it('names the feature that it does not implement', async () => {
    await expect(s3.client.send(new ListBucketsCommand({}))).rejects.toMatchObject({ name: 'NotImplemented' })
    const copy = new PutObjectCommand({ Bucket: bucket, Key: 'copy', Body: '' })
    const url = await getSignedUrl(s3.client, copy, { signingDate: s3.clock.now })
    expect((await fetch(url, { method: 'PUT', headers: { 'x-amz-copy-source': 'b/k' } })).status).toBe(403)
    const versioned = await presignGet(s3, { Key: 'k', VersionId: '1' })
    expect(await (await fetch(versioned)).text()).toContain('<Code>NotImplemented</Code>')
    const described = new PutObjectCommand({ Bucket: bucket, Key: 'k', Body: 'x', Metadata: { source: 'payer' } })
    await expect(s3.client.send(described)).rejects.toMatchObject({ name: 'NotImplemented' })
    const [Body, ContentLength] = [Readable.from([Buffer.from('x')]), 1]
    const chunked = new PutObjectCommand({ Bucket: bucket, Key: 'k', Body, ContentLength })
    await expect(s3.client.send(chunked)).rejects.toThrow('aws-chunked bodies are not implemented')
  })

  it('accepts an upload to a pre-signed URL', async () => {
    expect((await fetch(await presignPut('uploaded'), { method: 'PUT', body: 'by hand' })).status).toBe(200)
    expect(await (await fetch(await presignGet(s3, { Key: 'uploaded' }))).text()).toBe('by hand')
  })

  it('requires the length of an upload up front', async () => {
    const body = new Response('of unknown length').body
    const answer = await fetch(await presignPut('endless'), { method: 'PUT', body, duplex: 'half' })
    expect([answer.status, await answer.text()]).toEqual([411, expect.stringContaining('MissingContentLength')])
  })

  it('sends an early refusal completely while the client is still sending', async () => {
    const body = 'x'.repeat(5_000_000)
    const answer = await sendRaw(s3.url, `/${bucket}/unsigned`, { method: 'PUT', body })
    expect(answer.status).toBe(403)
    expect(answer.body).toContain('<Code>AccessDenied</Code>')
  })

  it('keeps every object across a restart on the same folder, and nothing of interrupted uploads', async () => {
    await s3.put('kept', 'before')
    const abort = new AbortController()
    const Body = new Readable({ read() {} })
    Body.push(Buffer.alloc(100_000))
    const upload = new PutObjectCommand({ Bucket: bucket, Key: 'broken', Body, ContentLength: 200_000 })
    const client = s3.clientFor(s3.credentials.localUser, { requestChecksumCalculation: 'WHEN_REQUIRED' })
    const sending = client.send(upload, { abortSignal: abort.signal })
    abort.abort()
    await expect(sending).rejects.toThrow()
    const folder = join(s3.folder, 's3', bucket)
    writeFileSync(join(folder, 'what-a-killed-process-left'), 'half')

    await s3.close()
    s3 = await openLocalS3(s3)
    const object = await s3.client.send(new GetObjectCommand({ Bucket: bucket, Key: 'kept' }))
    expect(await object.Body?.transformToString()).toBe('before')
    const broken = s3.client.send(new GetObjectCommand({ Bucket: bucket, Key: 'broken' }))
    await expect(broken).rejects.toMatchObject({ name: 'NoSuchKey' })
    expect(readdirSync(folder)).not.toContain('what-a-killed-process-left')
  })
})

describe('hostile input', () => {
  it.each([
    ['bad percent-encoding', `/${bucket}/%zz`, {}],
    ['bytes that are not UTF-8', `/${bucket}/%ff`, {}],
    ['bad percent-encoding in the query', `/${bucket}?prefix=%`, {}],
    ['a target that is a URL', 'http://elsewhere/x', {}],
    ['a meaningless Authorization header', `/${bucket}/k`, { authorization: 'AWS4-HMAC-SHA256 ,,=,' }],
    ['another scheme', `/${bucket}/k`, { authorization: 'Basic eHg6eHg=' }],
    ['a credential without scope', `/${bucket}/k?X-Amz-Credential=local&X-Amz-Signature=x`, {}],
    [
      'an invalid date, and a signed header named like a method',
      `/${bucket}/k`,
      {
        authorization:
          'AWS4-HMAC-SHA256 Credential=local/99999999/r/s3/aws4_request, SignedHeaders=constructor;host;x-amz-date, Signature=0',
        'x-amz-date': '99999999T999999Z',
      },
    ],
  ])('gets a refusal in XML: %s', async (_, path, headers) => {
    const answer = await sendRaw(s3.url, path, { headers })
    expect(answer.status).toBeGreaterThanOrEqual(400)
    expect(answer.status).toBeLessThan(500)
    expect(answer.body).toMatch(/^<\?xml.*\n<Error><Code>\w+<\/Code><Message>[^<]+<\/Message>/)
  })

  it("fails as a wrong signature if a signed header is named like an object's method", async () => {
    const date = s3.clock.now.toISOString().replace(/[-:]|\.\d+/g, '')
    const query = `X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=local/${date.slice(0, 8)}/r/s3/aws4_request`
    const parameters = `X-Amz-Date=${date}&X-Amz-Expires=60&X-Amz-SignedHeaders=constructor;host&X-Amz-Signature=0`
    const answer = await sendRaw(s3.url, `/${bucket}/k?${query}&${parameters}`)
    expect([answer.status, answer.body]).toEqual([403, expect.stringContaining('SignatureDoesNotMatch')])
  })

  it('cannot forge a response header through a signed URL', async () => {
    await s3.put('forged', 'x')
    const url = await presignGet(s3, { Key: 'forged', ResponseContentDisposition: 'a\r\nset-cookie: b' })
    const answer = await fetch(url)
    expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining('InvalidArgument')])
  })

  it('never crashes the endpoint, which refuses it', async () => {
    const path = fc.string({ unit: fc.constantFrom(...'/?&=%+.;:aF0é-'), maxLength: 40 })
    const header = fc.string({ unit: fc.constantFrom(...'AWS4-HMAC-SHA256 Credential=/,;0aZ'), maxLength: 80 })
    await fc.assert(
      fc.asyncProperty(path, header, async (tail, authorization) => {
        const answer = await sendRaw(s3.url, encodeURI(`/${tail}`).replaceAll('%25', '%'), {
          headers: { authorization },
        })
        expect(answer.status).toBeGreaterThanOrEqual(400)
        expect(answer.status).toBeLessThan(500)
      }),
      { numRuns: 200 },
    )
  })
})
