import { AwsRefusal } from '../../aws-refusal.ts'
import { notImplemented, requireBucket, type S3Call } from '../call.ts'
import { receiveBody } from '../received-body.ts'

const maxKeyBytes = 1024
const keptHeaders = ['content-type', 'content-disposition', 'content-language', 'cache-control', 'expires'] as const

/**
 * Stores an object; `If-None-Match: *` refuses to replace one.
 * Source: Amazon S3 API Reference, PutObject.
 */
export async function putObject(call: S3Call): Promise<void> {
  const { store, bucket, key, header, response, now } = call
  requireBucket(call)
  refuseUnsupported(call)
  const body = receiveBody(call)
  const { etag, checksum } = await store.put({
    bucket,
    key,
    headers: headersToKeep(call),
    body: body.pieces,
    checksum: body.checksum,
    lastModified: now,
    onlyIfAbsent: header('if-none-match') === '*',
  })
  response
    .writeHead(200, {
      ETag: `"${etag}"`,
      [`x-amz-checksum-${checksum.algorithm}`]: checksum.value,
      'x-amz-checksum-type': 'FULL_OBJECT',
      'Content-Length': 0,
    })
    .end()
}

/** Refuses what S3 would handle differently, so that no client believes it was done. */
export function refuseUnsupported({ key, header }: S3Call): void {
  if (Buffer.byteLength(key) > maxKeyBytes) throw new AwsRefusal(400, 'KeyTooLongError', 'Your key is too long')
  const condition = header('if-none-match')
  if (condition !== undefined && condition !== '*') throw notImplemented('If-None-Match with an ETag')
  for (const name of [
    'if-match',
    'x-amz-copy-source',
    'x-amz-write-offset-bytes',
    'x-amz-server-side-encryption-customer-key',
  ])
    if (header(name) !== undefined) throw notImplemented(name)
}

/** The request headers that every response with the object repeats. */
export function headersToKeep({ request, query, header, signature }: S3Call): Record<string, string> {
  const metadata = Object.keys(request.headers).concat(signature.by === 'query' ? [...query.keys()] : [])
  const names = [...keptHeaders, ...metadata.filter((name) => name.startsWith('x-amz-meta-'))]
  const kept = names.map((name) => [name, header(name)] as const)
  return Object.fromEntries([...kept, ['content-encoding', contentEncoding(header)] as const].filter(isPresent))
}

/** `aws-chunked` is a transfer encoding, not a property of the object. */
function contentEncoding(header: S3Call['header']): string | undefined {
  const encodings = (header('content-encoding') ?? '').split(',').map((encoding) => encoding.trim())
  return encodings.filter((encoding) => encoding !== 'aws-chunked').join(', ') || undefined
}

function isPresent(entry: readonly [string, string | undefined]): entry is readonly [string, string] {
  return entry[1] !== undefined
}
