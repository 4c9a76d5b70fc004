import { AwsRefusal } from '../aws-refusal.ts'
import { unsignedPayload } from '../signing/signature-v4.ts'
import { notImplemented, type S3Call } from './call.ts'
import type { Checksum, ChecksumAlgorithm, ReceivedBody } from './checksum.ts'
import { checksumAlgorithms, startChecksum, startHash } from './checksum.ts'

const checksumPrefix = 'x-amz-checksum-'
const maxBytes = 5 * 1024 ** 3

/** The checksum that S3 computes for an object uploaded without one. */
const defaultAlgorithm: ChecksumAlgorithm = 'crc64nvme'

/**
 * Starts to receive a body, and checks it against the request's headers.
 * Source: Amazon S3 User Guide, "Checking object integrity"; Amazon S3 API Reference, PutObject.
 *
 * @throws AwsRefusal if the declared length is missing or too large, or the checksum algorithm is unknown
 */
export function receiveBody(call: S3Call): ReceivedBody {
  const { request, signature } = call
  refuseLength(call)
  const declared = declaredAlgorithm(call)
  const algorithm = declared ?? defaultAlgorithm
  const running = startChecksum(algorithm)
  const hash = startHash('sha256', 'hex')
  let checksum: Checksum = { algorithm, value: '' }

  async function* pieces(): AsyncGenerator<Buffer> {
    const source: AsyncIterable<Buffer> = request.iterator({ destroyOnReturn: false })
    for await (const piece of source) {
      hash.update(piece)
      running.update(piece)
      yield piece
    }
    if (signature.payloadHash !== unsignedPayload && hash.digest() !== signature.payloadHash)
      throw new AwsRefusal(
        400,
        'XAmzContentSHA256Mismatch',
        "The provided 'x-amz-content-sha256' header does not match what was computed.",
      )
    checksum = { algorithm, value: running.digest() }
    if (declared === undefined || call.header(checksumPrefix + declared) === checksum.value) return
    const message = `The ${declared.toUpperCase()} you specified did not match what we received.`
    throw new AwsRefusal(400, 'BadDigest', message)
  }
  return { pieces: pieces(), checksum: () => checksum, declaredAlgorithm: declared }
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

/** Refuses a body without a length, which S3 requires up front, or with one over the limit. */
function refuseLength({ request: { headers } }: S3Call): void {
  const { 'content-length': length, 'transfer-encoding': encoding } = headers
  if (length === undefined && encoding !== undefined)
    throw new AwsRefusal(411, 'MissingContentLength', 'You must provide the Content-Length HTTP header.')
  if (Number(length ?? 0) > maxBytes) throw tooLarge()
}

function declaredAlgorithm({ request }: S3Call): ChecksumAlgorithm | undefined {
  const [name, another] = Object.keys(request.headers).filter(
    (header) => header.startsWith(checksumPrefix) && !/-(mode|type|algorithm)$/.test(header),
  )
  if (another !== undefined)
    throw new AwsRefusal(
      400,
      'InvalidRequest',
      'Expecting a single x-amz-checksum- header. Multiple checksum types are not allowed.',
    )
  const declared = checksumAlgorithms.find((algorithm) => checksumPrefix + algorithm === name)
  if (name !== undefined && declared === undefined) throw notImplemented(name)
  return declared
}

function tooLarge(): AwsRefusal {
  return new AwsRefusal(400, 'EntityTooLarge', 'Your proposed upload exceeds the maximum allowed object size.')
}
