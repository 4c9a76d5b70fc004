import { type FileHandle, open } from 'node:fs/promises'
import {
  type ColumnMetaData,
  type DataReader,
  type DecodedArray,
  parquetMetadataAsync,
  parquetSchema,
  type SchemaTree,
} from 'hyparquet'
import { parquetHeader, readPage } from 'hyparquet/src/column.js'
import { convert } from 'hyparquet/src/convert.js'
import { type ColumnDecoder, describeColumn, finishValues, type ResultRow, spanOfColumn } from './parquet-column.ts'

/** Maximum number of rows to decode at once. */
const maxRows = 10_000

/**
 * Reads a file of a result in order, some rows at a time. It holds a row group as it is stored (about 128 MB), and of
 * each column a page and these rows.
 *
 * @param names the columns to read; one that the file lacks is missing in each row
 * @throws Error of Node.js or hyparquet if the file cannot be read or is damaged
 */
export async function* readResult(path: string, names: readonly string[]): AsyncGenerator<readonly ResultRow[]> {
  const file = await open(path)
  try {
    const { row_groups: groups, tree } = await readFooter(file)
    for (const group of groups) {
      const columns: ColumnRows[] = []
      for (const { meta_data: meta } of group.columns)
        if (meta !== undefined && names.includes(meta.path_in_schema[0] ?? ''))
          columns.push(new ColumnRows(meta, tree, await readBytes(file, ...spanOfColumn(meta))))
      const all = Number(group.num_rows)
      for (let from = 0; from < all; from += maxRows) {
        const count = Math.min(maxRows, all - from)
        const taken = columns.map((column) => [column.name, column.take(count)] as const)
        yield Array.from({ length: count }, (_, row) =>
          Object.fromEntries(taken.map(([name, values]) => [name, values[row]])),
        )
      }
    }
  } finally {
    await file.close()
  }
}

/** The names and types of a file's columns, in order. */
export async function listColumns(path: string): Promise<readonly string[]> {
  const file = await open(path)
  try {
    return (await readFooter(file)).tree.children.map(({ element }) => element.name)
  } finally {
    await file.close()
  }
}

async function readFooter(file: FileHandle) {
  const { size } = await file.stat()
  const slice = async (start: number, end = size) => (await readBytes(file, start, end)).buffer
  const metadata = await parquetMetadataAsync({ byteLength: size, slice })
  return { row_groups: metadata.row_groups, tree: parquetSchema(metadata) }
}

async function readBytes(file: FileHandle, start: number, end: number): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(end - start)
  const { bytesRead } = await file.read(bytes, 0, bytes.length, start)
  if (bytesRead < bytes.length) throw new RangeError(`it ends ${bytes.length - bytesRead} bytes early`)
  return bytes
}

/** The values of a column of a row group, decoded page by page. */
class ColumnRows {
  readonly name: string
  readonly #decoder: ColumnDecoder
  readonly #tree: SchemaTree
  readonly #reader: DataReader
  #dictionary: DecodedArray | undefined
  #rows: unknown[] = []
  /** How many of these rows were taken. */
  #taken = 0

  constructor(meta: ColumnMetaData, tree: SchemaTree, bytes: Uint8Array<ArrayBuffer>) {
    this.name = meta.path_in_schema[0] ?? ''
    this.#decoder = describeColumn(meta, tree)
    this.#tree = tree
    this.#reader = { view: new DataView(bytes.buffer), offset: 0 }
  }

  take(count: number): ArrayLike<unknown> {
    // A row of a list is whole once the next one begins.
    const wanted = this.#decoder.isFlat ? count : count + 1
    while (this.#rows.length - this.#taken < wanted && this.#reader.offset < this.#reader.view.byteLength)
      this.#readPage()
    const taken = this.#rows.slice(this.#taken, this.#taken + count)
    if (taken.length < count) throw new RangeError(`${this.name} has too few rows`)
    this.#taken += count
    return finishValues(taken, this.#decoder, this.#tree)
  }

  #readPage(): void {
    const header = parquetHeader(this.#reader)
    const held = this.#rows.slice(this.#taken)
    const before = this.#decoder.isFlat ? undefined : held
    const { data = [] } = readPage(this.#reader, header, this.#decoder, this.#dictionary, before, 0)
    if (header.type === 'DICTIONARY_PAGE') this.#dictionary = convert(data, this.#decoder)
    else {
      this.#rows = this.#decoder.isFlat ? held.concat(Array.from(data)) : held
      this.#taken = 0
    }
  }
}
