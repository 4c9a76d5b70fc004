import { AwsRefusal } from '../../aws-refusal.ts'
import { requireBucket, type S3Call } from '../call.ts'
import { receiveText } from '../received-body.ts'

/** Creates a bucket. Idempotent, as in us-east-1, so startup need not check first. */
export async function createBucket(call: S3Call): Promise<void> {
  const { store, bucket, response } = call
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket))
    throw new AwsRefusal(400, 'InvalidBucketName', 'The specified bucket is not valid.')
  await receiveText(call, 64 * 1024)
  store.createBucket(bucket)
  response.writeHead(200, { Location: `/${bucket}`, 'Content-Length': 0 }).end()
}

/** Answers whether a bucket exists. */
export function headBucket(call: S3Call): void {
  requireBucket(call)
  call.response.writeHead(200).end()
}
