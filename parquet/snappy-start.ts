/** Bytes that follow the tag of a copy, by its kind. */
const copyBytes: Readonly<Record<number, number>> = { 1: 1, 2: 2, 3: 4 }

/**
 * Decompresses the start of a Snappy stream, as far as the input reaches.
 * Source: google/snappy, format_description.txt.
 *
 * @param expected size of the whole decompressed stream, in bytes, which its header must state
 * @throws RangeError if the bytes are not a Snappy stream, or it has another length
 */
export function decompressStart(input: Uint8Array, expected: number): Uint8Array<ArrayBuffer> {
  const { value: length, next } = readVarint(input)
  if (length !== expected) throw new RangeError(`a Snappy stream of ${length} bytes, not ${expected}`)
  // Three bytes give 64 at most, whatever length is claimed.
  const output = new Uint8Array(Math.min(length, input.length * 22))
  // A view throws a RangeError beyond its bytes, where an index of an array would read undefined.
  const [source, target] = [viewOf(input), viewOf(output)]
  let [from, to] = [next, 0]
  while (from < input.length && to < output.length) {
    const tag = source.getUint8(from)
    const kind = tag & 3
    const extra = kind === 0 ? Math.max(0, (tag >>> 2) - 59) : copyBytes[kind]
    if (extra === undefined) throw new RangeError('an unknown kind of Snappy element')
    if (from + 1 + extra > input.length) break
    const number = readLittleEndian(source, from + 1, extra)
    from += 1 + extra
    if (kind === 0) {
      const size = 1 + (extra === 0 ? tag >>> 2 : number)
      const literal = input.subarray(from, from + size)
      output.set(literal, to)
      from += size
      to += literal.length
    } else {
      const size = kind === 1 ? 4 + ((tag >>> 2) & 7) : 1 + (tag >>> 2)
      const offset = kind === 1 ? number | ((tag >>> 5) << 8) : number
      if (offset === 0 || offset > to) throw new RangeError(`a Snappy copy from before the start, at ${from}`)
      // The source may overlap the target: byte by byte, a copy repeats what it has just written.
      for (const end = Math.min(output.length, to + size); to < end; to++) output[to] = target.getUint8(to - offset)
    }
  }
  return output.slice(0, to)
}

function readVarint(input: Uint8Array): { readonly value: number; readonly next: number } {
  let value = 0
  const source = viewOf(input)
  for (let next = 0; next < Math.min(5, input.length); next++) {
    const byte = source.getUint8(next)
    value += (byte & 0x7f) * 2 ** (7 * next)
    if (byte < 0x80) return { value, next: next + 1 }
  }
  throw new RangeError('a Snappy stream without a length')
}

const viewOf = ({ buffer, byteOffset, byteLength }: Uint8Array) => new DataView(buffer, byteOffset, byteLength)

function readLittleEndian(source: DataView, at: number, bytes: number): number {
  let value = 0
  for (let index = bytes - 1; index >= 0; index--) value = value * 256 + source.getUint8(at + index)
  return value
}
