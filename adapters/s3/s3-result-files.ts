import { GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import type { ResultFiles } from '../../core/ports.ts'
import { footerLength, parseFooter, tailBytes } from './parquet-footer.ts'
import { listPages, removeObjects } from './s3-prefix.ts'

/** Size of the first read from the end of a shard: it covers the footer of all but the largest files in one request. */
const firstReadBytes = 64 * 1024

/** Stores result files in one S3 bucket. */
export function createS3ResultFiles(bucket: string, client = new S3Client({})): ResultFiles {
  /** Reads the last bytes of an object and its full size. */
  const readEnd = async (Key: string, bytes: number) => {
    const { Body, ContentRange } = await client.send(
      new GetObjectCommand({ Bucket: bucket, Key, Range: `bytes=-${bytes}` }),
    )
    const size = Number(/\/(\d+)$/.exec(ContentRange ?? '')?.[1])
    if (Body === undefined || !Number.isSafeInteger(size)) throw new TypeError(`S3 gave no range of ${Key}`)
    return { end: await Body.transformToByteArray(), size }
  }

  return {
    addressOf: (prefix) => `s3://${bucket}/${prefix}`,

    readManifest: async (manifest) => {
      const { bucket: manifestBucket, key } = parseAddress(manifest)
      const { Body } = await client.send(new GetObjectCommand({ Bucket: manifestBucket, Key: key }))
      const lines = ((await Body?.transformToString()) ?? '').split('\n').filter((line) => line !== '')
      return lines.map((line) => {
        const file = parseAddress(line)
        if (file.bucket !== bucket) throw new StrangeAddress(line)
        return file.key
      })
    },

    readFooter: async (key) => {
      let { end, size } = await readEnd(key, firstReadBytes)
      const needed = footerLength(end) + tailBytes
      if (needed > end.byteLength) end = (await readEnd(key, needed)).end
      return { key, bytes: size, ...parseFooter(end) }
    },

    write: async (key, body) => {
      await client.send(new PutObjectCommand({ Bucket: bucket, Key: key, Body: body }))
    },

    removeBelow: async (prefix) => {
      for await (const page of listPages(client, bucket, prefix)) {
        const keys = page.flatMap(({ Key }) => Key ?? [])
        await removeObjects(client, bucket, keys)
      }
    },
  }
}

/** Not an S3 object address, or an address outside the results bucket. */
export class StrangeAddress extends Error {
  override readonly name = 'StrangeAddress'
  constructor(address: string) {
    super(`not the address of a result file: ${address}`)
  }
}

function parseAddress(address: string): { readonly bucket: string; readonly key: string } {
  const { bucket, key } = /^s3:\/\/(?<bucket>[^/]+)\/(?<key>.+)$/.exec(address)?.groups ?? {}
  if (bucket === undefined || key === undefined) throw new StrangeAddress(address)
  return { bucket, key }
}
