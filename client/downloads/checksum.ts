import { createHash } from 'node:crypto'
import { type RunningChecksum, startCyclicCheck } from './cyclic-check.ts'

/** A checksum as in the manifest of a search: the algorithm as Amazon S3 names it, the value in Base64. */
export interface Checksum {
  readonly algorithm: string
  /** A `COMPOSITE` checksum depends on the parts of the upload, which are not known to clients. */
  readonly type: 'FULL_OBJECT' | 'COMPOSITE'
  readonly value: string
}

/** Returns true if bytes have a checksum; undefined if it is composite or its algorithm is unknown. */
export async function hasChecksum(bytes: AsyncIterable<Uint8Array>, expected: Checksum): Promise<boolean | undefined> {
  const running = expected.type === 'FULL_OBJECT' ? checksums[expected.algorithm]?.() : undefined
  if (running === undefined) return undefined
  for await (const piece of bytes) running.update(piece)
  return running.digest() === expected.value
}

const hash = (algorithm: string) => (): RunningChecksum => {
  const running = createHash(algorithm)
  return { update: (bytes) => running.update(bytes), digest: () => running.digest('base64') }
}

const checksums: Readonly<Record<string, () => RunningChecksum>> = {
  SHA1: hash('sha1'),
  SHA256: hash('sha256'),
  CRC32: () => startCyclicCheck('CRC32'),
  CRC32C: () => startCyclicCheck('CRC32C'),
  CRC64NVME: () => startCyclicCheck('CRC64NVME'),
}
