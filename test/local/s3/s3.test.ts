import {
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
} from '@aws-sdk/client-s3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bucket, discardLocalS3, type LocalS3, openLocalS3, presignGet } from '../local-s3.ts'

let s3: LocalS3
beforeAll(async () => {
  s3 = await openLocalS3()
})
afterAll(() => discardLocalS3(s3))

async function read(key: string, input: { Range?: string; IfMatch?: string } = {}) {
  const answer = await s3.client.send(new GetObjectCommand({ Bucket: bucket, Key: key, ...input }))
  return { ...answer, text: (await answer.Body?.transformToString()) ?? '' }
}

async function list(input: { Prefix?: string; MaxKeys?: number }) {
  const pages: string[][] = []
  let ContinuationToken: string | undefined
  do {
    const command = new ListObjectsV2Command({
      Bucket: bucket,
      ...input,
      ...(ContinuationToken && { ContinuationToken }),
    })
    const page = await s3.client.send(command)
    pages.push(page.Contents?.map(({ Key = '' }) => Key) ?? [])
    ContinuationToken = page.NextContinuationToken
  } while (ContinuationToken !== undefined)
  return pages
}

describe('an object', () => {
  it.each([
    'plain',
    'with blanks and "quotes" & <signs>',
    'ünïcödé/日本/🦀',
    'a+b',
    '100%25',
    'plan=PPO/source_id=1',
    'two//slashes/',
    '../../escape',
    "marks!'()*~:@$,;",
    'line\r\nend',
    `long/${'x'.repeat(1000)}`,
  ])('comes back as stored under the key %j', async (key) => {
    await s3.put(key, `body of ${key}`)
    expect((await read(key)).text).toBe(`body of ${key}`)
    expect((await list({ Prefix: key })).flat()).toContain(key)
  })

  it('coexists with another whose key begins with its own key, or differs in case', async () => {
    for (const key of ['node', 'node/leaf', 'Node']) await s3.put(key, key)
    for (const key of ['node', 'node/leaf', 'Node']) expect((await read(key)).text).toBe(key)
  })

  it.each(['CRC32', 'CRC32C', 'CRC64NVME', 'SHA1', 'SHA256'] as const)(
    'arrives intact with several megabytes and a %s, verified on both sides',
    async (ChecksumAlgorithm) => {
      const bytes = Buffer.alloc(3_000_001, 'rates')
      const upload = { Bucket: bucket, Key: `big-${ChecksumAlgorithm}`, Body: bytes }
      await s3.client.send(new PutObjectCommand({ ...upload, ChecksumAlgorithm }))
      const answer = await s3.client.send(
        new GetObjectCommand({ Bucket: bucket, Key: upload.Key, ChecksumMode: 'ENABLED' }),
      )
      expect(answer[`Checksum${ChecksumAlgorithm}`]).toBeTypeOf('string')
      expect(bytes.equals((await answer.Body?.transformToByteArray()) ?? Buffer.alloc(0))).toBe(true)
    },
  )

  it('gets the checksum that S3 computes by default if it is uploaded without one', async () => {
    const quiet = s3.clientFor(s3.credentials.localUser, { requestChecksumCalculation: 'WHEN_REQUIRED' })
    await quiet.send(new PutObjectCommand({ Bucket: bucket, Key: 'unchecked', Body: '123456789' }))
    const answer = await s3.client.send(
      new HeadObjectCommand({ Bucket: bucket, Key: 'unchecked', ChecksumMode: 'ENABLED' }),
    )
    expect(answer).toMatchObject({ ChecksumCRC64NVME: 'rosUhgp5mIg=', ChecksumType: 'FULL_OBJECT' })
  })

  it('fails and is not stored if its checksum does not match', async () => {
    const upload = { Bucket: bucket, Key: 'damaged', Body: 'bytes', ChecksumCRC32: 'AAAAAA==' }
    await expect(s3.client.send(new PutObjectCommand(upload))).rejects.toMatchObject({ name: 'BadDigest' })
    await expect(read('damaged')).rejects.toMatchObject({ name: 'NoSuchKey' })
  })

  it('replaces no other with If-None-Match, even if both are uploaded at the same time', async () => {
    const create = (Body: string, Key: string, IfNoneMatch = '*') =>
      s3.client.send(new PutObjectCommand({ Bucket: bucket, Key, Body, IfNoneMatch }))
    await create('one', 'created')
    await expect(create('two', 'created')).rejects.toMatchObject({ name: 'PreconditionFailed' })
    expect((await read('created')).text).toBe('one')
    const race = await Promise.allSettled(['one', 'two', 'three'].map((body) => create(body, 'raced')))
    expect(race.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected', 'rejected'])
    await expect(create('two', 'created', '"tag"')).rejects.toMatchObject({ name: 'NotImplemented' })
  })

  it('can be read to the end while it is being replaced', async () => {
    const old = 'old'.repeat(1_000_000)
    await s3.put('replaced', old)
    const reading = await s3.client.send(new GetObjectCommand({ Bucket: bucket, Key: 'replaced' }))
    await s3.put('replaced', 'new')
    expect(await reading.Body?.transformToString()).toBe(old)
    expect((await read('replaced')).text).toBe('new')
  })

  it('disappears in a batch by the exact characters of its key', async () => {
    const keys = ['batch/a&b', 'batch/<c>', 'batch/"d" ü', 'batch/&amp;']
    for (const key of keys) await s3.put(key, key)
    const Objects = keys.map((Key) => ({ Key }))
    const { Deleted } = await s3.client.send(new DeleteObjectsCommand({ Bucket: bucket, Delete: { Objects } }))
    expect(Deleted?.map(({ Key }) => Key)).toEqual(keys)
    expect((await list({ Prefix: 'batch/' })).flat()).toEqual([])
    await s3.client.send(new DeleteObjectsCommand({ Bucket: bucket, Delete: { Objects, Quiet: true } }))
  })
})

describe('a byte range', () => {
  beforeAll(() => s3.put('digits', '0123456789'))

  it.each([
    ['bytes=2-4', '234', 'bytes 2-4/10'],
    ['bytes=7-', '789', 'bytes 7-9/10'],
    ['bytes=-3', '789', 'bytes 7-9/10'],
    ['bytes=8-1000', '89', 'bytes 8-9/10'],
    ['bytes=-1000', '0123456789', 'bytes 0-9/10'],
  ])('returns its bytes for %s', async (Range, bytes, contentRange) => {
    const answer = await read('digits', { Range })
    expect(answer).toMatchObject({ text: bytes, ContentRange: contentRange, ContentLength: bytes.length })
    expect(answer.$metadata.httpStatusCode).toBe(206)
    expect(answer.ChecksumCRC32).toBeUndefined()
  })

  it.each(['bytes=10-', 'bytes=99-100', 'bytes=-0'])('fails with 416 beyond the object: %s', async (Range) => {
    await expect(read('digits', { Range })).rejects.toMatchObject({
      name: 'InvalidRange',
      $metadata: { httpStatusCode: 416 },
    })
  })

  it.each(['bytes=0-1,4-5', 'bytes=5-2', 'lines=1-2', 'bytes=-'])(
    'returns the whole object if it is not one range: %s',
    async (Range) => {
      expect(await read('digits', { Range })).toMatchObject({ text: '0123456789', $metadata: { httpStatusCode: 200 } })
    },
  )

  it('fails if the object has changed', async () => {
    await expect(read('digits', { IfMatch: '"another"' })).rejects.toMatchObject({ name: 'PreconditionFailed' })
    const { ETag = '' } = await read('digits')
    expect((await read('digits', { IfMatch: ETag })).text).toBe('0123456789')
  })
})

describe('a byte range with If-Range', () => {
  const readIf = async (condition: string) => {
    const url = await presignGet(s3, { Key: 'digits' })
    const answer = await fetch(url, { headers: { Range: 'bytes=2-4', 'If-Range': condition } })
    return [answer.status, await answer.text()]
  }

  it('returns the range if the object is the same, by tag or date', async () => {
    const { ETag = '', LastModified } = await read('digits')
    expect(await readIf(ETag)).toEqual([206, '234'])
    expect(await readIf(LastModified?.toUTCString() ?? '')).toEqual([206, '234'])
  })

  it.each(['"another"', 'W/"another"', 'Thu, 01 Jan 1970 00:00:00 GMT'])(
    'returns the whole object if it may have changed: %s',
    async (condition) => {
      expect(await readIf(condition)).toEqual([200, '0123456789'])
    },
  )

  it('returns the whole object if the tag is weak', async () => {
    const { ETag = '' } = await read('digits')
    expect(await readIf(`W/${ETag}`)).toEqual([200, '0123456789'])
  })
})

describe('an object listing', () => {
  const keys = ['list/a', 'list/b/1', 'list/b/2', 'list/c', 'list/\u{ff5e}', 'list/\u{1f980}']
  beforeAll(async () => {
    for (const key of keys) await s3.put(key, key)
  })

  it('returns pages in UTF-8 byte order', async () => {
    expect(await list({ Prefix: 'list/', MaxKeys: 4 })).toEqual([keys.slice(0, 4), keys.slice(4)])
  })

  it('refuses a continuation token that it did not issue', async () => {
    const command = new ListObjectsV2Command({ Bucket: bucket, ContinuationToken: 'bm90IG1pbmU=' })
    await expect(s3.client.send(command)).rejects.toMatchObject({ name: 'InvalidArgument' })
  })
})
