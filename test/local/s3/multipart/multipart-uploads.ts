import { randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { AwsRefusal } from '../../../../local/aws-refusal.ts'
import type { S3Call } from '../../../../local/s3/call.ts'
import type { Checksum, ChecksumAlgorithm, ReceivedBody } from '../../../../local/s3/checksum.ts'
import { newBytesFile } from '../../../../local/s3/object-index.ts'
import { writeBytes } from '../../../../local/s3/object-store.ts'

/** A call of one of the operations of multipart uploads. */
export type MultipartCall = S3Call & { readonly uploads: MultipartUploads }

/** A part of an incomplete multipart upload. */
export interface UploadedPart {
  readonly number: number
  readonly size: number
  /** MD5 of the bytes in hex. */
  readonly etag: string
  readonly checksum: Checksum
  /** Path of the file with the bytes. */
  readonly path: string
}

/** A multipart upload in progress. */
export interface MultipartUpload {
  readonly bucket: string
  readonly key: string
  /** Algorithm of every part's checksum; absent if the client leaves checksums to S3. */
  readonly algorithm?: ChecksumAlgorithm
  /** By number; a part uploaded again replaces the earlier one. */
  readonly parts: Map<number, UploadedPart>
}

/** Multipart uploads in progress. They are lost when the process ends, and clients have to start over. */
export interface MultipartUploads {
  /** @returns the upload's id */
  create(upload: Omit<MultipartUpload, 'parts'>): string
  /** @throws AwsRefusal NoSuchUpload, also if the upload is for another key */
  find(uploadId: string, bucket: string, key: string): MultipartUpload
  /** Stores a part. If the upload is aborted meanwhile, the part is refused and leaves no file. */
  putPart(uploadId: string, upload: MultipartUpload, number: number, body: ReceivedBody): Promise<UploadedPart>
  /** Takes an upload out while `complete` builds its object, and puts it back if that fails. */
  complete<Result>(uploadId: string, upload: MultipartUpload, complete: () => Promise<Result>): Promise<Result>
  /** Discards an upload and its parts. */
  abort(uploadId: string, upload: MultipartUpload): void
}

/** Stores parts as files beside the bucket's objects, where the next start deletes files that no object names. */
export function openMultipartUploads(folder: string): MultipartUploads {
  const uploads = new Map<string, MultipartUpload>()

  function abort(uploadId: string, { parts }: MultipartUpload): void {
    uploads.delete(uploadId)
    for (const { path } of parts.values()) rmSync(path, { force: true })
  }

  return {
    create(upload) {
      const uploadId = randomUUID()
      uploads.set(uploadId, { ...upload, parts: new Map() })
      return uploadId
    },
    find(uploadId, bucket, key) {
      const upload = uploads.get(uploadId)
      if (upload?.bucket !== bucket || upload.key !== key) throw noSuchUpload()
      return upload
    },
    async putPart(uploadId, upload, number, body) {
      const path = join(folder, upload.bucket, newBytesFile(upload.key, randomUUID()))
      try {
        const written = await writeBytes(body.pieces, path)
        const part = { number, ...written, checksum: body.checksum(), path }
        if (uploads.get(uploadId) !== upload) throw noSuchUpload()
        const replaced = upload.parts.get(number)
        upload.parts.set(number, part)
        if (replaced !== undefined) rmSync(replaced.path, { force: true })
        return part
      } finally {
        if (upload.parts.get(number)?.path !== path) rmSync(path, { force: true })
      }
    },
    async complete(uploadId, upload, complete) {
      uploads.delete(uploadId)
      let isComplete = false
      try {
        const result = await complete()
        isComplete = true
        return result
      } finally {
        if (isComplete) abort(uploadId, upload)
        else uploads.set(uploadId, upload)
      }
    },
    abort,
  }
}

function noSuchUpload(): AwsRefusal {
  return new AwsRefusal(
    404,
    'NoSuchUpload',
    'The specified upload does not exist. The upload ID may be invalid, or the upload may have been aborted or completed.',
  )
}
