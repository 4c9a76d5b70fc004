import { createReadStream } from 'node:fs'
import { AwsRefusal } from '../../../../local/aws-refusal.ts'
import { s3Namespace, sendXml } from '../../../../local/s3/answer.ts'
import { isCreation, notImplemented, requireBucket } from '../../../../local/s3/call.ts'
import { type Checksum, startChecksum } from '../../../../local/s3/checksum.ts'
import { receiveText } from '../../../../local/s3/received-body.ts'
import { malformedXml, parentElement, splitElements, textElement, textOf } from '../../../../local/s3/xml.ts'
import type { MultipartCall, MultipartUpload, UploadedPart } from './multipart-uploads.ts'
import { checksumElement, combineDigests, multipartChecksumType } from './part-checksums.ts'
import { findUpload } from './upload-parts.ts'

const smallestPart = 5 * 1024 ** 2
const maxBodyBytes = 8 * 1024 ** 2

/**
 * Combines the parts that the client names into an object, and drops the others.
 * Source: Amazon S3 API Reference, CompleteMultipartUpload.
 */
export async function completeMultipartUpload(call: MultipartCall): Promise<void> {
  const { bucket, key, request, header, response, store, uploads, now } = call
  requireBucket(call)
  // For this operation these headers describe the object, not the request body.
  for (const name of Object.keys(request.headers))
    if (/^x-amz-(?:checksum-(?!type$)|mp-object-size$)/.test(name)) throw notImplemented(name)
  const { uploadId, upload } = findUpload(call)
  const parts = nameParts(upload, await receiveText(call, maxBodyBytes))
  const { etag, checksum } = await uploads.complete(uploadId, upload, () => {
    const object = readObject(upload, parts)
    return store.put({
      bucket,
      key,
      body: object.pieces,
      etag: `${combineDigests(
        'md5',
        'hex',
        parts.map(({ etag }) => etag),
      )}-${parts.length}`,
      checksum: object.checksum,
      lastModified: now,
      isCreation: isCreation(call),
    })
  })
  const children = [
    textElement('Location', `http://${header('host')}${request.url?.split('?')[0] ?? ''}`),
    textElement('Bucket', bucket),
    textElement('Key', key),
    textElement('ETag', `"${etag}"`),
    textElement(checksumElement(checksum.algorithm), checksum.value),
    textElement('ChecksumType', multipartChecksumType(upload.algorithm)),
  ]
  sendXml(response, 200, parentElement('CompleteMultipartUploadResult', children, s3Namespace))
}

/** The parts that a request document names, as stored. */
function nameParts(upload: MultipartUpload, document: string): UploadedPart[] {
  const named = splitElements(document, 'Part').map((element) => ({
    element,
    number: Number(textOf(element, 'PartNumber')),
  }))
  if (named.length === 0) throw malformedXml()
  if (named.some(({ number }, index) => number <= (named[index - 1]?.number ?? 0)))
    throw new AwsRefusal(
      400,
      'InvalidPartOrder',
      'The list of parts was not in ascending order. Parts must be ordered by part number.',
    )
  const parts = named.map(({ element, number }) => findPart(upload, number, element))
  if (parts.slice(0, -1).some(({ size }) => size < smallestPart))
    throw new AwsRefusal(400, 'EntityTooSmall', 'Your proposed upload is smaller than the minimum allowed size')
  return parts
}

function findPart({ parts, algorithm }: MultipartUpload, number: number, element: string): UploadedPart {
  const part = parts.get(number)
  const isComposite = algorithm !== undefined && multipartChecksumType(algorithm) === 'COMPOSITE'
  if (isComposite && !element.includes(`<${checksumElement(algorithm)}>`))
    throw new AwsRefusal(
      400,
      'InvalidRequest',
      `The upload was created using a ${algorithm} checksum. The complete request must include the checksum for each part. It was missing for part ${number} in the request.`,
    )
  const isNamedRight =
    part?.etag === textOf(element, 'ETag').replaceAll('"', '') &&
    (!isComposite || textOf(element, checksumElement(algorithm)) === part.checksum.value)
  if (part === undefined || !isNamedRight)
    throw new AwsRefusal(
      400,
      'InvalidPart',
      "One or more of the specified parts could not be found. The part may not have been uploaded, or the specified entity tag may not match the part's entity tag.",
    )
  return part
}

/** The bytes of the parts in order, and the object's checksum after they are read. */
function readObject({ algorithm = 'crc64nvme' }: MultipartUpload, parts: readonly UploadedPart[]) {
  const running = startChecksum(algorithm)
  async function* pieces(): AsyncGenerator<Buffer> {
    for (const { path } of parts) {
      const bytes: AsyncIterable<Buffer> = createReadStream(path)
      for await (const piece of bytes) {
        running.update(piece)
        yield piece
      }
    }
  }
  const checksum = (): Checksum => {
    if (multipartChecksumType(algorithm) === 'FULL_OBJECT') return { algorithm, value: running.digest() }
    const value = combineDigests(
      algorithm,
      'base64',
      parts.map((part) => part.checksum.value),
    )
    return { algorithm, value: `${value}-${parts.length}` }
  }
  return { pieces: pieces(), checksum }
}
