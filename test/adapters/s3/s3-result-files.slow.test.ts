import { randomUUID } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { GetObjectCommand, ListObjectsV2Command, PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { parquetWriteBuffer } from 'hyparquet-writer'
import { describe, expect, it } from 'vitest'
import { createS3ResultFiles } from '../../../adapters/s3/s3-result-files.ts'
import { listen } from '../../../local/http-server.ts'
import { ratesColumns } from '../../../schema/columns/rates.ts'
import { shardSchema } from '../../../schema/columns/shard-schema.ts'
import { startHttpStub } from '../../doubles/http-stub.ts'
import { createMemoryResultFiles } from '../../doubles/memory-files.ts'
import { connectEndpoints } from '../../endpoints/connect.ts'
import { readTrinoFile } from './trino-files.ts'

const { resultsBucket } = connectEndpoints()
const files = createS3ResultFiles(resultsBucket)
const s3 = new S3Client({})

const newKey = () => `results/${randomUUID()}/file`

async function put(body: string | Uint8Array): Promise<string> {
  const key = newKey()
  await s3.send(new PutObjectCommand({ Bucket: resultsBucket, Key: key, Body: Buffer.from(body) }))
  return key
}

const putManifest = async (...lines: readonly string[]) => files.addressOf(await put(lines.join('\n')))

/** The adapter, and its double in tests of the core, each with a way to put a manifest. */
const memory = createMemoryResultFiles((key, bytes) => ({
  key,
  bytes,
  rows: 1,
  schema: shardSchema(ratesColumns),
  chunks: [],
}))
const stores = {
  S3: { files, putManifest: async (keys: readonly string[]) => putManifest(...keys.map(files.addressOf), '') },
  memory: {
    files: memory,
    putManifest: async (keys: readonly string[]) => {
      const address = memory.addressOf(newKey())
      memory.manifests.set(address, keys)
      return address
    },
  },
}

describe.each(Object.entries(stores))('result files in %s', (_, { files, putManifest }) => {
  it('follow the manifest that lists them, in its order', async () => {
    const keys = ['results/b/2', 'results/a/1', 'results/ä "quoted", 名/3']
    expect(await files.readManifest(await putManifest(keys))).toEqual(keys)
    expect(await files.readManifest(await putManifest([]))).toEqual([])
  })

  it('cannot be listed or read if they do not exist', async () => {
    await expect(files.readManifest(files.addressOf(newKey()))).rejects.toThrow()
    await expect(files.readFooter(newKey())).rejects.toThrow()
  })

  it('return the footer and the size of the written file', async () => {
    const [key, file] = [newKey(), readTrinoFile()]
    const { chunks: ofWrite, ...written } = await files.write(key, file)
    // The SDK sends a CRC32 with each object; big-endian in Base64.
    const value = Buffer.alloc(4)
    value.writeUInt32BE(crc32(file))
    const checksum = { algorithm: 'CRC32', type: 'FULL_OBJECT', value: value.toString('base64') }
    const { chunks, ...footer } = await files.readFooter(key)
    expect(written).toEqual(footer)
    expect(ofWrite.map(({ column, bytes }) => [column, bytes])).toEqual(
      chunks.map(({ column, bytes }) => [column, bytes]),
    )
    expect(footer).toEqual({ key, bytes: file.length, checksum, rows: 1, schema: shardSchema(ratesColumns) })
  })

  it('disappear below a prefix and nowhere else, even if the removal is repeated', async () => {
    const root = `results/${randomUUID()}`
    for (const name of ['run/a', 'run/b/c', 'run-2/d']) await files.write(`${root}/${name}`, readTrinoFile())
    await files.removeBelow(`${root}/run/`)
    await files.removeBelow(`${root}/run/`)
    for (const name of ['run/a', 'run/b/c']) await expect(files.readFooter(`${root}/${name}`)).rejects.toThrow()
    expect(await files.readFooter(`${root}/run-2/d`)).toMatchObject({ rows: 1 })
  })
})

describe('an answer of S3', () => {
  /**
   * Reads the footer of a file of Trino from an S3.
   *
   * @param headers sent with the bytes
   * @param facts headers sent with the answer to HEAD
   */
  async function readWith(headers: Readonly<Record<string, string>>, facts: Readonly<Record<string, string>> = {}) {
    const server = await listen((request, response) =>
      request.method === 'HEAD'
        ? response.writeHead(200, facts).end()
        : response.writeHead(206, headers).end(readTrinoFile()),
    )
    const client = new S3Client({ endpoint: server.url, forcePathStyle: true, maxAttempts: 1 })
    return createS3ResultFiles('bucket', client)
      .readFooter('results/file')
      .finally(() => server.close())
  }
  const range = { 'content-range': `bytes 0-99/${readTrinoFile().length}` }

  it.each([{}, { 'content-range': 'bytes 0-99/*' }, { 'content-range': '/12 bytes' }])(
    'fails if S3 does not say how large the file is: %o',
    async (headers) => {
      await expect(readWith(headers)).rejects.toThrow('S3 gave no range of results/file')
    },
  )

  it('leaves out a checksum that S3 does not send', async () => {
    expect(await readWith(range)).not.toHaveProperty('checksum')
  })

  it.each([
    ['COMPOSITE', 'abc=-2', {}],
    ['FULL_OBJECT', 'abc=', {}],
    ['FULL_OBJECT', 'abc=-2', { 'x-amz-checksum-type': 'FULL_OBJECT' }],
  ])('gives a checksum the type %s if its value is %s, unless S3 states the type: %o', async (type, value, said) => {
    const { checksum } = await readWith(range, { ...said, 'x-amz-checksum-sha256': value })
    expect(checksum).toEqual({ algorithm: 'SHA256', type, value })
  })
})

describe('a manifest', () => {
  it('may be empty', async () => {
    expect(await files.readManifest(await putManifest(''))).toEqual([])
  })

  it.each([
    's3://another-bucket/results/a/1',
    'https://example.org/results/a',
    'results/a/1',
    's3://bucket-only',
    ` s3://${resultsBucket}/a`,
  ])('fails if it lists %s', async (stranger) => {
    const manifest = await putManifest(files.addressOf('results/a/1'), stranger)
    const error = { name: 'StrangeAddress', message: `not the address of a result file: ${stranger}` }
    await expect(files.readManifest(manifest)).rejects.toMatchObject(error)
  })

  it('fails if it does not exist, and never counts as an empty list', async () => {
    await expect(files.readManifest(files.addressOf(newKey()))).rejects.toMatchObject({ name: 'NoSuchKey' })
    await expect(files.readManifest('manifest.csv')).rejects.toMatchObject({ name: 'StrangeAddress' })
  })
})

describe('a footer', () => {
  it('may be larger than the first read', async () => {
    const columnData = [{ name: 'npi', data: [1n, 2n, 3n], type: 'INT64' as const }]
    const kvMetadata = [{ key: 'padding', value: 'x'.repeat(200_000) }]
    const file = new Uint8Array(parquetWriteBuffer({ columnData, kvMetadata }))
    const key = await put(file)
    expect(await files.readFooter(key)).toMatchObject({ bytes: file.length, rows: 3 })
  })

  it('comes from the end of a file that is larger than the first read', async () => {
    const footer = readTrinoFile()
    const key = await put(Buffer.concat([Buffer.alloc(500_000), footer]))
    expect(await files.readFooter(key)).toMatchObject({ bytes: 500_000 + footer.length, rows: 1 })
  })

  it.each(['npi,rate\n1,2\n', 'PAR1', `PAR1\uffff\uffffPAR1`])(
    'refuses a file that is not Parquet: %j',
    async (text) => {
      await expect(files.readFooter(await put(text))).rejects.toMatchObject({ name: 'NotParquet' })
    },
  )

  it('fails for an empty or missing file', async () => {
    await expect(files.readFooter(await put(''))).rejects.toThrow()
    await expect(files.readFooter(newKey())).rejects.toMatchObject({ $metadata: { httpStatusCode: 404 } })
  })
})

describe('writing a file', () => {
  it('stores the bytes under the key', async () => {
    const key = newKey()
    await files.write(key, readTrinoFile())
    const { Body } = await s3.send(new GetObjectCommand({ Bucket: resultsBucket, Key: key }))
    expect(Buffer.compare((await Body?.transformToByteArray()) ?? Buffer.of(), readTrinoFile())).toBe(0)
    expect(await files.readFooter(key)).toMatchObject({ rows: 1 })
  })
})

describe('removing all files below a prefix', () => {
  const putByte = (Key: string) => s3.send(new PutObjectCommand({ Bucket: resultsBucket, Key, Body: Buffer.from('x') }))
  const listBelow = async (Prefix: string) => {
    const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket: resultsBucket, Prefix }))
    return Contents.map(({ Key }) => Key)
  }

  it('deletes every file across several pages, and none outside the prefix', async () => {
    const root = `results/${randomUUID()}`
    const names = Array.from({ length: 1001 }, (_, index) => `attempt-${1 + (index % 3)}/${index} "ä&+<>`)
    const neighbours = [`${root}/run`, `${root}/run-2/file`, `${root}/run2/file`].sort()
    const keys = [...names.map((name) => `${root}/run/${name}`), ...neighbours]
    for (let from = 0; from < keys.length; from += 50) await Promise.all(keys.slice(from, from + 50).map(putByte))
    await files.removeBelow(`${root}/run/`)
    expect(await listBelow(root)).toEqual(neighbours)
  })

  it('does nothing if there are none', async () => {
    const prefix = `results/${randomUUID()}/`
    await files.removeBelow(prefix)
    await putByte(`${prefix}file`)
    await files.removeBelow(prefix)
    await files.removeBelow(prefix)
    expect(await listBelow(prefix)).toEqual([])
  })

  it('fails if S3 keeps a file', async () => {
    const contents = '<Contents><Key>results/a/b</Key></Contents>'
    const error = '<Error><Key>results/a/b</Key><Code>AccessDenied</Code><Message>Denied</Message></Error>'
    await using stub = await startHttpStub(({ body }) => ({
      status: 200,
      body: body === '' ? `<ListBucketResult>${contents}</ListBucketResult>` : `<DeleteResult>${error}</DeleteResult>`,
    }))
    const refusing = createS3ResultFiles('bucket', new S3Client({ endpoint: stub.url, forcePathStyle: true }))
    await expect(refusing.removeBelow('results/a/')).rejects.toMatchObject({ name: 'NotDeleted' })
  })
})
