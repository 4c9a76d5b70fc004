import { AwsRefusal } from '../../aws-refusal.ts'
import { isCreation, notImplemented, requireBucket, type S3Call } from '../call.ts'
import { receiveBody } from '../received-body.ts'

const maxKeyBytes = 1024

/**
 * Stores an object.
 * Source: Amazon S3 API Reference, PutObject.
 */
export async function putObject(call: S3Call): Promise<void> {
  const { store, bucket, key, response, now } = call
  requireBucket(call)
  refuseUnsupported(call)
  const body = receiveBody(call)
  const { etag, checksum } = await store.put({
    bucket,
    key,
    body: body.pieces,
    checksum: body.checksum,
    lastModified: now,
    isCreation: isCreation(call),
  })
  response
    .writeHead(200, {
      ETag: `"${etag}"`,
      [`x-amz-checksum-${checksum.algorithm}`]: checksum.value,
      'x-amz-checksum-type': 'FULL_OBJECT',
      'Content-Length': 0,
    })
    .end()
}

/** Headers of features that are missing here. They are refused, so that no client believes that they took effect. */
const unsupported =
  /^(if-match|content-(encoding|disposition)|x-amz-(meta-.*|copy-source|server-side-encryption-customer-key))$/

/** @throws AwsRefusal KeyTooLongError, NotImplemented */
export function refuseUnsupported({ key, request }: S3Call): void {
  if (Buffer.byteLength(key) > maxKeyBytes) throw new AwsRefusal(400, 'KeyTooLongError', 'Your key is too long')
  const name = Object.keys(request.headers).find((header) => unsupported.test(header))
  if (name !== undefined) throw notImplemented(name)
}
