import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import {
  CreateBucketCommand,
  GetObjectCommand,
  HeadBucketCommand,
  ListObjectsV2Command,
  NoSuchKey,
  NotFound,
  PutObjectCommand,
  S3Client,
  type S3ClientConfig,
  S3ServiceException,
} from '@aws-sdk/client-s3'
import { bulkRequests } from '../request-limits.ts'

/**
 * Stores local files in any bucket of S3, or of the endpoint in `AWS_ENDPOINT_URL_S3` or `AWS_ENDPOINT_URL`. S3
 * computes the checksums: if the SDK did, it would send streams as aws-chunked bodies, which the local S3 refuses.
 */
export function createS3Objects(settings: S3ClientConfig = {}) {
  const client = new S3Client({ ...bulkRequests, requestChecksumCalculation: 'WHEN_REQUIRED', ...settings })
  return {
    /** Uploads a file. It is streamed, so it may be larger than memory. */
    putObject: async (bucket: string, key: string, filePath: string) => {
      const { size } = await stat(filePath)
      const body = createReadStream(filePath)
      await client.send(new PutObjectCommand({ Bucket: bucket, Key: key, Body: body, ContentLength: size }))
    },
    isEmptyPrefix: async (bucket: string, prefix: string) => {
      const page = await client.send(new ListObjectsV2Command({ Bucket: bucket, Prefix: prefix, MaxKeys: 1 }))
      return (page.Contents ?? []).length === 0
    },
    /** Returns an object's text; undefined if there is none. */
    readText: async (bucket: string, key: string) => {
      try {
        const { Body } = await client.send(new GetObjectCommand({ Bucket: bucket, Key: key }))
        return await Body?.transformToString()
      } catch (error) {
        if (error instanceof NoSuchKey) return undefined
        throw error
      }
    },
    createBucket: async (bucket: string) => {
      await client.send(new CreateBucketCommand({ Bucket: bucket }))
    },
    /** Returns whether a bucket of this name exists, even if the caller may not read it. */
    bucketExists: async (bucket: string) => {
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
