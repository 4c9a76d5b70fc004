import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { GetObjectCommand } from '@aws-sdk/client-s3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createS3Objects } from '../../../adapters/s3/s3-objects.ts'
import { startHttpStub } from '../../doubles/http-stub.ts'
import { sdkSettings } from '../../endpoints/sdk-settings.ts'
import { bucket, discardLocalS3, type LocalS3, openLocalS3 } from '../../local/local-s3.ts'

let s3: LocalS3
let objects: ReturnType<typeof createS3Objects>
let file: string

beforeEach(async () => {
  s3 = await openLocalS3()
  objects = createS3Objects(s3.settings)
  file = join(s3.folder, 'file')
})

afterEach(() => discardLocalS3(s3))

const readObject = async (key: string) => {
  const { Body } = await s3.client.send(new GetObjectCommand({ Bucket: bucket, Key: key }))
  return Buffer.from((await Body?.transformToByteArray()) ?? [])
}

describe('uploaded objects', () => {
  it.each([0, 1, 3_000_000])('contain the bytes of the file: %d', async (length) => {
    const bytes = Buffer.alloc(length, 'rates')
    writeFileSync(file, bytes)
    await objects.putObject(bucket, 'a/b', file)
    expect((await readObject('a/b')).equals(bytes)).toBe(true)
  })

  it('need an existing bucket and an existing file', async () => {
    writeFileSync(file, 'rates')
    await expect(objects.putObject('no-such-bucket', 'a', file)).rejects.toThrow('bucket')
    await expect(objects.putObject(bucket, 'a', `${file}-missing`)).rejects.toThrow('ENOENT')
  })
})

describe('a prefix', () => {
  it('counts as empty until a key starts with it', async () => {
    await s3.put('a/b/c', 'rates')
    expect(await objects.isEmptyPrefix(bucket, 'a/b/')).toBe(false)
    expect(await objects.isEmptyPrefix(bucket, 'a/bc/')).toBe(true)
    expect(await objects.isEmptyPrefix(bucket, '')).toBe(false)
  })
})

describe('a bucket', () => {
  it('exists once it is created', async () => {
    expect(await objects.bucketExists('another-bucket')).toBe(false)
    await objects.createBucket('another-bucket')
    expect(await objects.bucketExists('another-bucket')).toBe(true)
  })

  it.each([301, 403])('exists if S3 answers %i, and checking it fails if S3 does', async (status) => {
    let answer = { status, body: '' }
    await using stub = await startHttpStub(() => answer)
    const refused = createS3Objects(sdkSettings(stub.url))
    expect(await refused.bucketExists('somebody-elses')).toBe(true)
    answer = { status: 500, body: '' }
    await expect(refused.bucketExists('somebody-elses')).rejects.toThrow()
    refused.close()
  })
})
