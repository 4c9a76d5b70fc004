import { randomUUID } from 'node:crypto'
import { CreateBucketCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { beforeEach, describe, expect, it } from 'vitest'
import { signExpiredUrl } from '../../../adapters/s3/s3-expired-url.ts'
import { createS3WarehouseReader } from '../../../adapters/s3/s3-warehouse-reader.ts'
import { findBucketUrl } from '../../../adapters/s3/storage-origin.ts'
import { connectEndpoints } from '../../endpoints/connect.ts'

connectEndpoints()
const client = new S3Client({})

let bucket: string

beforeEach(async () => {
  bucket = randomUUID()
  await client.send(new CreateBucketCommand({ Bucket: bucket }))
  for (const Key of ['rates/a/1.parquet', 'rates/a/2.parquet', 'rates/b/1.parquet', 'a/1.parquet'])
    await client.send(new PutObjectCommand({ Bucket: bucket, Key, Body: Key }))
})

describe('the reader of a warehouse', () => {
  it('lists the paths below its location, and reads whole files', async () => {
    const reader = createS3WarehouseReader(`s3://${bucket}/rates/`)
    expect(await reader.listPaths('a/')).toEqual(['a/1.parquet', 'a/2.parquet'])
    expect(Buffer.from(await reader.read('b/1.parquet')).toString()).toBe('rates/b/1.parquet')
    await expect(reader.read('missing')).rejects.toMatchObject({ name: 'NoSuchKey' })
  })
})

describe('an expired URL', () => {
  it('carries a right signature, and is refused', async () => {
    const address = `${await findBucketUrl(bucket)}`.replace(/\?.*$/, 'rates/a/1.parquet')
    const status = async (now: Date) => (await fetch(await signExpiredUrl(address, now))).status
    expect(await status(new Date())).toBe(403)
    // Signed ahead by as much, it is valid: only its time is wrong.
    expect(await status(new Date(Date.now() + 3_660_000))).toBe(200)
  })
})
