import type { RunningChecksum } from '../../client/downloads/cyclic-check.ts'
import { AwsRefusal } from '../aws-refusal.ts'
import { unsignedPayload } from '../signing/signature-v4.ts'
import { decodeAwsChunked } from './aws-chunked.ts'
import type { S3Call } from './call.ts'
import { notImplemented } from './call.ts'
import type { Checksum, ChecksumAlgorithm, ReceivedBody } from './checksum.ts'
import { checksumAlgorithms, startChecksum, startHash } from './checksum.ts'

const streamingPrefix = 'STREAMING-'
const checksumPrefix = 'x-amz-checksum-'
const maxBytes = 5 * 1024 ** 3

/** The checksum that S3 computes for an object uploaded without one. */
const defaultAlgorithm: ChecksumAlgorithm = 'crc64nvme'

/**
 * Starts to receive a body: decodes it and checks it against the request's headers.
 * Source: Amazon S3 User Guide, "Checking object integrity"; Amazon S3 API Reference, PutObject.
 *
 * @throws AwsRefusal if the declared length is missing or too large, or the checksum algorithm is unknown
 */
export function receiveBody(call: S3Call): ReceivedBody {
  const { request, signature } = call
  const isChunked = signature.payloadHash.startsWith(streamingPrefix)
  const length = declaredLength(call, isChunked)
  const algorithm = declaredAlgorithm(call)
  const running = startChecksum(algorithm ?? defaultAlgorithm)
  const trailers = new Map<string, string>()
  const raw: AsyncIterable<Buffer> = request.iterator({ destroyOnReturn: false })
  const source = isChunked ? decodeAwsChunked(raw, (name, value) => void trailers.set(name, value)) : raw
  let checksum: Checksum = { algorithm: algorithm ?? defaultAlgorithm, value: '' }

  async function* pieces(): AsyncGenerator<Buffer> {
    const checks = bodyChecks(call)
    let bytes = 0
    for await (const piece of source) {
      bytes += piece.length
      if (bytes > length) break
      for (const { digest } of checks) digest.update(piece)
      running.update(piece)
      yield piece
    }
    if (bytes !== length) throw incompleteBody()
    for (const { digest, expected, refusal } of checks) if (digest.digest() !== expected) throw refusal
    checksum = { ...checksum, value: running.digest() }
    if (algorithm === undefined) return
    const name = checksumPrefix + algorithm
    if ((call.header(name) ?? trailers.get(name)) !== checksum.value) throw badDigest(algorithm.toUpperCase())
  }
  return { pieces: pieces(), checksum: () => checksum, declaredAlgorithm: algorithm }
}

/** Reads a small body completely. */
export async function receiveText(call: S3Call, limit: number): Promise<string> {
  const pieces: Buffer[] = []
  let bytes = 0
  for await (const piece of receiveBody(call).pieces) {
    bytes += piece.length
    if (bytes > limit) throw tooLarge()
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString('utf8')
}

/** S3 requires the length up front; a body of unknown length must use aws-chunked encoding. */
function declaredLength({ request, header }: S3Call, isChunked: boolean): number {
  const declared = isChunked ? header('x-amz-decoded-content-length') : request.headers['content-length']
  const isEmpty = request.headers['transfer-encoding'] === undefined && !isChunked
  const length = declared ?? (isEmpty ? '0' : '')
  if (!/^\d{1,15}$/.test(length))
    throw new AwsRefusal(411, 'MissingContentLength', 'You must provide the Content-Length HTTP header.')
  if (Number(length) > maxBytes) throw tooLarge()
  return Number(length)
}

function declaredAlgorithm({ request, query, header }: S3Call): ChecksumAlgorithm | undefined {
  const names = [...Object.keys(request.headers), ...query.keys(), ...(header('x-amz-trailer') ?? '').split(',')]
  const declared = names
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name.startsWith(checksumPrefix) && !/-(mode|type|algorithm)$/.test(name))
    .map((name) => name.slice(checksumPrefix.length))
  const [algorithm, another] = new Set(declared)
  if (another !== undefined)
    throw new AwsRefusal(
      400,
      'InvalidRequest',
      'Expecting a single x-amz-checksum- header. Multiple checksum types are not allowed.',
    )
  const known = checksumAlgorithms.find((name) => name === algorithm)
  if (algorithm !== undefined && known === undefined) throw notImplemented(checksumPrefix + algorithm)
  return known
}

interface BodyCheck {
  readonly digest: RunningChecksum
  readonly expected: string
  readonly refusal: AwsRefusal
}

function bodyChecks({ signature, header }: S3Call): BodyCheck[] {
  const { payloadHash } = signature
  const md5 = header('content-md5')
  const checks: BodyCheck[] = []
  if (payloadHash !== unsignedPayload && !payloadHash.startsWith(streamingPrefix))
    checks.push({
      digest: startHash('sha256', 'hex'),
      expected: payloadHash,
      refusal: new AwsRefusal(
        400,
        'XAmzContentSHA256Mismatch',
        "The provided 'x-amz-content-sha256' header does not match what was computed.",
      ),
    })
  if (md5 !== undefined)
    checks.push({
      digest: startHash('md5'),
      expected: md5,
      refusal: badDigest('Content-MD5'),
    })
  return checks
}

function badDigest(name: string): AwsRefusal {
  return new AwsRefusal(400, 'BadDigest', `The ${name} you specified did not match what we received.`)
}

function incompleteBody(): AwsRefusal {
  return new AwsRefusal(400, 'IncompleteBody', 'The body does not have the length that the request declares.')
}

function tooLarge(): AwsRefusal {
  return new AwsRefusal(400, 'EntityTooLarge', 'Your proposed upload exceeds the maximum allowed object size.')
}
