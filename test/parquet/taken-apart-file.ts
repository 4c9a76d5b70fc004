import { fieldOf, type Node, readStruct, type Struct, writeStruct } from './thrift.ts'

/** A page of a file: its header, and what follows it. */
interface FilePage {
  readonly header: Struct
  body: Uint8Array
}

/** A Parquet file, taken apart so that a test can change a part of it and put the rest together as it must be. */
export interface TakenApart {
  readonly footer: Struct
  /** The column chunks of all row groups, in the order of the footer. */
  readonly chunks: readonly { readonly meta: Node; readonly pages: FilePage[] }[]
}

/** Ids of fields in Apache Parquet's `parquet.thrift`. */
export const ids = {
  rows: 3,
  groups: 4,
  groupColumns: 1,
  groupRows: 3,
  columnMeta: 3,
  columnValues: 5,
  columnBytes: 7,
  dataPage: 9,
  dictionaryPage: 11,
  pageBytes: 2,
  pageStoredBytes: 3,
  pageData: 5,
  pageDataV2: 8,
  dataValues: 1,
} as const

/** Returns a number of a struct. */
export function intOf(node: Node | undefined, id: number): Extract<Node, { kind: 'int' }> {
  const field = fieldOf(node, id)
  if (field?.kind !== 'int') throw new TypeError(`no number ${id}`)
  return field
}

export const itemsOf = (node: Node | undefined): readonly Node[] => (node?.kind === 'list' ? node.items : [])

export function takeApart(bytes: Uint8Array): TakenApart {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const footerStart = bytes.length - 8 - view.getUint32(bytes.length - 8, true)
  const { struct: footer } = readStruct(bytes, footerStart)
  const columns = itemsOf(fieldOf(footer, ids.groups)).flatMap((group) => itemsOf(fieldOf(group, ids.groupColumns)))
  const chunks = columns.map((column) => {
    const meta = fieldOf(column, ids.columnMeta)
    if (meta === undefined) throw new TypeError('a column without metadata')
    const start = Math.min(...startsOf(meta).map(({ value }) => Number(value)))
    const end = start + Number(intOf(meta, ids.columnBytes).value)
    const pages: FilePage[] = []
    for (let at = start; at < end; ) {
      const { struct: header, end: bodyStart } = readStruct(bytes, at)
      at = bodyStart + Number(intOf(header, ids.pageStoredBytes).value)
      pages.push({ header, body: bytes.slice(bodyStart, at) })
    }
    return { meta, pages }
  })
  return { footer, chunks }
}

/** The positions of the data and, if there is one, the dictionary. */
function startsOf(meta: Node) {
  const dictionary = fieldOf(meta, ids.dictionaryPage)
  return [intOf(meta, ids.dataPage), ...(dictionary?.kind === 'int' ? [dictionary] : [])]
}

/** Puts pages one after another, with their positions and sizes in the footer. */
export function positionPages({ chunks }: TakenApart): Uint8Array {
  const parts: Uint8Array[] = [new TextEncoder().encode('PAR1')]
  let length = 4
  for (const { meta, pages } of chunks) {
    const start = length
    const dictionary = fieldOf(meta, ids.dictionaryPage)
    if (dictionary?.kind === 'int') dictionary.value = BigInt(start)
    for (const [index, { header, body }] of pages.entries()) {
      if (index === (dictionary === undefined ? 0 : 1)) intOf(meta, ids.dataPage).value = BigInt(length)
      for (const part of [writeStruct(header), body]) {
        parts.push(part)
        length += part.length
      }
    }
    intOf(meta, ids.columnBytes).value = BigInt(length - start)
  }
  return concat(parts)
}

/** Writes a footer behind pages. */
export function addFooter(pages: Uint8Array, footer: Struct): Uint8Array {
  const bytes = writeStruct(footer)
  const end = new Uint8Array(8)
  new DataView(end.buffer).setUint32(0, bytes.length, true)
  end.set(new TextEncoder().encode('PAR1'), 4)
  return concat([pages, bytes, end])
}

function concat(parts: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}
