import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { RunningChecksum } from './cyclic-redundancy.ts'
import { createCrc32c, createCrc64Nvme } from './cyclic-redundancy.ts'

/** The checksum algorithms of S3, as in the header `x-amz-checksum-<algorithm>`. */
export const checksumAlgorithms = ['crc32', 'crc32c', 'crc64nvme', 'sha1', 'sha256'] as const

export type ChecksumAlgorithm = (typeof checksumAlgorithms)[number]

export type ChecksumType = 'FULL_OBJECT' | 'COMPOSITE'

/** A checksum in Base64: of bytes, or `<of the checksums of parts>-<number of parts>`. */
export interface Checksum {
  readonly algorithm: ChecksumAlgorithm
  readonly value: string
}

/** Starts a checksum. Source: Amazon S3 User Guide, "Checking object integrity". */
export function startChecksum(algorithm: ChecksumAlgorithm): RunningChecksum {
  switch (algorithm) {
    case 'crc32':
      return startCrc32()
    case 'crc32c':
      return createCrc32c()
    case 'crc64nvme':
      return createCrc64Nvme()
    default:
      return startHash(algorithm)
  }
}

/** Starts a digest of node:crypto, in the same form. */
export function startHash(
  algorithm: 'md5' | 'sha1' | 'sha256',
  encoding: 'base64' | 'hex' = 'base64',
): RunningChecksum {
  const hash = createHash(algorithm)
  return { update: (bytes) => void hash.update(bytes), digest: () => hash.digest(encoding) }
}

/**
 * What the checksum of an object that came in parts is made of: its bytes, or the checksums of its parts, which is what
 * S3 does with every algorithm but the one that it chooses itself. The value ends in the number of parts then.
 * Source: Amazon S3 User Guide, "Checking object integrity".
 */
export function multipartChecksumType(algorithm: ChecksumAlgorithm = 'crc64nvme'): ChecksumType {
  return algorithm === 'crc64nvme' ? 'FULL_OBJECT' : 'COMPOSITE'
}

/** What a stored object's checksum is made of. */
export function checksumType({ value }: Checksum): ChecksumType {
  return value.includes('-') ? 'COMPOSITE' : 'FULL_OBJECT'
}

/** The element of a document that holds a checksum. */
export const checksumElement = (algorithm: ChecksumAlgorithm) => `Checksum${algorithm.toUpperCase()}`

/** The digest of digests, each in the encoding that the result has. */
export function combineDigests(
  algorithm: ChecksumAlgorithm | 'md5',
  encoding: 'base64' | 'hex',
  digests: readonly string[],
): string {
  const running = algorithm === 'md5' ? startHash(algorithm, encoding) : startChecksum(algorithm)
  running.update(Buffer.concat(digests.map((digest) => Buffer.from(digest, encoding))))
  return running.digest()
}

function startCrc32(): RunningChecksum {
  let state = 0
  return {
    update(bytes) {
      state = crc32(bytes, state)
    },
    digest() {
      const bytes = Buffer.alloc(4)
      bytes.writeUInt32BE(state)
      return bytes.toString('base64')
    },
  }
}
