import type { IncomingMessage, ServerResponse } from 'node:http'
import { AwsRefusal } from '../aws-refusal.ts'
import type { VerifiedSignature } from '../signing/signature-v4.ts'
import type { Listers } from './listers.ts'
import type { ObjectStore } from './object-store.ts'

/** A request to S3 with a verified signature, and everything that an operation needs to answer it. */
export interface S3Call {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly store: ObjectStore
  readonly signature: VerifiedSignature
  /** The roles that may list a bucket learn that an object is missing; others are denied access. */
  readonly listers: Listers
  readonly now: Date
  readonly bucket: string
  /** Empty for operations on the bucket itself. */
  readonly key: string
  readonly query: URLSearchParams
  /** Returns a request header. */
  header(name: string): string | undefined
}

/** Answers one operation of S3. */
export type S3Operation = (call: S3Call) => Promise<void> | void

/** Splits a path into bucket and key (path style). */
export function splitPath(path: string): { readonly bucket: string; readonly key: string } {
  const [, bucket = '', key = ''] = /^\/([^/]*)\/?(.*)$/s.exec(path) ?? []
  return { bucket, key }
}

/** @throws AwsRefusal NoSuchBucket */
export function requireBucket({ store, bucket }: S3Call): void {
  if (!store.hasBucket(bucket)) throw new AwsRefusal(404, 'NoSuchBucket', 'The specified bucket does not exist')
}

/**
 * Returns true if the request must not replace an object.
 * Source: Amazon S3 API Reference, PutObject and CompleteMultipartUpload, `If-None-Match`: only `*` is supported.
 */
export function isCreation({ header }: S3Call): boolean {
  const condition = header('if-none-match')
  if (condition !== undefined && condition !== '*') throw notImplemented('If-None-Match with an entity tag')
  return condition === '*'
}

/** Refuses a feature that S3 has but this endpoint lacks. */
export function notImplemented(feature: string): AwsRefusal {
  return new AwsRefusal(
    501,
    'NotImplemented',
    `A header or query you provided implies functionality that is not implemented: ${feature}`,
  )
}
