import { validateHeaderValue } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { AwsRefusal } from '../../aws-refusal.ts'
import { requireBucket, type S3Call } from '../call.ts'
import { checksumType } from '../checksum.ts'
import { mayList } from '../listers.ts'
import type { StoredObject } from '../object-index.ts'
import { failedCondition } from '../object-store.ts'
import { type ByteRange, parseRange } from '../range.ts'

/**
 * Sends an object, or a range of it.
 * Source: Amazon S3 API Reference, GetObject.
 */
export async function getObject(call: S3Call): Promise<void> {
  const { response, store, bucket } = call
  const answer = prepareAnswer(call)
  const bytes = store.read(bucket, answer.object, answer.range)
  await pipeline(bytes, response.writeHead(answer.status, answer.headers))
}

/** Sends the headers of GetObject without the body. */
export function headObject(call: S3Call): void {
  const { status, headers } = prepareAnswer(call)
  call.response.writeHead(status, headers).end()
}

interface ObjectAnswer {
  readonly status: 200 | 206
  readonly headers: Readonly<Record<string, string | number>>
  readonly object: StoredObject
  readonly range?: ByteRange
}

function prepareAnswer(call: S3Call): ObjectAnswer {
  const object = findObject(call)
  const headers = objectHeaders(call, object)
  const range = isSameVersion(call, object) ? parseRange(call.header('range'), object.size) : undefined
  if (range === 'unsatisfiable') throw new AwsRefusal(416, 'InvalidRange', 'The requested range is not satisfiable')
  if (range === undefined)
    return {
      status: 200,
      headers: { ...headers, ...checksumHeaders(call, object), 'Content-Length': object.size },
      object,
    }
  const { start, end } = range
  return {
    status: 206,
    headers: { ...headers, 'Content-Length': end - start + 1, 'Content-Range': `bytes ${start}-${end}/${object.size}` },
    object,
    range,
  }
}

function findObject(call: S3Call): StoredObject {
  requireBucket(call)
  const object = call.store.find(call.bucket, call.key)
  if (object === undefined) throw refuseMissing(call)
  const condition = call.header('if-match')
  if (condition !== undefined && condition !== `"${object.etag}"`) throw failedCondition()
  return object
}

/** Source: Amazon S3 API Reference, GetObject, "Permissions": without `s3:ListBucket` a missing object is 403. */
function refuseMissing({ signature: { signer }, bucket, listers }: S3Call): AwsRefusal {
  return mayList(signer, bucket, listers)
    ? new AwsRefusal(404, 'NoSuchKey', 'The specified key does not exist.')
    : new AwsRefusal(403, 'AccessDenied', 'Access Denied')
}

/**
 * True if the client's version of the object is the stored one, so that it gets the range. Otherwise the whole object
 * is sent.
 * Source: RFC 9110, section 13.1.5 (If-Range): a strong tag, or the exact date of the last change.
 */
function isSameVersion({ header }: S3Call, { etag, lastModified }: StoredObject): boolean {
  const condition = header('if-range')?.trim()
  return condition === undefined || condition === `"${etag}"` || condition === new Date(lastModified).toUTCString()
}

/** Returns the headers of an object. The whole query is signed, so nobody can add a disposition in transit. */
function objectHeaders({ query }: S3Call, { etag, lastModified }: StoredObject): Record<string, string> {
  const disposition = query.get('response-content-disposition')
  return {
    'content-type': 'binary/octet-stream',
    ...(disposition !== null && { 'content-disposition': checkHeaderValue('content-disposition', disposition) }),
    ETag: `"${etag}"`,
    'Last-Modified': new Date(lastModified).toUTCString(),
    'Accept-Ranges': 'bytes',
  }
}

/** @throws AwsRefusal InvalidArgument if text from a query is not a valid header value */
function checkHeaderValue(name: string, value: string): string {
  try {
    validateHeaderValue(name, value)
    return value
  } catch {
    throw new AwsRefusal(400, 'InvalidArgument', `The value of ${name} cannot be represented in a header.`)
  }
}

/** Returns the checksum's headers, for whole objects only: a client would compare it with a partial body. */
function checksumHeaders({ header }: S3Call, { checksum }: StoredObject): Record<string, string> {
  if (header('x-amz-checksum-mode')?.toUpperCase() !== 'ENABLED') return {}
  return { [`x-amz-checksum-${checksum.algorithm}`]: checksum.value, 'x-amz-checksum-type': checksumType(checksum) }
}
