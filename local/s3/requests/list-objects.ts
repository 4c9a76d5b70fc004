import { AwsRefusal } from '../../aws-refusal.ts'
import { encodeUri } from '../../request-target.ts'
import { s3Namespace, sendXml } from '../answer.ts'
import { requireBucket, type S3Call } from '../call.ts'
import { checksumType } from '../checksum.ts'
import type { StoredObject } from '../object-index.ts'
import { parentElement, textElement } from '../xml.ts'

const maxEntries = 1000

/** An object, or the common prefix of a group of objects. */
interface Entry {
  readonly name: string
  /** Absent for a common prefix. */
  readonly object?: StoredObject
}

interface ListRequest {
  readonly prefix: string
  readonly delimiter: string
  readonly maxKeys: number
  readonly startAfter: string
  readonly continuationToken: string | undefined
  readonly encode: (text: string) => string
}

/**
 * Lists a bucket's objects page by page, ordered by the UTF-8 bytes of their keys.
 * Source: Amazon S3 API Reference, ListObjectsV2.
 */
export function listObjects(call: S3Call): void {
  requireBucket(call)
  const list = parseList(call.query)
  const after = list.continuationToken === undefined ? '' : parseToken(list.continuationToken)
  const entries = groupEntries(findObjects(call, list), list).filter(({ name }) => compareBytes(name, after) > 0)
  sendXml(call.response, 200, describePage(call.bucket, list, entries))
}

function parseList(query: URLSearchParams): ListRequest {
  const maxKeys = query.get('max-keys') ?? String(maxEntries)
  if (!/^\d{1,9}$/.test(maxKeys)) throw invalidArgument('max-keys must be an integer between 0 and 2147483647')
  const encoding = query.get('encoding-type')
  if (encoding !== null && encoding !== 'url') throw invalidArgument('Invalid Encoding Method specified in Request')
  return {
    prefix: query.get('prefix') ?? '',
    delimiter: query.get('delimiter') ?? '',
    maxKeys: Math.min(Number(maxKeys), maxEntries),
    startAfter: query.get('start-after') ?? '',
    continuationToken: query.get('continuation-token') ?? undefined,
    encode: encoding === 'url' ? encodeUri : (text) => text,
  }
}

function findObjects({ store, bucket }: S3Call, { prefix, startAfter }: ListRequest): StoredObject[] {
  return store
    .list(bucket)
    .filter(({ key }) => key.startsWith(prefix) && compareBytes(key, startAfter) > 0)
    .map((object) => ({ object, bytes: Buffer.from(object.key) }))
    .sort((a, b) => Buffer.compare(a.bytes, b.bytes))
    .map(({ object }) => object)
}

/** Sorted keys with a common prefix are adjacent, so each prefix occurs once and the entries stay sorted. */
function groupEntries(objects: readonly StoredObject[], { prefix, delimiter }: ListRequest): Entry[] {
  const entries: Entry[] = []
  for (const object of objects) {
    const end = delimiter === '' ? -1 : object.key.indexOf(delimiter, prefix.length)
    const entry = end === -1 ? { name: object.key, object } : { name: object.key.slice(0, end + delimiter.length) }
    if (entry.object !== undefined || entries.at(-1)?.name !== entry.name) entries.push(entry)
  }
  return entries
}

function describePage(bucket: string, list: ListRequest, entries: readonly Entry[]): string {
  const { prefix, delimiter, maxKeys, startAfter, continuationToken, encode } = list
  const page = entries.slice(0, maxKeys)
  const last = entries.length > page.length ? page.at(-1) : undefined
  return parentElement(
    'ListBucketResult',
    [
      textElement('Name', bucket),
      textElement('Prefix', encode(prefix)),
      ...(delimiter === '' ? [] : [textElement('Delimiter', encode(delimiter))]),
      ...(startAfter === '' ? [] : [textElement('StartAfter', encode(startAfter))]),
      ...(encode === encodeUri ? [textElement('EncodingType', 'url')] : []),
      ...(continuationToken === undefined ? [] : [textElement('ContinuationToken', continuationToken)]),
      ...(last === undefined ? [] : [textElement('NextContinuationToken', formatToken(last.name))]),
      textElement('MaxKeys', maxKeys),
      textElement('KeyCount', page.length),
      textElement('IsTruncated', last !== undefined),
      ...page.map((entry) => describeEntry(entry, encode)),
    ],
    s3Namespace,
  )
}

function describeEntry({ name, object }: Entry, encode: (text: string) => string): string {
  if (object === undefined) return parentElement('CommonPrefixes', [textElement('Prefix', encode(name))])
  return parentElement('Contents', [
    textElement('Key', encode(name)),
    textElement('LastModified', object.lastModified),
    textElement('ETag', `"${object.etag}"`),
    textElement('ChecksumAlgorithm', object.checksum.algorithm.toUpperCase()),
    textElement('ChecksumType', checksumType(object.checksum)),
    textElement('Size', object.size),
    textElement('StorageClass', 'STANDARD'),
  ])
}

/** A token is the last entry of its page. The mark makes tokens recognisable, because any word is valid Base64. */
const tokenMark = 'after:'

function formatToken(name: string): string {
  return Buffer.from(tokenMark + name).toString('base64')
}

function parseToken(token: string): string {
  const text = Buffer.from(token, 'base64').toString('utf8')
  if (!text.startsWith(tokenMark)) throw invalidArgument('The continuation token provided is incorrect')
  return text.slice(tokenMark.length)
}

/** JavaScript compares strings by UTF-16 code unit, which orders characters beyond U+FFFF differently. */
function compareBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}

function invalidArgument(message: string): AwsRefusal {
  return new AwsRefusal(400, 'InvalidArgument', message)
}
