import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import {
  CreateBucketCommand,
  HeadBucketCommand,
  ListObjectsV2Command,
  NotFound,
  PutObjectCommand,
  S3Client,
  type S3ClientConfig,
  S3ServiceException,
} from '@aws-sdk/client-s3'

/** Stores local files in any bucket. */
export interface S3Objects {
  /** Uploads a file. It is streamed, so it may be larger than memory. */
  putObject(bucket: string, key: string, filePath: string): Promise<void>
  /** Returns whether the bucket has no key with this prefix. */
  isEmptyPrefix(bucket: string, prefix: string): Promise<boolean>
  /** Creates a bucket. */
  createBucket(bucket: string): Promise<void>
  /** Returns whether a bucket of this name exists, even if the caller may not read it. */
  bucketExists(bucket: string): Promise<boolean>
  /** Closes the connections. */
  close(): void
}

/**
 * Connects to S3, or to the endpoint in `AWS_ENDPOINT_URL_S3` or `AWS_ENDPOINT_URL`. S3 computes the checksums: the SDK would
 * send a stream with one as an aws-chunked body, which the local S3 does not take.
 */
export function createS3Objects(settings: S3ClientConfig = {}): S3Objects {
  const client = new S3Client({ requestChecksumCalculation: 'WHEN_REQUIRED', ...settings })
  return {
    putObject: async (bucket, key, filePath) => {
      const { size } = await stat(filePath)
      const body = createReadStream(filePath)
      await client.send(new PutObjectCommand({ Bucket: bucket, Key: key, Body: body, ContentLength: size }))
    },
    isEmptyPrefix: async (bucket, prefix) => {
      const listed = await client.send(new ListObjectsV2Command({ Bucket: bucket, Prefix: prefix, MaxKeys: 1 }))
      return (listed.Contents ?? []).length === 0
    },
    createBucket: async (bucket) => {
      await client.send(new CreateBucketCommand({ Bucket: bucket }))
    },
    bucketExists: async (bucket) => {
      try {
        await client.send(new HeadBucketCommand({ Bucket: bucket }))
        return true
      } catch (error) {
        if (error instanceof NotFound) return false
        // S3 answers 403 (no permission) or 301 (another region) only for buckets that exist.
        if (error instanceof S3ServiceException && (error.$metadata.httpStatusCode ?? 500) < 500) return true
        throw error
      }
    },
    close: () => client.destroy(),
  }
}
