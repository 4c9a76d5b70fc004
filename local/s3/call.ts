import { type IncomingMessage, type ServerResponse, validateHeaderValue } from 'node:http'
import { AwsRefusal } from '../aws-refusal.ts'
import type { RequestTarget } from '../request-target.ts'
import type { VerifiedSignature } from '../signing/signature-v4.ts'
import type { ObjectStore } from './object-store.ts'

/** A request to S3 with a verified signature, and what an operation needs to answer it. */
export interface S3Call {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly store: ObjectStore
  readonly signature: VerifiedSignature
  readonly now: Date
  readonly bucket: string
  /** Empty for operations on the bucket itself. */
  readonly key: string
  readonly query: URLSearchParams
  /** Returns a request header. A pre-signed URL may carry `x-amz-` headers in its query instead. */
  header(name: string): string | undefined
}

/** Answers one operation of S3. */
export type S3Operation = (call: S3Call) => Promise<void> | void

/** Splits a path into bucket and key (path style). */
export function splitPath(path: string): { readonly bucket: string; readonly key: string } {
  const [, bucket = '', key = ''] = /^\/([^/]*)\/?(.*)$/s.exec(path) ?? []
  return { bucket, key }
}

/** Creates the header lookup. For a pre-signed URL, headers that the request lacks are read from its signed query. */
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

/** @throws AwsRefusal InvalidArgument if text from a query is not a valid header value */
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

/** Refuses a feature that S3 has but this endpoint lacks. */
export function notImplemented(what: string): AwsRefusal {
  return new AwsRefusal(
    501,
    'NotImplemented',
    `A header or query you provided implies functionality that is not implemented: ${what}`,
  )
}
