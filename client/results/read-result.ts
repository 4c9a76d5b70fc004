import { type FileHandle, open } from 'node:fs/promises'
import { ColumnReader } from '../../parquet/column-reader.ts'
import { openParquet, type ParquetSource, type RowGroup } from '../../parquet/parquet-file.ts'
import { countRowsAtOnce, ValueBudget } from '../../parquet/value-budget.ts'
import type { ResultRow } from './result-row.ts'

/** Maximum numbers of rows to decode at once, and of values in them, those of lists included. */
const [maxRows, maxValues] = [10_000, 20_000_000]

/** Elements of lists after which a block of rows with long lists ends: one more row may have many. */
const maxElements = 1_000_000

/**
 * Reads a file of a result in order, in blocks of rows. Holds one page of each column and the rows of one block.
 *
 * @param names the columns to read; one that the file lacks is missing in each row
 * @throws Error of Node.js or the reader if the file cannot be read, is damaged, or has none of the columns
 */
export async function* readResult(path: string, names: readonly string[]): AsyncGenerator<readonly ResultRow[]> {
  const handle = await open(path)
  try {
    const file = await openParquet(await sourceOf(handle))
    const columns = names.filter((name) => file.columns.includes(name))
    if (columns.length === 0) throw new RangeError(`it has none of the columns ${names.join(', ')}`)
    for (const rowGroup of file.rowGroups) yield* readRowGroup(rowGroup, columns)
  } finally {
    await handle.close()
  }
}

async function* readRowGroup(
  { rows, chunks }: RowGroup,
  names: readonly string[],
): AsyncGenerator<readonly ResultRow[]> {
  const readers = names.map((name) => {
    const chunk = chunks.get(name)
    if (chunk === undefined) throw new RangeError(`a row group has no column ${name}`)
    return { name, chunk, reader: new ColumnReader(chunk) }
  })
  const chunksToRead = readers.map(({ chunk }) => chunk)
  const mayBeLong = countRowsAtOnce(chunksToRead, maxRows, maxValues) < maxRows
  const listReaders = readers.filter(({ chunk }) => mayBeLong && chunk.describeType().isList)
  for (let start = 0; start < rows; ) {
    const budget = new ValueBudget(maxValues)
    const most = Math.min(maxRows, rows - start)
    const lists = listReaders.length === 0 ? undefined : await takeLists(listReaders, most, budget)
    const count = lists?.count ?? most
    const columns: (readonly [name: string, values: readonly unknown[]])[] = []
    for (const { name, reader } of readers)
      columns.push([name, lists?.columns.get(name) ?? (await reader.take(count, budget))])
    yield Array.from({ length: count }, (_, row) =>
      Object.fromEntries(columns.map(([name, values]) => [name, values[row]])),
    )
    start += count
  }
}

interface NamedReader {
  readonly name: string
  readonly reader: ColumnReader
}

/** Takes the lists of up to `most` rows, row by row, until they have many elements. */
async function takeLists(readers: readonly NamedReader[], most: number, budget: ValueBudget) {
  const columns = new Map(readers.map(({ name }) => [name, [] as unknown[]]))
  let [count, elements] = [0, 0]
  for (; count < most && elements < maxElements; count++)
    for (const { name, reader } of readers) {
      const [list] = await reader.take(1, budget)
      columns.get(name)?.push(list)
      elements += Array.isArray(list) ? list.length : 0
    }
  return { count, columns }
}

/** Returns the names of a file's columns, in order. */
export async function listColumns(path: string): Promise<readonly string[]> {
  const handle = await open(path)
  try {
    return (await openParquet(await sourceOf(handle))).columns
  } finally {
    await handle.close()
  }
}

async function sourceOf(handle: FileHandle): Promise<ParquetSource> {
  const { size } = await handle.stat()
  return {
    byteLength: size,
    isRemote: false,
    slice: async (start, end) => {
      const bytes = new Uint8Array(end - start)
      const { bytesRead } = await handle.read(bytes, 0, bytes.length, start)
      if (bytesRead < bytes.length) throw new RangeError(`it ends ${bytes.length - bytesRead} bytes early`)
      return bytes.buffer
    },
  }
}
