import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bucket, discardLocalS3, type LocalS3, openLocalS3, presignGet, sendRaw } from '../local-s3.ts'

const key = 'results/a b+c%/ü.parquet'
const role = 'arn:aws:iam::000000000000:role/signer'

let s3: LocalS3
let url: URL
beforeAll(async () => {
  s3 = await openLocalS3()
  await s3.put(key, '0123456789')
  const issued = s3.credentials.issue(role, 3600, s3.clock.now)
  const ResponseContentDisposition = 'attachment; filename="rates 1.parquet"'
  url = new URL(await presignGet(s3, { Key: key, ResponseContentDisposition }, s3.clientFor(issued)))
})
afterAll(() => discardLocalS3(s3))

/** Runs with the clock advanced by this many seconds. */
async function later<T>(seconds: number, run: () => Promise<T>): Promise<T> {
  const { now } = s3.clock
  s3.clock.now = new Date(now.getTime() + seconds * 1000)
  try {
    return await run()
  } finally {
    s3.clock.now = now
  }
}

/** Sends a GET and returns its status and error code. */
async function open(target: URL | string, headers: Record<string, string> = {}): Promise<string> {
  const { origin, pathname, search } = new URL(target)
  return describeAnswer(await sendRaw(origin, pathname + search, { headers }))
}

function describeAnswer({ status, body }: { status: number; body: string }): string {
  return `${status} ${/<Code>(\w+)<\/Code>/.exec(body)?.[1] ?? body}`
}

function withParameter(name: string, value: string): URL {
  const changed = new URL(url)
  changed.searchParams.set(name, value)
  return changed
}

describe('a pre-signed URL', () => {
  it('opens its object for anyone who has it, signing only the host', async () => {
    expect(url.searchParams.get('X-Amz-SignedHeaders')).toBe('host')
    const answer = await fetch(url)
    expect(await answer.text()).toBe('0123456789')
    expect(answer.headers.get('content-disposition')).toBe('attachment; filename="rates 1.parquet"')
  })

  it('opens ranges of its object', async () => {
    const answer = await fetch(url, { headers: { range: 'bytes=3-5' } })
    expect([answer.status, await answer.text()]).toEqual([206, '345'])
    expect(answer.headers.get('x-amz-checksum-crc32')).toBeNull()
  })

  it('opens if a client encodes its query differently', async () => {
    const { searchParams } = url
    const respelled = `${url.origin}${url.pathname}?${searchParams}`
    expect(respelled).toContain('+filename')
    expect(await open(respelled)).toBe('200 0123456789')
  })

  it('opens only with the method that it was signed for', async () => {
    expect((await fetch(url, { method: 'HEAD' })).status).toBe(403)
  })

  it('fails if a query parameter is added, removed or changed', async () => {
    const without = new URL(url)
    without.searchParams.delete('response-content-disposition')
    const flipped = (url.searchParams.get('X-Amz-Signature') ?? '').replace(/.$/, (digit) =>
      digit === '0' ? '1' : '0',
    )
    const changes = [
      without,
      withParameter('response-content-type', 'text/html'),
      withParameter('response-content-disposition', 'inline'),
      withParameter('X-Amz-Expires', '601'),
      withParameter('X-Amz-Signature', flipped),
      withParameter('X-Amz-Signature', 'é'.repeat(64)),
    ]
    for (const change of changes) expect(await open(change)).toBe('403 SignatureDoesNotMatch')
  })

  it('fails for another object or host', async () => {
    await s3.put('results/other', 'secret')
    const other = new URL(url)
    other.pathname = `/${bucket}/results/other`
    expect(await open(other)).toBe('403 SignatureDoesNotMatch')
    expect(await open(url, { host: 'localhost' })).toBe('403 SignatureDoesNotMatch')
  })

  it('fails if any single character of its path or a query value changes', async () => {
    const parts = [decodeURIComponent(url.pathname), ...url.searchParams.values()]
    const names = [...url.searchParams.keys()]
    const change = fc.record({
      part: fc.nat(parts.length - 1),
      at: fc.nat(1000),
      sign: fc.string({ unit: 'grapheme', minLength: 0, maxLength: 1 }),
    })
    await fc.assert(
      fc.asyncProperty(change, async ({ part, at, sign }) => {
        const signs = [...(parts[part] ?? '')]
        signs[at % signs.length] = sign
        const text = signs.join('')
        fc.pre(text !== parts[part])
        const query = names.map((name, index) => [name, index + 1 === part ? text : (parts[index + 1] ?? '')])
        const path = part === 0 ? `/${text.replace(/^\//, '')}` : (parts[0] ?? '')
        fc.pre(part !== 0 || path !== parts[0])
        const search = query.map((pair) => pair.map(encodeURIComponent).join('=')).join('&')
        const pathname = path.split('/').map(encodeURIComponent).join('/')
        const answer = await sendRaw(s3.url, `${pathname}?${search}`)
        expect([400, 403]).toContain(answer.status)
      }),
      { numRuns: 500 },
    )
  })

  it('expires exactly on the second', async () => {
    expect(await later(599, () => open(url))).toBe('200 0123456789')
    const answer = await later(600, () => sendRaw(url.origin, url.pathname + url.search))
    expect(answer).toMatchObject({ status: 403, body: expect.stringContaining('<Code>AccessDenied</Code>') })
    expect(answer.body).toContain('Request has expired')
  })

  it('fails before its date, and with a validity of more than a week', async () => {
    expect(await later(-3600, () => open(url))).toBe('403 AccessDenied')
    expect(await open(withParameter('X-Amz-Expires', '604801'))).toBe('400 AuthorizationQueryParametersError')
    expect(await open(withParameter('X-Amz-Expires', 'soon'))).toBe('400 AuthorizationQueryParametersError')
  })

  it('expires with the credentials that signed it', async () => {
    const short = s3.credentials.issue(role, 300, s3.clock.now)
    const signed = await presignGet(s3, { Key: key }, s3.clientFor(short))
    expect(await later(299, () => open(signed))).toBe('200 0123456789')
    expect(await later(300, () => open(signed))).toBe('403 ExpiredToken')
  })

  it('fails if its session token is missing, invented or from other credentials', async () => {
    const other = s3.credentials.issue(role, 1800, s3.clock.now)
    expect(await open(withParameter('X-Amz-Security-Token', other.sessionToken))).toBe('403 InvalidToken')
    expect(await open(withParameter('X-Amz-Security-Token', 'AAAA'))).toBe('403 InvalidToken')
    const without = new URL(url)
    without.searchParams.delete('X-Amz-Security-Token')
    expect(await open(without)).toBe('403 InvalidAccessKeyId')
  })

  it('fails together with an Authorization header, as on AWS', async () => {
    const answer = await sendRaw(url.origin, url.pathname + url.search, { headers: { authorization: 'Bearer x' } })
    expect(describeAnswer(answer)).toBe('400 InvalidArgument')
    expect(answer.body).toContain('Only one auth mechanism allowed')
  })

  it('fails with an x-amz- header that it does not sign', async () => {
    expect(await open(url, { 'x-amz-checksum-mode': 'ENABLED' })).toBe('403 AccessDenied')
  })

  it('stays valid after a restart on the same folder, but not on another', async () => {
    await s3.close()
    s3 = await openLocalS3(s3)
    expect(await open(url)).toBe('200 0123456789')
    const stranger = await openLocalS3()
    expect(await open(`${stranger.url}${url.pathname}${url.search}`)).toBe('403 InvalidToken')
    await discardLocalS3(stranger)
  })
})

