/** Bytes that grow as they are written. */
export class ByteOutput {
  bytes: Buffer
  length = 0

  constructor(capacity = 1 << 12) {
    this.bytes = Buffer.allocUnsafe(capacity)
  }

  /** Makes room for this many bytes. */
  reserve(count: number): void {
    if (this.length + count <= this.bytes.length) return
    const grown = Buffer.allocUnsafe(2 * (this.length + count))
    this.bytes.copy(grown, 0, 0, this.length)
    this.bytes = grown
  }

  /** The bytes so far; valid until more are written. */
  view(): Buffer {
    return this.bytes.subarray(0, this.length)
  }
}

/** Bits that tell so many values apart. */
export const bitsFor = (values: number): number => 32 - Math.clz32(Math.max(0, values - 1))

/** Values in a run from which it is shorter as a run than bit-packed. */
const shortestRun = 16

/**
 * Writes numbers as runs and bit-packed groups. Source: Apache Parquet format, "Run Length Encoding / Bit-Packing Hybrid".
 *
 * @param bits width of each number, at most 24
 */
export function writeHybrid(output: ByteOutput, values: Uint32Array, count: number, bits: number): void {
  output.reserve(count * 4 + 64)
  let packedFrom = 0
  let at = 0
  while (at < count) {
    const value = values[at] ?? 0
    let end = at + 1
    while (end < count && values[end] === value) end++
    // Bit-packed groups have eight values: a run gives away those that fill the group before it.
    const start = at + ((packedFrom - at) & 7)
    if (end - start >= shortestRun) {
      if (start > packedFrom) writePacked(output, values, packedFrom, start, bits)
      writeRun(output, value, end - start, bits)
      packedFrom = end
    }
    at = end
  }
  if (count > packedFrom) writePacked(output, values, packedFrom, count, bits)
}

/** Writes the same number `count` times. */
export function writeRun(output: ByteOutput, value: number, count: number, bits: number): void {
  output.reserve(16)
  writeVarint(output, count * 2)
  for (let shift = 0; shift < bits; shift += 8) output.bytes[output.length++] = (value >>> shift) & 0xff
}

/** The last group is filled up with zeros. */
function writePacked(output: ByteOutput, values: Uint32Array, from: number, to: number, bits: number): void {
  const groups = (to - from + 7) >>> 3
  output.reserve(groups * bits + 16)
  writeVarint(output, groups * 2 + 1)
  const { bytes } = output
  let at = output.length
  let pending = 0
  let used = 0
  for (let index = from; index < to; index++) {
    pending |= (values[index] ?? 0) << used
    used += bits
    while (used >= 8) {
      bytes[at++] = pending & 0xff
      pending >>>= 8
      used -= 8
    }
  }
  const end = output.length + groups * bits
  while (at < end) {
    bytes[at++] = pending & 0xff
    pending >>>= 8
  }
  output.length = end
}

function writeVarint(output: ByteOutput, value: number): void {
  let rest = value
  while (rest > 0x7f) {
    output.bytes[output.length++] = (rest & 0x7f) | 0x80
    rest >>>= 7
  }
  output.bytes[output.length++] = rest
}
