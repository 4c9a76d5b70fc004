import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import {
  CreateBucketCommand,
  HeadBucketCommand,
  ListObjectsV2Command,
  NotFound,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3'

/** Objects of any bucket, for whoever writes files of this machine to them. */
export interface S3Objects {
  /** Stores a file as an object; it is streamed, so it may be larger than the memory. */
  putObject(bucket: string, key: string, filePath: string): Promise<void>
  /** Whether no key of the bucket begins with the prefix. */
  isEmptyPrefix(bucket: string, prefix: string): Promise<boolean>
  /** Makes a bucket; one that is there already is as good. */
  createBucket(bucket: string): Promise<void>
  /** Whether a bucket of this name exists, also if the caller may not read it. */
  bucketExists(bucket: string): Promise<boolean>
  /** Ends the connections. */
  close(): void
}

/** Reaches S3, or what `AWS_ENDPOINT_URL_S3` or `AWS_ENDPOINT_URL` stands in for it, by the SDK's own settings. */
export function createS3Objects(client = new S3Client()): S3Objects {
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
        // S3 answers 403 for a bucket of somebody else, and for one that the caller may not list.
        if (error instanceof S3ServiceException && error.$metadata.httpStatusCode === 403) return true
        throw error
      }
    },
    close: () => client.destroy(),
  }
}
