import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openObjectStore } from '../../../local/s3/object-store.ts'
import { type RunningS3, startS3 } from '../../../local/s3/server.ts'
import { showFolder } from '../../../local/s3/shown-folder.ts'
import { openCredentialBook } from '../../../local/signing/credentials.ts'

const bucket = 'shown'

let folder: string
let server: RunningS3
let client: S3Client

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'shown-folder-'))
  await mkdir(join(folder, 'files/table/bucket=0'), { recursive: true })
  await writeFile(join(folder, 'files/table/bucket=0/a.parquet'), 'abcdef')
  await writeFile(join(folder, 'secret'), 'secret')
  const credentials = openCredentialBook(folder)
  const shownFolder = { bucket, folder: join(folder, 'files') }
  server = await startS3({ folder: join(folder, 's3'), credentials, now: () => new Date(), shownFolder })
  client = new S3Client({ endpoint: server.url, region: 'us-east-1', credentials: credentials.localUser })
})

afterAll(async () => {
  await server.close()
  await rm(folder, { recursive: true, force: true })
})

const read = async (Key: string, Range?: string) => {
  const { Body, ContentRange } = await client.send(
    new GetObjectCommand({ Bucket: bucket, Key, ...(Range !== undefined && { Range }) }),
  )
  return [await Body?.transformToString(), ContentRange]
}

describe('a folder that the local S3 shows as a bucket', () => {
  it('gives its files, whole with a checksum or by ranges', async () => {
    const path = 'table/bucket=0/a.parquet'
    expect(await read(path)).toEqual(['abcdef', undefined])
    expect(await read(path, 'bytes=1-2')).toEqual(['bc', 'bytes 1-2/6'])
  })

  it('gives no other files, no folders, and nothing outside of it', async () => {
    const store = showFolder(openObjectStore(join(folder, 'other')), { bucket, folder: join(folder, 'files') })
    for (const key of ['table/none', 'table', '../secret', 'table/../../secret', '', 'table//bucket=0/a.parquet'])
      expect(store.find(bucket, key)).toBeUndefined()
    await expect(read('table/none')).rejects.toMatchObject({ name: 'NoSuchKey' })
  })

  it('takes no files', async () => {
    const put = client.send(new PutObjectCommand({ Bucket: bucket, Key: 'table/new', Body: 'x' }))
    await expect(put).rejects.toMatchObject({ name: 'AccessDenied' })
  })
})
