import { AwsRefusal } from '../../aws-refusal.ts'
import { s3Namespace, sendXml } from '../answer.ts'
import { notImplemented, requireBucket, type S3Call } from '../call.ts'
import { checksumType } from '../checksum.ts'
import type { StoredObject } from '../object-index.ts'
import { parentElement, textElement } from '../xml.ts'

const maxEntries = 1000

/** Parameters that would change the answer of S3. */
const unsupported = ['delimiter', 'start-after', 'encoding-type', 'fetch-owner']

/**
 * Lists a bucket's objects page by page, ordered by the UTF-8 bytes of their keys.
 * Source: Amazon S3 API Reference, ListObjectsV2.
 */
export function listObjects(call: S3Call): void {
  requireBucket(call)
  const { query, store, bucket, response } = call
  for (const name of unsupported) if (query.has(name)) throw notImplemented(name)
  const requestedKeys = query.get('max-keys') ?? String(maxEntries)
  if (!/^\d{1,9}$/.test(requestedKeys)) throw invalidArgument('max-keys must be an integer between 0 and 2147483647')
  const maxKeys = Math.min(Number(requestedKeys), maxEntries)
  const [prefix, token] = [query.get('prefix') ?? '', query.get('continuation-token')]
  // JavaScript compares strings by UTF-16 code unit, which orders characters beyond U+FFFF differently.
  const after = Buffer.from(token === null ? '' : parseToken(token))
  const objects = store
    .list(bucket)
    .filter(({ key }) => key.startsWith(prefix))
    .map((object) => ({ object, bytes: Buffer.from(object.key) }))
    .filter(({ bytes }) => Buffer.compare(bytes, after) > 0)
    .sort((a, b) => Buffer.compare(a.bytes, b.bytes))
    .map(({ object }) => object)
  const page = objects.slice(0, maxKeys)
  const last = objects.length > page.length ? page.at(-1) : undefined
  const children = [
    textElement('Name', bucket),
    textElement('Prefix', prefix),
    ...(last === undefined ? [] : [textElement('NextContinuationToken', formatToken(last.key))]),
    textElement('MaxKeys', maxKeys),
    textElement('KeyCount', page.length),
    textElement('IsTruncated', last !== undefined),
    ...page.map(describeEntry),
  ]
  sendXml(response, 200, parentElement('ListBucketResult', children, s3Namespace))
}

function describeEntry({ key, lastModified, etag, checksum, size }: StoredObject): string {
  return parentElement('Contents', [
    textElement('Key', key),
    textElement('LastModified', lastModified),
    textElement('ETag', `"${etag}"`),
    textElement('ChecksumAlgorithm', checksum.algorithm.toUpperCase()),
    textElement('ChecksumType', checksumType(checksum)),
    textElement('Size', size),
    textElement('StorageClass', 'STANDARD'),
  ])
}

/** A token is the last key of its page. The prefix makes tokens recognisable, because any word is valid Base64. */
const tokenPrefix = 'after:'

function formatToken(key: string): string {
  return Buffer.from(tokenPrefix + key).toString('base64')
}

function parseToken(token: string): string {
  const text = Buffer.from(token, 'base64').toString('utf8')
  if (!text.startsWith(tokenPrefix)) throw invalidArgument('The continuation token provided is incorrect')
  return text.slice(tokenPrefix.length)
}

function invalidArgument(message: string): AwsRefusal {
  return new AwsRefusal(400, 'InvalidArgument', message)
}
