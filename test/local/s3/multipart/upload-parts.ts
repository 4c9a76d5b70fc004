import { AwsRefusal } from '../../../../local/aws-refusal.ts'
import { s3Namespace, sendXml } from '../../../../local/s3/answer.ts'
import { notImplemented, requireBucket, type S3Call } from '../../../../local/s3/call.ts'
import { type ChecksumAlgorithm, checksumAlgorithms } from '../../../../local/s3/checksum.ts'
import { receiveBody, receiveText } from '../../../../local/s3/received-body.ts'
import { refuseUnsupported } from '../../../../local/s3/requests/put-object.ts'
import { parentElement, textElement } from '../../../../local/s3/xml.ts'
import type { MultipartCall, MultipartUpload } from './multipart-uploads.ts'
import { multipartChecksumType } from './part-checksums.ts'

const maxParts = 10_000

/**
 * Starts a multipart upload.
 * Source: Amazon S3 API Reference, CreateMultipartUpload.
 */
export async function createMultipartUpload(call: MultipartCall): Promise<void> {
  const { bucket, key, response, uploads } = call
  requireBucket(call)
  refuseUnsupported(call)
  const algorithm = chosenAlgorithm(call)
  await receiveText(call, 0)
  const uploadId = uploads.create({ bucket, key, ...(algorithm && { algorithm }) })
  if (algorithm !== undefined) {
    response.setHeader('x-amz-checksum-algorithm', algorithm.toUpperCase())
    response.setHeader('x-amz-checksum-type', multipartChecksumType(algorithm))
  }
  const children = [textElement('Bucket', bucket), textElement('Key', key), textElement('UploadId', uploadId)]
  sendXml(response, 200, parentElement('InitiateMultipartUploadResult', children, s3Namespace))
}

/**
 * Stores one part.
 * Source: Amazon S3 API Reference, UploadPart.
 */
export async function uploadPart(call: MultipartCall): Promise<void> {
  const { query, response, uploads } = call
  requireBucket(call)
  refuseUnsupported(call)
  const number = Number(query.get('partNumber'))
  if (!Number.isInteger(number) || number < 1 || number > maxParts)
    throw new AwsRefusal(400, 'InvalidArgument', `Part number must be an integer between 1 and ${maxParts}, inclusive`)
  const { uploadId, upload } = findUpload(call)
  const body = receiveBody(call)
  if (upload.algorithm !== undefined && body.declaredAlgorithm !== upload.algorithm)
    throw new AwsRefusal(
      400,
      'InvalidRequest',
      `Checksum Type mismatch occurred, expected checksum Type: ${upload.algorithm}, actual checksum Type: ${body.declaredAlgorithm ?? null}`,
    )
  const { etag, checksum } = await uploads.putPart(uploadId, upload, number, body)
  response
    .writeHead(200, {
      ETag: `"${etag}"`,
      [`x-amz-checksum-${checksum.algorithm}`]: checksum.value,
      'Content-Length': 0,
    })
    .end()
}

/**
 * Aborts a multipart upload.
 * Source: Amazon S3 API Reference, AbortMultipartUpload.
 */
export function abortMultipartUpload(call: MultipartCall): void {
  requireBucket(call)
  const { uploadId, upload } = findUpload(call)
  call.uploads.abort(uploadId, upload)
  call.response.writeHead(204).end()
}

/** @throws AwsRefusal NoSuchUpload */
export function findUpload({ bucket, key, query, uploads }: MultipartCall): {
  uploadId: string
  upload: MultipartUpload
} {
  const uploadId = query.get('uploadId') ?? ''
  return { uploadId, upload: uploads.find(uploadId, bucket, key) }
}

function chosenAlgorithm({ header }: S3Call): ChecksumAlgorithm | undefined {
  const chosen = header('x-amz-checksum-algorithm')
  const algorithm = checksumAlgorithms.find((name) => name.toUpperCase() === chosen)
  if (chosen !== undefined && algorithm === undefined) throw notImplemented(`x-amz-checksum-algorithm: ${chosen}`)
  const type = header('x-amz-checksum-type')
  if (type !== undefined && type !== multipartChecksumType(algorithm))
    throw notImplemented(`x-amz-checksum-type: ${type}`)
  return algorithm
}
