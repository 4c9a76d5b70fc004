import { type ChecksumAlgorithm, type ChecksumType, startChecksum, startHash } from '../../../../local/s3/checksum.ts'

/**
 * The computation of a multipart object's checksum. CRC64NVME, the default, covers the whole object; with every other
 * algorithm S3 combines the parts' checksums and appends their number.
 * Source: Amazon S3 User Guide, "Checking object integrity".
 */
export function multipartChecksumType(algorithm: ChecksumAlgorithm = 'crc64nvme'): ChecksumType {
  return algorithm === 'crc64nvme' ? 'FULL_OBJECT' : 'COMPOSITE'
}

/** The name of the XML element for a checksum. */
export const checksumElement = (algorithm: ChecksumAlgorithm) => `Checksum${algorithm.toUpperCase()}`

/** Computes a digest of digests; inputs and result use the same encoding. */
export function combineDigests(
  algorithm: ChecksumAlgorithm | 'md5',
  encoding: 'base64' | 'hex',
  digests: readonly string[],
): string {
  const running = algorithm === 'md5' ? startHash(algorithm, encoding) : startChecksum(algorithm)
  running.update(Buffer.concat(digests.map((digest) => Buffer.from(digest, encoding))))
  return running.digest()
}
