import type { IncomingMessage, ServerResponse } from 'node:http'
import { validateHeaderValue } from 'node:http'
import { AwsRefusal } from '../aws-refusal.ts'
import type { RequestTarget } from '../request-target.ts'
import type { VerifiedSignature } from '../signature-v4.ts'
import type { MultipartUploads } from './multipart-uploads.ts'
import type { ObjectStore } from './object-store.ts'

/** One request to S3, its signature verified, with what an operation needs to answer it. */
export interface S3Call {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly store: ObjectStore
  readonly uploads: MultipartUploads
  readonly signature: VerifiedSignature
  readonly now: Date
  readonly bucket: string
  /** Empty for an operation on the bucket itself. */
  readonly key: string
  readonly query: URLSearchParams
  /** A request header; a pre-signed URL may carry the `x-amz-` ones in its query instead. */
  header(name: string): string | undefined
}

/** Answers one operation of S3. */
export type S3Operation = (call: S3Call) => Promise<void> | void

/** Splits a path into bucket and key (path style). */
export function splitPath(path: string): { readonly bucket: string; readonly key: string } {
  const [, bucket = '', key = ''] = /^\/([^/]*)\/?(.*)$/s.exec(path) ?? []
  return { bucket, key }
}

/** Makes the look-up of headers. Headers that a pre-signed URL lacks are looked for in its signed query. */
export function headerReader(
  { headers }: IncomingMessage,
  { query }: RequestTarget,
  { by }: VerifiedSignature,
): S3Call['header'] {
  return (name) => {
    const value = headers[name]
    if (value !== undefined) return Array.isArray(value) ? value.join(', ') : value
    const inQuery = by === 'query' && name.startsWith('x-amz-') ? query.get(name) : null
    return inQuery === null ? undefined : checkHeaderValue(name, inQuery)
  }
}

/** @throws AwsRefusal InvalidArgument for a text from a query that cannot be sent as the value of a header */
export function checkHeaderValue(name: string, value: string): string {
  try {
    validateHeaderValue(name, value)
    return value
  } catch {
    throw new AwsRefusal(400, 'InvalidArgument', `The value of ${name} cannot be represented in a header.`)
  }
}

/** @throws AwsRefusal NoSuchBucket */
export function requireBucket({ store, bucket }: S3Call): void {
  if (!store.hasBucket(bucket)) throw new AwsRefusal(404, 'NoSuchBucket', 'The specified bucket does not exist')
}

/** The refusal of what this endpoint, and not S3, lacks. */
export function notImplemented(what: string): AwsRefusal {
  return new AwsRefusal(
    501,
    'NotImplemented',
    `A header or query you provided implies functionality that is not implemented: ${what}`,
  )
}
