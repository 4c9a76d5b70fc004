import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import {
  AbortMultipartUploadCommand,
  type CompletedPart,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  HeadObjectCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { bucket, discardLocalS3, type LocalS3, openLocalS3, sendRaw } from '../local-s3.ts'

const Key = 'in parts'
const smallest = 5 * 1024 ** 2

let s3: LocalS3
beforeEach(async () => {
  s3 = await openLocalS3()
})
afterEach(() => discardLocalS3(s3))

const keptFiles = () => readdirSync(join(s3.folder, 's3', bucket))

async function begin(ChecksumAlgorithm?: 'CRC32' | 'CRC32C' | 'CRC64NVME' | 'SHA1' | 'SHA256', client = s3.client) {
  const upload = { Bucket: bucket, Key, ...(ChecksumAlgorithm && { ChecksumAlgorithm }) }
  const { UploadId = '' } = await client.send(new CreateMultipartUploadCommand(upload))
  return {
    UploadId,
    async send(PartNumber: number, body: string | Buffer, facts: object = {}): Promise<CompletedPart> {
      const part = { Bucket: bucket, Key, UploadId, PartNumber, Body: body, ...facts }
      const sent = await client.send(
        new UploadPartCommand({ ...part, ...(ChecksumAlgorithm && { ChecksumAlgorithm }) }),
      )
      const { ETag, ChecksumCRC32, ChecksumCRC32C, ChecksumSHA1, ChecksumSHA256, ChecksumCRC64NVME } = sent
      return { PartNumber, ETag, ChecksumCRC32, ChecksumCRC32C, ChecksumSHA1, ChecksumSHA256, ChecksumCRC64NVME }
    },
    complete: (Parts: CompletedPart[], facts: object = {}) =>
      client.send(
        new CompleteMultipartUploadCommand({ Bucket: bucket, Key, UploadId, MultipartUpload: { Parts }, ...facts }),
      ),
    abort: () => client.send(new AbortMultipartUploadCommand({ Bucket: bucket, Key, UploadId })),
  }
}

async function read(): Promise<string | undefined> {
  const { Body } = await s3.client.send(new GetObjectCommand({ Bucket: bucket, Key, ChecksumMode: 'ENABLED' }))
  return Body?.transformToString()
}

describe('a multipart upload', () => {
  it.each(['CRC32', 'CRC32C', 'CRC64NVME', 'SHA1', 'SHA256'] as const)(
    'becomes an object in part number order, with a %s verified for each part',
    async (algorithm) => {
      const upload = await begin(algorithm)
      const first = Buffer.alloc(smallest, 'a')
      const last = await upload.send(9, 'the end')
      const parts = [await upload.send(2, first), last]
      const completed = await upload.complete(parts)
      const { ETag, ...checksums } = await s3.client.send(
        new HeadObjectCommand({ Bucket: bucket, Key, ChecksumMode: 'ENABLED' }),
      )
      expect(await read()).toBe(`${first}the end`)
      expect(ETag).toMatch(/^"[0-9a-f]{32}-2"$/)
      expect(completed.ETag).toBe(ETag)
      const name = `Checksum${algorithm}` as const
      expect(completed[name]).toBe(checksums[name])
      expect(checksums[name]).toMatch(algorithm === 'CRC64NVME' ? /^[^-]+$/ : /-2$/)
      expect(keptFiles()).toHaveLength(2)
    },
  )

  it('gets the checksum that S3 computes by default if it has none', async () => {
    const quiet = s3.clientFor(s3.credentials.localUser, { requestChecksumCalculation: 'WHEN_REQUIRED' })
    const upload = await begin(undefined, quiet)
    await upload.complete([await upload.send(1, '123456789')])
    const head = await s3.client.send(new HeadObjectCommand({ Bucket: bucket, Key, ChecksumMode: 'ENABLED' }))
    expect(head).toMatchObject({ ChecksumCRC64NVME: 'rosUhgp5mIg=', ChecksumType: 'FULL_OBJECT' })
  })

  it('shows nothing until it is complete, and does not change the existing object before', async () => {
    await s3.put(Key, 'before')
    const upload = await begin('CRC32')
    const part = await upload.send(1, 'after')
    expect(await read()).toBe('before')
    await upload.complete([part])
    expect(await read()).toBe('after')
  })

  it('uses the last part uploaded under a number, and drops parts that are not named', async () => {
    const upload = await begin('CRC32')
    await upload.send(1, 'first')
    await upload.send(2, 'never named')
    await upload.complete([await upload.send(1, 'second')])
    expect(await read()).toBe('second')
    expect(keptFiles()).toHaveLength(2)
  })

  it('leaves nothing when aborted, and does not exist afterwards', async () => {
    const upload = await begin('CRC32')
    const part = await upload.send(1, 'x')
    await upload.abort()
    expect(keptFiles()).toEqual([])
    const refusal = { name: 'NoSuchUpload', $metadata: { httpStatusCode: 404 } }
    await expect(upload.send(1, 'x')).rejects.toMatchObject(refusal)
    await expect(upload.complete([part])).rejects.toMatchObject(refusal)
    await expect(upload.abort()).rejects.toMatchObject(refusal)
  })

  it('does not exist under another key, or after completion', async () => {
    const upload = await begin('CRC32')
    const part = await upload.send(1, 'x')
    await expect(upload.complete([part], { Key: 'another' })).rejects.toMatchObject({ name: 'NoSuchUpload' })
    await upload.complete([part])
    await expect(upload.complete([part])).rejects.toMatchObject({ name: 'NoSuchUpload' })
  })

  it('refuses to complete with parts that are unknown, out of order, too small or missing, and can continue', async () => {
    const upload = await begin('CRC32')
    const [first, second] = [await upload.send(1, 'small'), await upload.send(2, 'small too')]
    const refusals: [string, CompletedPart[]][] = [
      ['InvalidPart', [{ ...first, PartNumber: 3 }]],
      ['InvalidPart', [{ ...first, ETag: '"0"' }]],
      ['InvalidPart', [{ ...first, ChecksumCRC32: 'AAAAAA==' }]],
      ['InvalidRequest', [{ PartNumber: 1, ETag: first.ETag }]],
      ['InvalidPartOrder', [second, first]],
      ['InvalidPartOrder', [first, first]],
      ['EntityTooSmall', [first, second]],
      ['MalformedXML', []],
    ]
    for (const [name, parts] of refusals)
      await expect(upload.complete(parts), name).rejects.toMatchObject({ name, $metadata: { httpStatusCode: 400 } })
    await upload.complete([second])
    expect(await read()).toBe('small too')
  })
})

describe('a part of a multipart upload', () => {
  it('fails and is not stored if its checksum or hash does not match', async () => {
    const upload = await begin('CRC32')
    const damaged = upload.send(1, 'bytes', { ChecksumCRC32: 'AAAAAA==' })
    await expect(damaged).rejects.toMatchObject({ name: 'BadDigest' })
    expect(keptFiles()).toEqual([])
  })

  it("fails with a different checksum algorithm from the upload's, or without a checksum", async () => {
    const upload = await begin('CRC32')
    for (const config of ['WHEN_SUPPORTED', 'WHEN_REQUIRED'] as const) {
      const client = s3.clientFor(s3.credentials.localUser, { requestChecksumCalculation: config })
      const part = { Bucket: bucket, Key, UploadId: upload.UploadId, PartNumber: 1, Body: 'x' }
      const chosen = config === 'WHEN_SUPPORTED' ? { ChecksumAlgorithm: 'SHA256' as const } : {}
      const sent = client.send(new UploadPartCommand({ ...part, ...chosen }))
      await expect(sent).rejects.toMatchObject({ name: 'InvalidRequest' })
    }
  })

  it.each([0, 10_001, -1])('fails with part number %d', async (number) => {
    const upload = await begin('CRC32')
    await expect(upload.send(number, 'x')).rejects.toMatchObject({ name: 'InvalidArgument' })
  })

  it('fails without a signature, or with the signature of another part', async () => {
    const { UploadId } = await begin()
    const path = `/${bucket}/in%20parts?partNumber=1&uploadId=${UploadId}`
    const unsigned = await sendRaw(s3.url, path, { method: 'PUT', body: 'x' })
    expect([unsigned.status, unsigned.body]).toEqual([403, expect.stringContaining('AccessDenied')])
    const part = new UploadPartCommand({ Bucket: bucket, Key, UploadId, PartNumber: 1 })
    const url = await getSignedUrl(s3.client, part, { signingDate: s3.clock.now })
    const another = await fetch(url.replace('partNumber=1', 'partNumber=2'), { method: 'PUT', body: 'x' })
    expect([another.status, await another.text()]).toEqual([403, expect.stringContaining('SignatureDoesNotMatch')])
  })
})
