import type { ColumnMetaData, DataReader, DecodedArray, Encoding, PageHeader, SchemaTree } from 'hyparquet'
import { assembleLists } from 'hyparquet/src/assemble.js'
import { convert, convertWithDictionary } from 'hyparquet/src/convert.js'
import type { readDataPage } from 'hyparquet/src/datapage.js'
import { readRleBitPackedHybrid } from 'hyparquet/src/encoding.js'
import { readPlain } from 'hyparquet/src/plain.js'
import { getMaxDefinitionLevel, getMaxRepetitionLevel } from 'hyparquet/src/schema.js'
import { readVarInt } from 'hyparquet/src/thrift.js'
import { type ColumnDecoder, describeColumn, finishValues, spanOfColumn } from '../../client/results/parquet-column.ts'
import { type Bytes, type PagedColumn, readPageStart } from './page-start.ts'

type DataHeader = NonNullable<PageHeader['data_page_header'] | PageHeader['data_page_header_v2']>

/** Levels and values of the first entries of a page. */
interface Entries extends ReturnType<typeof readDataPage> {
  readonly encoding: Encoding
}

/** Encodings that store values in order, so that the first values need only the start of a page. */
const inOrder = new Set(['PLAIN', 'PLAIN_DICTIONARY', 'RLE_DICTIONARY'])

/** Maximum number of values of a page; writers stop at 60,000 to some hundred thousand. */
const maxPageValues = 20_000_000

/**
 * Reads the first values of a column of a row group without the rest of their pages. A column may have 100 MB and a page
 * a megabyte, while its first 2,000 values usually need 20 KB: levels and values are stored in order, Snappy can be
 * decompressed from its start, and writers add a value to a dictionary when they first meet it.
 * Source: Apache Parquet, "Data Pages" and "Encodings".
 *
 * @returns a value for each row, of `rows` rows or all that the row group has
 * @throws RangeError or TypeError if the column is damaged or of an encoding that stores values in another order
 */
export async function readColumnStart(
  file: Bytes,
  meta: ColumnMetaData,
  tree: SchemaTree,
  rows: number,
): Promise<ArrayLike<unknown>> {
  const decoder = describeColumn(meta, tree)
  // A row of a list is whole once the next one begins, so one more is read.
  const wanted = decoder.isFlat ? rows : rows + 1
  const [start, end] = spanOfColumn(meta)
  const column = { file, codec: meta.codec, end }
  let dictionary: number | undefined
  const found: unknown[] = []
  for (let at = start; at < end && found.length < wanted; ) {
    const page = await readPageStart(column, at, (header, bytes) =>
      header.type === 'DICTIONARY_PAGE' ? undefined : readEntries(bytes, header, decoder, wanted - found.length),
    )
    if (page.value === undefined) dictionary = at
    else await addEntries(found, page.value, decoder, (places) => readTerms(column, dictionary, places, decoder))
    at = page.end
  }
  if (found.length < rows)
    throw new RangeError(`${meta.path_in_schema.join('.')} has ${found.length} rows, not ${rows}`)
  return finishValues(decoder.isFlat ? found : found.slice(0, rows), decoder, tree)
}

/** Adds the rows of entries, of which those of a list may go on where the last page ended. */
async function addEntries(
  found: unknown[],
  { encoding, definitionLevels, repetitionLevels, dataPage }: Entries,
  decoder: ColumnDecoder,
  readDictionary: (places: DecodedArray) => Promise<DecodedArray>,
): Promise<void> {
  const terms = encoding.endsWith('_DICTIONARY') ? await readDictionary(dataPage) : undefined
  const values = convertWithDictionary(dataPage, terms, encoding, decoder)
  const { isFlat } = decoder
  const added = assembleLists(isFlat ? [] : found, definitionLevels, repetitionLevels, values, decoder.schemaPath)
  if (isFlat) for (const value of added) found.push(value)
}

/**
 * Reads entries of a page until they begin as many rows as wanted, or the page ends.
 *
 * @throws RangeError if the bytes do not hold them
 */
