import { truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { HeadObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { removeObjects } from '../../../adapters/s3/s3-prefix.ts'
import { createS3WarehouseFiles, type WarehouseFiles } from '../../../adapters/s3/s3-warehouse-files.ts'
import { PrintableError } from '../../../schema/printable-error.ts'
import { startHttpStub } from '../../doubles/http-stub.ts'
import { bucket, discardLocalS3, type LocalS3, openLocalS3 } from '../../local/local-s3.ts'

let s3: LocalS3
let files: WarehouseFiles
let file: string

beforeEach(async () => {
  s3 = await openLocalS3()
  files = createS3WarehouseFiles(`s3://${bucket}/rates/`, s3.client)
  file = join(s3.folder, 'file')
  writeFileSync(file, 'rates')
})

afterEach(() => discardLocalS3(s3))

const pathsBelow = async (prefix: string) => (await files.list(prefix)).map(({ path }) => path)

describe('the files of a warehouse', () => {
  it('arrive below its location', async () => {
    truncateSync(file, 3_000_000)
    await files.upload('a/bucket=7/s1.l1.00000.parquet', file)
    const Key = 'rates/a/bucket=7/s1.l1.00000.parquet'
    const { ContentLength } = await s3.client.send(new HeadObjectCommand({ Bucket: bucket, Key }))
    expect(ContentLength).toBe(3_000_000)
  })

  it('appear by path with their bytes and the time of their last write', async () => {
    await files.upload('b/1', file)
    await files.upload('a/1', file)
    expect(await files.list('')).toEqual([
      { path: 'a/1', bytes: 5, modifiedAt: s3.clock.now },
      { path: 'b/1', bytes: 5, modifiedAt: s3.clock.now },
    ])
    expect(await pathsBelow('b/')).toEqual(['b/1'])
    expect(await pathsBelow('c/')).toEqual([])
  })

  it('appear page by page', async () => {
    for (let index = 0; index < 1001; index++) await s3.put(`rates/many/${index}`, 'rates')
    expect(await pathsBelow('many/')).toHaveLength(1001)
    await files.removeBelow('many/')
    expect(await pathsBelow('many/')).toEqual([])
  })

  it('disappear only below the prefix', async () => {
    await s3.put('a/bucket=7/s1.l1.00000.parquet', 'another’s')
    for (const name of ['s1.l1.00000', 's1.l1.00001', 's10.l1.00000'])
      await files.upload(`a/bucket=7/${name}.parquet`, file)
    await files.removeBelow('a/bucket=7/s1.')
    await files.removeBelow('a/bucket=7/s1.')
    expect(await pathsBelow('')).toEqual(['a/bucket=7/s10.l1.00000.parquet'])
    expect(await createS3WarehouseFiles(`s3://${bucket}/`, s3.client).list('a/')).toHaveLength(1)
  })
})

describe('a removal', () => {
  it('fails if S3 keeps an object, although the request succeeds', async () => {
    const body =
      '<DeleteResult><Error><Key>k</Key><Code>AccessDenied</Code><Message>Denied</Message></Error></DeleteResult>'
    const listAnswer = '<ListBucketResult><Contents><Key>k</Key></Contents></ListBucketResult>'
    await using stub = await startHttpStub((call) => ({ status: 200, body: call.body === '' ? listAnswer : body }))
    const client = new S3Client({
      endpoint: stub.url,
      region: 'us-east-1',
      forcePathStyle: true,
      credentials: s3.credentials.localUser,
    })
    const refused = removeObjects(client, bucket, 'k')
    await expect(refused).rejects.toMatchObject({ name: 'NotDeleted', message: 'S3 did not delete k: Denied' })
  })
})

describe('the location of a warehouse', () => {
  it.each([
    's3://bucket',
    's3://bucket/prefix',
    's3:///prefix/',
    'bucket/',
    's3://bucket//',
    'https://bucket/',
    ' s3://bucket/',
  ])('fails if it is invalid: %s', (location) => {
    const message = `not the location of a warehouse (s3://bucket/ or s3://bucket/prefix/): ${location}`
    expect(() => createS3WarehouseFiles(location, s3.client)).toThrow(new PrintableError(message))
  })
})
