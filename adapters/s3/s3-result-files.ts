import type { HeadObjectCommandOutput, PutObjectCommandOutput } from '@aws-sdk/client-s3'
import { GetObjectCommand, HeadObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import type { Checksum } from '../../core/job/job.ts'
import type { ResultFiles } from '../../core/workflow/ports.ts'
import { longRequests } from '../request-limits.ts'
import { footerLength, parseFooter, tailBytes } from './parquet-footer.ts'
import { removeObjects } from './s3-prefix.ts'

/** Size of the first read from the end of a shard: it covers the footer of all but the largest files in one request. */
const firstReadBytes = 64 * 1024

/** Stores result files in one S3 bucket. */
export function createS3ResultFiles(bucket: string, client = new S3Client(longRequests)): ResultFiles {
  /** Reads the last bytes of an object and its full size. */
  const readEnd = async (Key: string, bytes: number) => {
    const { Body, ContentRange } = await client.send(
      new GetObjectCommand({ Bucket: bucket, Key, Range: `bytes=-${bytes}` }),
    )
    const size = Number(/\/(\d+)$/.exec(ContentRange ?? '')?.[1])
    if (Body === undefined || !Number.isSafeInteger(size)) throw new TypeError(`S3 gave no range of ${Key}`)
    return { end: await Body.transformToByteArray(), size }
  }

  const readRange = async (Key: string, start: number, end: number) => {
    const Range = `bytes=${start}-${end - 1}`
    const { Body } = await client.send(new GetObjectCommand({ Bucket: bucket, Key, Range }))
    if (Body === undefined) throw new TypeError(`S3 gave no bytes of ${Key}`)
    return await Body.transformToByteArray()
  }

  /** Reads an object's checksum, which S3 only returns for whole objects. */
  const readChecksum = async (Key: string) =>
    findChecksum(await client.send(new HeadObjectCommand({ Bucket: bucket, Key, ChecksumMode: 'ENABLED' })))

  return {
    addressOf: (prefix) => `s3://${bucket}/${prefix}`,

    readManifest: async (manifest) => {
      const { bucket: manifestBucket, key } = parseAddress(manifest)
      const { Body } = await client.send(new GetObjectCommand({ Bucket: manifestBucket, Key: key }))
      if (Body === undefined) throw new TypeError(`S3 gave no bytes of ${key}`)
      const lines = (await Body.transformToString()).split('\n').filter((line) => line !== '')
      return lines.map((line) => {
        const file = parseAddress(line)
        if (file.bucket !== bucket) throw new StrangeAddress(line)
        return file.key
      })
    },

    readFooter: async (key) => {
      const [first, checksum] = await Promise.all([readEnd(key, firstReadBytes), readChecksum(key)])
      let { end } = first
      const needed = footerLength(end) + tailBytes
      if (needed > end.byteLength) end = (await readEnd(key, needed)).end
      const footer = parseFooter(end, async (from, to) =>
        // The first read has all of a small file.
        first.end.byteLength === first.size ? first.end.slice(from, to) : readRange(key, from, to),
      )
      return { key, bytes: first.size, ...(checksum && { checksum }), ...footer }
    },

    write: async (key, body) => {
      const answer = await client.send(new PutObjectCommand({ Bucket: bucket, Key: key, Body: body }))
      const checksum = findChecksum(answer)
      const footer = parseFooter(body, async (from, to) => body.slice(from, to))
      return { key, bytes: body.byteLength, ...(checksum && { checksum }), ...footer }
    },

    removeBelow: (prefix) => removeObjects(client, bucket, prefix),
  }
}

/** The checksum in the answer of HeadObject or PutObject; undefined if the object has none. */
function findChecksum(head: HeadObjectCommandOutput | PutObjectCommandOutput): Checksum | undefined {
  const values: Readonly<Record<Checksum['algorithm'], string | undefined>> = {
    CRC64NVME: head.ChecksumCRC64NVME,
    CRC32: head.ChecksumCRC32,
    CRC32C: head.ChecksumCRC32C,
    SHA256: head.ChecksumSHA256,
    SHA1: head.ChecksumSHA1,
  }
  for (const algorithm of checksumAlgorithms) {
    const value = values[algorithm]
    if (value === undefined) continue
    const type = head.ChecksumType ?? (value.includes('-') ? 'COMPOSITE' : 'FULL_OBJECT')
    return { algorithm, type, value }
  }
  return undefined
}

const checksumAlgorithms = ['CRC64NVME', 'CRC32', 'CRC32C', 'SHA256', 'SHA1'] as const

/** Not an S3 object address, or an address outside the results bucket. */
export class StrangeAddress extends Error {
  override readonly name = 'StrangeAddress'
  constructor(address: string) {
    super(`not the address of a result file: ${address}`)
  }
}

function parseAddress(address: string): { readonly bucket: string; readonly key: string } {
  const [, bucket, key] = /^s3:\/\/([^/]+)\/(.+)$/.exec(address) ?? []
  if (bucket === undefined || key === undefined) throw new StrangeAddress(address)
  return { bucket, key }
}