function readEntries(bytes: Uint8Array<ArrayBuffer>, page: PageHeader, decoder: ColumnDecoder, rows: number): Entries {
  const header = page.data_page_header_v2 ?? page.data_page_header
  if (header === undefined) throw new TypeError(`a ${page.type} in a column`)
  const { num_values: all, encoding } = header
  if (all < 1 || all > maxPageValues) throw new RangeError(`a page of ${all} values`)
  if (!inOrder.has(encoding)) throw new TypeError(`the encoding ${encoding} cannot be shown`)
  for (let count = Math.min(all, rows); ; count = Math.min(all, count * 2)) {
    const entries = readFirst(bytes, count, header, decoder)
    const { repetitionLevels: levels } = entries
    const begun = levels.length === 0 ? count : levels.filter((level) => level === 0).length
    if (begun >= rows || count === all) return { encoding, ...entries }
  }
}

/**
 * Reads the first entries of a page: runs of levels, whose lengths are in the header of version 2 and before them in
 * version 1, then the values that are not null.
 *
 * @throws RangeError if the bytes do not hold them
 */
function readFirst(bytes: Uint8Array<ArrayBuffer>, count: number, header: DataHeader, decoder: ColumnDecoder) {
  const { type, element, schemaPath } = decoder
  const reader = { view: new DataView(bytes.buffer), offset: 0 }
  const most = getMaxDefinitionLevel(schemaPath)
  const [repetition, definition] =
    'num_nulls' in header ? [header.repetition_levels_byte_length, header.definition_levels_byte_length] : []
  const readLevels = (max: number, length: number | undefined) =>
    max === 0 ? [] : readRuns(reader, 32 - Math.clz32(max), count, header.num_values, length)
  const repetitionLevels = readLevels(getMaxRepetitionLevel(schemaPath), repetition)
  const definitionLevels = readLevels(most, definition)
  const present = most === 0 ? count : definitionLevels.filter((level) => level === most).length
  const dataPage =
    header.encoding === 'PLAIN'
      ? readPlain(reader, type, present, element.type_length)
      : readRuns(reader, reader.view.getUint8(reader.offset++), present, header.num_values, 0)
  if (dataPage.length !== present) throw new RangeError(`${dataPage.length} values instead of ${present}`)
  return { repetitionLevels, definitionLevels, dataPage }
}

/**
 * The last run may go on after the `count` values that were asked for. A repeated value must not do so after all of the
 * page, because each repetition is written out. Without a width, all values are 0 and take no bytes.
 */
function readRuns(reader: DataReader, width: number, count: number, all: number, length?: number): number[] {
  if (width === 0) return new Array<number>(count).fill(0)
  const runs = { view: reader.view, offset: reader.offset + (length === undefined ? 4 : 0) }
  for (let seen = 0; seen < count; ) {
    const header = readVarInt(runs)
    const isPacked = (header & 1) === 1
    if (!isPacked && header >>> 1 > all - seen) throw new RangeError(`a run of ${header >>> 1} values`)
    seen += (header >>> 1) * (isPacked ? 8 : 1)
    runs.offset += isPacked ? (header >>> 1) * width : (width + 7) >>> 3
  }
  const values = new Array<number>(count)
  readRleBitPackedHybrid(reader, width, values, length)
  return values.slice(0, count)
}

/** Reads a dictionary as far as the values refer to it. */
async function readTerms(
  column: PagedColumn,
  dictionary: number | undefined,
  places: DecodedArray,
  decoder: ColumnDecoder,
): Promise<DecodedArray> {
  if (dictionary === undefined) throw new TypeError('values refer to a dictionary that is not there')
  let count = 0
  for (const place of places) count = Math.max(count, Number(place) + 1)
  const { type, element } = decoder
  const { value: terms } = await readPageStart(column, dictionary, (_header, bytes) => {
    const read = readPlain({ view: new DataView(bytes.buffer), offset: 0 }, type, count, element.type_length)
    if (read.length !== count) throw new RangeError(`${read.length} terms instead of ${count}`)
    return read
  })
  return convert(terms, decoder)
}
