/**
 * Thrift's compact protocol, read and written so that a test can change one number of a Parquet file.
 * Source: Apache Thrift, "Thrift Compact Protocol".
 */
export type Node =
  | { readonly kind: 'boolean'; readonly type: number }
  | { readonly kind: 'byte'; readonly type: number; readonly value: number }
  | { readonly kind: 'int'; readonly type: number; value: bigint }
  | { readonly kind: 'double' | 'bytes'; readonly type: number; readonly bytes: Uint8Array }
  | { readonly kind: 'list'; readonly type: number; readonly element: number; readonly items: Node[] }
  | Struct

export interface Struct {
  readonly kind: 'struct'
  readonly type: number
  readonly fields: { readonly id: number; readonly node: Node }[]
}

const [trueType, falseType, byteType, longType, doubleType, bytesType, listType, structType] = [1, 2, 3, 6, 7, 8, 9, 12]

/** Reads a struct, and returns where it ends. */
export function readStruct(bytes: Uint8Array, start: number): { readonly struct: Struct; readonly end: number } {
  let offset = start
  const readByte = () => {
    const byte = bytes[offset++]
    if (byte === undefined) throw new RangeError('a struct that does not end')
    return byte
  }
  const readVarint = () => {
    let value = 0n
    for (let shift = 0n; ; shift += 7n) {
      const byte = readByte()
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return value
    }
  }
  const readBytes = (length: number) => {
    offset += length
    return bytes.slice(offset - length, offset)
  }
  const readNode = (type: number): Node => {
    if (type === trueType || type === falseType) return { kind: 'boolean', type }
    if (type === byteType) return { kind: 'byte', type, value: readByte() }
    if (type <= longType) {
      const zigzag = readVarint()
      return { kind: 'int', type, value: (zigzag >> 1n) ^ -(zigzag & 1n) }
    }
    if (type === doubleType) return { kind: 'double', type, bytes: readBytes(8) }
    if (type === bytesType) return { kind: 'bytes', type, bytes: readBytes(Number(readVarint())) }
    if (type === structType) return readFields()
    if (type !== listType) throw new TypeError(`the type ${type}`)
    const head = readByte()
    const size = head >> 4 === 15 ? Number(readVarint()) : head >> 4
    const element = head & 15
    const readItem = () => (element <= falseType ? { kind: 'boolean' as const, type: readByte() } : readNode(element))
    return { kind: 'list', type, element, items: Array.from({ length: size }, readItem) }
  }
  const readFields = (): Struct => {
    const fields: Struct['fields'] = []
    for (let id = 0; ; ) {
      const head = readByte()
      if (head === 0) return { kind: 'struct', type: structType, fields }
      id = head >> 4 === 0 ? Number(readVarint() >> 1n) : id + (head >> 4)
      fields.push({ id, node: readNode(head & 15) })
    }
  }
  const struct = readFields()
  return { struct, end: offset }
}

export function writeStruct(struct: Struct): Uint8Array {
  const bytes: number[] = []
  const writeVarint = (value: bigint) => {
    let rest = BigInt.asUintN(64, value)
    for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128)
    bytes.push(Number(rest))
  }
  const writeZigzag = (value: bigint) => writeVarint((value << 1n) ^ (value >> 63n))
  const writeNode = (node: Node, isItem = false): void => {
    if (node.kind === 'boolean') bytes.push(...(isItem ? [node.type] : []))
    else if (node.kind === 'byte') bytes.push(node.value)
    else if (node.kind === 'int') writeZigzag(node.value)
    else if (node.kind === 'struct') writeFields(node)
    else if (node.kind === 'list') {
      bytes.push((Math.min(node.items.length, 15) << 4) | node.element)
      if (node.items.length >= 15) writeVarint(BigInt(node.items.length))
      for (const item of node.items) writeNode(item, true)
    } else {
      if (node.kind === 'bytes') writeVarint(BigInt(node.bytes.length))
      bytes.push(...node.bytes)
    }
  }
  const writeFields = ({ fields }: Struct): void => {
    let last = 0
    for (const { id, node } of fields) {
      const delta = id - last
      bytes.push((delta > 0 && delta < 16 ? delta << 4 : 0) | node.type)
      if (delta <= 0 || delta >= 16) writeZigzag(BigInt(id))
      writeNode(node)
      last = id
    }
    bytes.push(0)
  }
  writeFields(struct)
  return Uint8Array.from(bytes)
}

/** Lists the numbers below a node, each with its path: ids of fields, and places in lists. */
export function listNumbers(node: Node, path = ''): readonly { path: string; node: Extract<Node, { kind: 'int' }> }[] {
  if (node.kind === 'int') return [{ path, node }]
  if (node.kind === 'struct') return node.fields.flatMap(({ id, node: field }) => listNumbers(field, `${path}/${id}`))
  if (node.kind === 'list') return node.items.flatMap((item, index) => listNumbers(item, `${path}[${index}]`))
  return []
}

/** Lists the lists below a node. */
export function listLists(node: Node): readonly Extract<Node, { kind: 'list' }>[] {
  if (node.kind === 'struct') return node.fields.flatMap(({ node: field }) => listLists(field))
  return node.kind === 'list' ? [node, ...node.items.flatMap(listLists)] : []
}

/** Returns a field of a struct by its id. */
export function fieldOf(node: Node | undefined, id: number): Node | undefined {
  return node?.kind === 'struct' ? node.fields.find((field) => field.id === id)?.node : undefined
}
