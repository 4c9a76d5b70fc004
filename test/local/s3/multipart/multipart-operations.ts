import type { S3Call } from '../../../../local/s3/call.ts'
import type { S3Operations } from '../../../../local/s3/operations.ts'
import { completeMultipartUpload } from './complete-upload.ts'
import { type MultipartCall, openMultipartUploads } from './multipart-uploads.ts'
import { abortMultipartUpload, createMultipartUpload, uploadPart } from './upload-parts.ts'

/**
 * Multipart uploads for a local S3. On one machine nothing sends them; on AWS the loader does, so that the tests of its
 * adapter need them.
 *
 * @param folder that of the local S3
 */
export function openMultipartOperations(folder: string): S3Operations {
  const uploads = openMultipartUploads(folder)
  const operation = (answer: (call: MultipartCall) => Promise<void> | void) => (call: S3Call) =>
    answer({ ...call, uploads })
  return new Map([
    ['POST uploads', operation(createMultipartUpload)],
    ['PUT partNumber uploadId', operation(uploadPart)],
    ['POST uploadId', operation(completeMultipartUpload)],
    ['DELETE uploadId', operation(abortMultipartUpload)],
  ])
}
