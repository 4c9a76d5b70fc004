/** Computes a checksum over successive pieces of input; the digest is in Base64. */
export interface RunningChecksum {
  update(bytes: Buffer): void
  digest(): string
}

/**
 * The two S3 checksums that Node lacks. Both are reflected CRCs with inverted start and end values; the 64-bit one is
 * kept in two halves because BigInt is too slow for files.
 * Source: the catalogue of parametrised CRC algorithms (CRC-32/ISCSI, CRC-64/NVME).
 */

const allOnes = 0xffffffff

interface Table {
  readonly high: Uint32Array
  readonly low: Uint32Array
}

const crc32cTable = makeTable({ high: 0, low: 0x82f63b78 })
const crc64NvmeTable = makeTable({ high: 0x9a6c9329, low: 0xac4bc9b5 })

export function createCrc32c(): RunningChecksum {
  const { low: table } = crc32cTable
  let crc = allOnes
  return {
    update(bytes) {
      for (const byte of bytes) crc = (table[(crc ^ byte) & 0xff] ?? 0) ^ (crc >>> 8)
    },
    digest: () => toBase64([crc]),
  }
}

export function createCrc64Nvme(): RunningChecksum {
  const table = crc64NvmeTable
  let high = allOnes
  let low = allOnes
  return {
    update(bytes) {
      for (const byte of bytes) {
        const index = (low ^ byte) & 0xff
        low = (table.low[index] ?? 0) ^ ((low >>> 8) | (high << 24))
        high = (table.high[index] ?? 0) ^ (high >>> 8)
      }
    },
    digest: () => toBase64([high, low]),
  }
}

function makeTable(polynomial: { readonly high: number; readonly low: number }): Table {
  const table = { high: new Uint32Array(256), low: new Uint32Array(256) }
  for (let byte = 0; byte < 256; byte++) {
    let [high, low] = [0, byte]
    for (let bit = 0; bit < 8; bit++) {
      const isOdd = (low & 1) === 1
      low = (low >>> 1) | (high << 31)
      high >>>= 1
      if (isOdd) [high, low] = [high ^ polynomial.high, low ^ polynomial.low]
    }
    table.high[byte] = high
    table.low[byte] = low
  }
  return table
}

/** Big-endian, as S3 writes it. */
function toBase64(words: readonly number[]): string {
  const bytes = Buffer.alloc(words.length * 4)
  for (const [index, word] of words.entries()) bytes.writeUInt32BE((word ^ allOnes) >>> 0, index * 4)
  return bytes.toString('base64')
}
