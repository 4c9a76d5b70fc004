import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { CreateBucketCommand, ListObjectsV2Command, PutObjectCommand, S3Client } from '@aws-sdk/client-s3'

/** Objects of any bucket, for whoever writes files of this machine to them. */
export interface S3Objects {
  /** Stores a file as an object; it is streamed, so it may be larger than the memory. */
  putObject(bucket: string, key: string, filePath: string): Promise<void>
  /** Whether no key of the bucket begins with the prefix. */
  isEmptyPrefix(bucket: string, prefix: string): Promise<boolean>
  /** Makes a bucket; one that is there already is as good. */
  createBucket(bucket: string): Promise<void>
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
    close: () => client.destroy(),
  }
}
