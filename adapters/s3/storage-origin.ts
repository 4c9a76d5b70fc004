import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'

/**
 * The origin of the URLs of a bucket's objects. The SDK decides whether a bucket is addressed by host or by path, so it is
 * read from a URL that it signs; nothing is sent and no permission is needed.
 */
export async function findStorageOrigin(bucket: string): Promise<string> {
  const url = await getSignedUrl(new S3Client({}), new GetObjectCommand({ Bucket: bucket, Key: '-' }))
  return new URL(url).origin
}
