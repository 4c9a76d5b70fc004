import { createHash, createHmac } from 'node:crypto'
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
  const client = s3.clientFor(s3.credentials.own, { requestChecksumCalculation: 'WHEN_REQUIRED' })
  return getSignedUrl(client, new PutObjectCommand({ Bucket: bucket, Key: key }), { signingDate: s3.clock.now })
}

/** Signs a chunked PUT with node:crypto, because the SDK cannot send a malformed one. */
function signRaw(path: string, more: Record<string, string>): Record<string, string> {
  const { accessKeyId, secretAccessKey } = s3.credentials.own
  const time = s3.clock.now.toISOString().replace(/[-:]|\.\d+/g, '')
  const scope = `${time.slice(0, 8)}/us-east-1/s3/aws4_request`
  const payload = 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD'
  const signed = { host: new URL(s3.url).host, ...more, 'x-amz-content-sha256': payload, 'x-amz-date': time }
  const names = Object.keys(signed).sort().join(';')
  const lines = Object.entries(signed)
    .sort()
    .map(([name, value]) => `${name}:${value}\n`)
  const canonical = ['PUT', path, '', lines.join(''), names, payload].join('\n')
  const hmac = (key: Buffer | string, text: string) => createHmac('sha256', key).update(text).digest()
  const text = ['AWS4-HMAC-SHA256', time, scope, createHash('sha256').update(canonical).digest('hex')].join('\n')
  const signature = hmac(scope.split('/').reduce<Buffer | string>(hmac, `AWS4${secretAccessKey}`), text).toString('hex')
  const credential = `Credential=${accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`
  return { ...signed, authorization: `AWS4-HMAC-SHA256 ${credential}` }
}

describe('the S3 endpoint', () => {
  it('serves only its own buckets', async () => {
    const known = await s3.client.send(new HeadBucketCommand({ Bucket: bucket }))
    expect(known.$metadata.httpStatusCode).toBe(200)
    const head = s3.client.send(new HeadBucketCommand({ Bucket: 'no-such-bucket' }))
    await expect(head).rejects.toMatchObject({ name: 'NotFound' })
    const put = s3.client.send(new PutObjectCommand({ Bucket: 'no-such-bucket', Key: 'k', Body: 'x' }))
    await expect(put).rejects.toMatchObject({ name: 'NoSuchBucket' })
  })

  it('names what it does not implement', async () => {
    await expect(s3.client.send(new ListBucketsCommand({}))).rejects.toMatchObject({ name: 'NotImplemented' })
    const copy = new PutObjectCommand({ Bucket: bucket, Key: 'copy', Body: '' })
    const url = await getSignedUrl(s3.client, copy, { signingDate: s3.clock.now })
    expect((await fetch(url, { method: 'PUT', headers: { 'x-amz-copy-source': 'b/k' } })).status).toBe(403)
    const versioned = await presignGet(s3, { Key: 'k', VersionId: '1' })
    expect(await (await fetch(versioned)).text()).toContain('<Code>NotImplemented</Code>')
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

  it('answers 304 without a body to a client that already has the object', async () => {
    await s3.put('cached', 'x')
    const url = await presignGet(s3, { Key: 'cached' })
    const etag = (await fetch(url)).headers.get('etag') ?? ''
    const again = await fetch(url, { headers: { 'if-none-match': etag } })
    expect([again.status, await again.text()]).toEqual([304, ''])
  })

  it('sends an early refusal completely while the client is still sending', async () => {
    const body = 'x'.repeat(5_000_000)
    const answer = await sendRaw(s3.url, `/${bucket}/unsigned`, { method: 'PUT', body })
    expect(answer.status).toBe(403)
    expect(answer.body).toContain('<Code>AccessDenied</Code>')
  })

  it('sends its response completely and keeps the connection if it stops reading a body half-way', async () => {
    const headers = signRaw(`/${bucket}/malformed`, { 'x-amz-decoded-content-length': '5' })
    const body = 'not a chunk\r\n'.repeat(500_000)
    const answer = await sendRaw(s3.url, `/${bucket}/malformed`, { method: 'PUT', body, headers })
    expect([answer.status, answer.body]).toEqual([400, expect.stringContaining('not well-formed aws-chunked')])
  })

  it('refuses a body shorter than its declared length, and keeps none of it', async () => {
    const folder = join(s3.folder, 's3', bucket)
    const before = readdirSync(folder)
    const headers = signRaw(`/${bucket}/short`, { 'x-amz-decoded-content-length': '5' })
    const body = '4;chunk-signature=0\r\nabcd\r\n0;chunk-signature=0\r\n\r\n'
    const answer = await sendRaw(s3.url, `/${bucket}/short`, { method: 'PUT', body, headers })
    expect([answer.status, answer.body]).toEqual([400, expect.stringContaining('IncompleteBody')])
    expect(readdirSync(folder)).toEqual(before)
  })

  it('has every object after a restart on the same folder, and nothing of interrupted uploads', async () => {
    await s3.put('kept', 'before')
    const abort = new AbortController()
    const Body = new Readable({ read() {} })
    Body.push(Buffer.alloc(100_000))
    const upload = new PutObjectCommand({ Bucket: bucket, Key: 'broken', Body, ContentLength: 200_000 })
    const sending = s3.client.send(upload, { abortSignal: abort.signal })
    abort.abort()
    await expect(sending).rejects.toThrow()
    const folder = join(s3.folder, 's3', bucket)
    writeFileSync(join(folder, 'what-a-killed-process-left'), 'half')

    await s3.close()
    s3 = await openLocalS3(s3)
    const kept = await s3.client.send(new GetObjectCommand({ Bucket: bucket, Key: 'kept' }))
    expect(await kept.Body?.transformToString()).toBe('before')
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
  ])('is refused in XML: %s', async (_, path, headers) => {
    const answer = await sendRaw(s3.url, path, { headers })
    expect(answer.status).toBeGreaterThanOrEqual(400)
    expect(answer.status).toBeLessThan(500)
    expect(answer.body).toMatch(/^<\?xml.*\n<Error><Code>\w+<\/Code><Message>[^<]+<\/Message>/)
  })

  it("is refused as a wrong signature if a signed header is named like an object's method", async () => {
    const date = s3.clock.now.toISOString().replace(/[-:]|\.\d+/g, '')
    const query = `X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=local/${date.slice(0, 8)}/r/s3/aws4_request`
    const rest = `X-Amz-Date=${date}&X-Amz-Expires=60&X-Amz-SignedHeaders=constructor;host&X-Amz-Signature=0`
    const answer = await sendRaw(s3.url, `/${bucket}/k?${query}&${rest}`)
    expect([answer.status, answer.body]).toEqual([403, expect.stringContaining('SignatureDoesNotMatch')])
  })

  it('cannot forge a response header through a signed URL', async () => {
    await s3.put('forged', 'x')
    const url = await presignGet(s3, { Key: 'forged', ResponseContentDisposition: 'a\r\nset-cookie: b' })
    const answer = await fetch(url)
    expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining('InvalidArgument')])
  })

  it('of any kind is refused without crashing the endpoint', async () => {
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
