import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'

/**
 * Finds the origin of the URLs of a bucket's objects. The SDK decides whether to address a bucket by host or by path,
 * so the origin is read from a URL that it signs, without a request or permission.
 */
export async function findStorageOrigin(bucket: string): Promise<string> {
  const url = await getSignedUrl(new S3Client({}), new GetObjectCommand({ Bucket: bucket, Key: '-' }))
  return new URL(url).origin
}