describe('a signed request', () => {
  const get = new GetObjectCommand({ Bucket: bucket, Key: key })

  it('fails without a signature', async () => {
    expect(await open(`${s3.url}${url.pathname}`)).toBe('403 AccessDenied')
  })

  it('succeeds with temporary credentials until they expire', async () => {
    const issued = s3.credentials.issue(role, 600, s3.clock.now)
    const answer = await s3.clientFor(issued).send(get)
    expect(await answer.Body?.transformToString()).toBe('0123456789')
    const refused = later(600, () => s3.clientFor(issued).send(get))
    await expect(refused).rejects.toMatchObject({ name: 'ExpiredToken', $metadata: { httpStatusCode: 400 } })
  })

  it('fails with an unknown key or a wrong secret', async () => {
    const { localUser } = s3.credentials
    const unknown = s3.clientFor({ ...localUser, accessKeyId: 'AKIAUNKNOWN' }).send(get)
    await expect(unknown).rejects.toMatchObject({ name: 'InvalidAccessKeyId' })
    const wrong = s3.clientFor({ ...localUser, secretAccessKey: 'wrong' }).send(get)
    await expect(wrong).rejects.toMatchObject({ name: 'SignatureDoesNotMatch', $metadata: { httpStatusCode: 403 } })
  })

  it('fails a quarter of an hour before or after its date', async () => {
    const early = later(-1000, () => s3.client.send(get))
    await expect(early).rejects.toMatchObject({ name: 'RequestTimeTooSkewed' })
  })

  it('fails and stores nothing if its body differs from the signed one', async () => {
    const put = new PutObjectCommand({ Bucket: bucket, Key: 'swapped', Body: 'what was signed' })
    put.middlewareStack.add(
      (next) => (call) => {
        if (typeof call.request === 'object' && call.request !== null)
          Object.assign(call.request, { body: 'what is sent!!!' })
        return next(call)
      },
      { step: 'deserialize', priority: 'low' },
    )
    await expect(s3.client.send(put)).rejects.toMatchObject({ name: 'XAmzContentSHA256Mismatch' })
    expect(await open(await presignGet(s3, { Key: 'swapped' }))).toBe('404 NoSuchKey')
  })
})
