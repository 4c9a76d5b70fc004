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

/** Refuses a feature that S3 has but this endpoint lacks. */
export function notImplemented(feature: string): AwsRefusal {
  return new AwsRefusal(
    501,
    'NotImplemented',
    `A header or query you provided implies functionality that is not implemented: ${feature}`,
  )
}
