import { createHash } from 'node:crypto'
import { type RunningChecksum, startCyclicCheck } from '../../client/downloads/cyclic-check.ts'

/** The checksum algorithms of S3, as in the header `x-amz-checksum-<algorithm>`. */
export const checksumAlgorithms = ['crc32', 'crc32c', 'crc64nvme', 'sha1', 'sha256'] as const

export type ChecksumAlgorithm = (typeof checksumAlgorithms)[number]

export type ChecksumType = 'FULL_OBJECT' | 'COMPOSITE'

/** A Base64 checksum of the bytes, or of the parts' checksums as `<checksum>-<number of parts>`. */
export interface Checksum {
  readonly algorithm: ChecksumAlgorithm
  readonly value: string
}

const cyclic = { crc32: 'CRC32', crc32c: 'CRC32C', crc64nvme: 'CRC64NVME' } as const

/** Starts a checksum. Source: Amazon S3 User Guide, "Checking object integrity". */
export const startChecksum = (algorithm: ChecksumAlgorithm): RunningChecksum =>
  algorithm === 'sha1' || algorithm === 'sha256' ? startHash(algorithm) : startCyclicCheck(cyclic[algorithm])

/** Starts a node:crypto digest with the same interface. */
export function startHash(
  algorithm: 'md5' | 'sha1' | 'sha256',
  encoding: 'base64' | 'hex' = 'base64',
): RunningChecksum {
  const hash = createHash(algorithm)
  return { update: (bytes) => void hash.update(bytes), digest: () => hash.digest(encoding) }
}

/** Returns the type of a checksum: of the whole object, or of its parts' checksums. */
export function checksumType({ value }: Checksum): ChecksumType {
  return value.includes('-') ? 'COMPOSITE' : 'FULL_OBJECT'
}

/** A request body that is being received. */
export interface ReceivedBody {
  /** The decoded bytes. Reading to the end throws an AwsRefusal if a hash or the length does not match the request. */
  readonly pieces: AsyncIterable<Buffer>
  /** The body's checksum, available once the pieces are read: the client's, or the one that S3 computes by default. */
  checksum(): Checksum
  /** Algorithm of the client's checksum; undefined if it sends none. */
  readonly declaredAlgorithm: ChecksumAlgorithm | undefined
}
