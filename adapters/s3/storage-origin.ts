import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { shortRequests } from '../request-limits.ts'

/**
 * Finds the URL of a bucket, ending in `/`. The SDK decides whether to address a bucket by host or by path, so the URL
 * is derived from one that the SDK signs, without a request or permission.
 */
export async function findBucketUrl(bucket: string, client = new S3Client(shortRequests)): Promise<URL> {
  const url = new URL(await getSignedUrl(client, new GetObjectCommand({ Bucket: bucket, Key: '-' })))
  url.pathname = url.pathname.slice(0, -1)
  return url
}

/** The origin of the URLs of a bucket's objects. */
export const findStorageOrigin = async (bucket: string): Promise<string> => (await findBucketUrl(bucket)).origin
