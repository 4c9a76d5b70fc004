import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { RunningChecksum } from './cyclic-redundancy.ts'
import { createCrc32c, createCrc64Nvme } from './cyclic-redundancy.ts'

/** The checksum algorithms of S3, as in the header `x-amz-checksum-<algorithm>`. */
export const checksumAlgorithms = ['crc32', 'crc32c', 'crc64nvme', 'sha1', 'sha256'] as const

export type ChecksumAlgorithm = (typeof checksumAlgorithms)[number]

/** A checksum of a whole object, in Base64. */
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
