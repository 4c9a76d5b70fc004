import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'

/** Checksums as Amazon S3 defines them, computed without the code of the service or the client. */

export type Algorithm = 'CRC32' | 'CRC32C' | 'CRC64NVME' | 'SHA1' | 'SHA256'

/** The checksum of a file's bytes in Base64. */
export function computeChecksum(algorithm: Algorithm, bytes: Uint8Array): string {
  switch (algorithm) {
    case 'CRC32':
      return encode(BigInt(crc32(bytes)), 32)
    case 'CRC32C':
      return encode(divide(bytes, 0x82f63b78n, 32), 32)
    case 'CRC64NVME':
      return encode(divide(bytes, 0x9a6c9329ac4bc9b5n, 64), 64)
    case 'SHA1':
    case 'SHA256':
      return createHash(algorithm.toLowerCase()).update(bytes).digest('base64')
  }
}

const encode = (value: bigint, bits: number) =>
  Buffer.from(value.toString(16).padStart(bits / 4, '0'), 'hex').toString('base64')

/** Divides by a reflected polynomial; both of these start and end inverted. */
function divide(bytes: Uint8Array, polynomial: bigint, bits: number): bigint {
  const table = Array.from({ length: 256 }, (_, byte) => {
    let rest = BigInt(byte)
    for (let bit = 0; bit < 8; bit++) rest = (rest & 1n) === 1n ? (rest >> 1n) ^ polynomial : rest >> 1n
    return rest
  })
  const ones = (1n << BigInt(bits)) - 1n
  let rest = ones
  for (const byte of bytes) rest = (table[Number(rest & 0xffn) ^ byte] ?? 0n) ^ (rest >> 8n)
  return rest ^ ones
}
