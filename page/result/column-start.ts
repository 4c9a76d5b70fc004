import type { ColumnMetaData, DecodedArray, Encoding, SchemaTree } from 'hyparquet'
import { assembleLists, assembleNested } from 'hyparquet/src/assemble.js'
import { convert, convertWithDictionary, DEFAULT_PARSERS } from 'hyparquet/src/convert.js'
import { decompressPage, readDataPage, readDataPageV2 } from 'hyparquet/src/datapage.js'
import { readRleBitPackedHybrid } from 'hyparquet/src/encoding.js'
import { readPlain } from 'hyparquet/src/plain.js'
import { getMaxDefinitionLevel, getMaxRepetitionLevel, getTreePath, isFlatColumn } from 'hyparquet/src/schema.js'
import type { Bytes } from './page-start.ts'
import { PageStart } from './page-start.ts'

type ColumnDecoder = Parameters<typeof readDataPage>[2]

/** Levels and values of the first entries of a page. */
interface Entries extends ReturnType<typeof readDataPage> {
  readonly encoding: Encoding
}

/** Encodings that store values in order, so that the first values need only the start of a page. */
const inOrder = new Set(['PLAIN', 'PLAIN_DICTIONARY', 'RLE_DICTIONARY'])

/**
 * Reads the first values of a column of a row group without the rest of their pages. A column may have 100 MB and a page
 * a megabyte, while its first 2,000 values usually need 20 KB: levels and values are stored in order, Snappy can be
 * decompressed from its start, and writers add a value to a dictionary when they first meet it.
 * Source: Apache Parquet, "Data Pages" and "Encodings".
 *
 * @returns a value for each row, of `rows` rows or all that the row group has
 */
export async function readColumnStart(
  file: Bytes,
  meta: ColumnMetaData,
  tree: SchemaTree,
  rows: number,
): Promise<ArrayLike<unknown>> {
  const decoder = describeColumn(meta, tree)
  const isFlat = isFlatColumn(decoder.schemaPath)
  // A row of a list is whole once the next one begins, so one more is read.
  const wanted = isFlat ? rows : rows + 1
  const end = Number(meta.dictionary_page_offset || meta.data_page_offset) + Number(meta.total_compressed_size)
  let dictionary: PageStart | undefined
  const found: unknown[] = []
  for (let at = end - Number(meta.total_compressed_size); at < end && found.length < wanted; ) {
    const page = await PageStart.open(file, meta.codec, at, end)
    if (page.header.type === 'DICTIONARY_PAGE') dictionary = page
    else await addPage(found, page, dictionary, decoder, wanted)
    at = page.end
  }
  if (found.length < rows)
    throw new RangeError(`${meta.path_in_schema.join('.')} has ${found.length} rows, not ${rows}`)
  return isFlat ? found : unwrapLists(found.slice(0, rows), decoder, tree)
}

function describeColumn(meta: ColumnMetaData, tree: SchemaTree): ColumnDecoder {
  const schemaPath = getTreePath(tree, meta.path_in_schema)
  const leaf = schemaPath.at(-1)
  if (leaf === undefined) throw new TypeError('a column without a schema')
  const { type, codec, path_in_schema: pathInSchema } = meta
  return { type, codec, pathInSchema, schemaPath, element: leaf.element, parsers: DEFAULT_PARSERS }
}

/** Adds rows of a page, until there are as many as wanted or the page ends. */
async function addPage(
  found: unknown[],
  page: PageStart,
  dictionary: PageStart | undefined,
  decoder: ColumnDecoder,
  wanted: number,
): Promise<void> {
  const { encoding, definitionLevels, repetitionLevels, dataPage } = await readEntries(
    page,
    decoder,
    wanted - found.length,
  )
  const terms = encoding.endsWith('_DICTIONARY') ? await readTerms(dictionary, dataPage, decoder) : undefined
  const values = convertWithDictionary(dataPage, terms, encoding, decoder)
  const isFlat = isFlatColumn(decoder.schemaPath)
  const added = assembleLists(isFlat ? [] : found, definitionLevels, repetitionLevels, values, decoder.schemaPath)
  if (isFlat) for (const value of added) found.push(value)
}

/** Reads entries of a page until they begin as many rows as wanted, or the page ends. */
async function readEntries(page: PageStart, decoder: ColumnDecoder, rows: number): Promise<Entries> {
  const { data_page_header: header, data_page_header_v2: header2 } = page.header
  if (header2 !== undefined)
    return { encoding: header2.encoding, ...readDataPageV2(await page.readWhole(), page.header, decoder) }
  if (header === undefined) throw new TypeError(`a ${page.header.type} in a column`)
  const { encoding, num_values: all } = header
  if (!inOrder.has(encoding)) {
    const body = await page.readWhole()
    const bytes = decompressPage(body, page.header.uncompressed_page_size, decoder.codec, undefined)
    return { encoding, ...readDataPage(bytes, header, decoder) }
  }
  for (let count = Math.min(all, rows); ; count = Math.min(all, count * 2)) {
    const entries = await page.read((bytes) => readFirst(bytes, count, encoding, decoder))
    const { repetitionLevels: levels } = entries
    const begun = levels.length === 0 ? count : levels.filter((level) => level === 0).length
    if (begun >= rows || count === all) return { encoding, ...entries }
  }
}

/**
 * Reads the first entries of a page of version 1: lengths and runs of levels, then the values that are not null.
 *
 * @throws RangeError if the bytes do not hold them
 */
function readFirst(bytes: Uint8Array<ArrayBuffer>, count: number, encoding: Encoding, decoder: ColumnDecoder) {
  const { type, element, schemaPath } = decoder
  const reader = { view: new DataView(bytes.buffer), offset: 0 }
  const most = getMaxDefinitionLevel(schemaPath)
  const repetitionLevels = readRuns(reader, widthOf(getMaxRepetitionLevel(schemaPath)), count)
  const definitionLevels = readRuns(reader, widthOf(most), count)
  const present = most === 0 ? count : definitionLevels.filter((level) => level === most).length
  const dataPage =
    encoding === 'PLAIN'
      ? readPlain(reader, type, present, element.type_length)
      : readRuns(reader, reader.view.getUint8(reader.offset++), present, 0)
  if (dataPage.length !== present) throw new RangeError(`${dataPage.length} values instead of ${present}`)
  return { repetitionLevels, definitionLevels, dataPage }
}

/** The last run may go on after the values that were asked for. Without a width, all values are 0 and take no bytes. */
function readRuns(reader: Parameters<typeof readPlain>[0], width: number, count: number, length?: number): number[] {
  if (width === 0) return length === undefined ? [] : new Array<number>(count).fill(0)
  const values = new Array<number>(count)
  readRleBitPackedHybrid(reader, width, values, length)
  return values.slice(0, count)
}

const widthOf = (most: number) => 32 - Math.clz32(most)

/** Reads a dictionary as far as the values refer to it. */
async function readTerms(
  dictionary: PageStart | undefined,
  places: DecodedArray,
  decoder: ColumnDecoder,
): Promise<DecodedArray> {
  if (dictionary === undefined) throw new TypeError('values refer to a dictionary that is not there')
  let count = 0
  for (const place of places) count = Math.max(count, Number(place) + 1)
  const { type, element } = decoder
  const terms = await dictionary.read((bytes) => {
    const read = readPlain({ view: new DataView(bytes.buffer), offset: 0 }, type, count, element.type_length)
    if (read.length !== count) throw new RangeError(`${read.length} terms instead of ${count}`)
    return read
  })
  return convert(terms, decoder)
}

/** Makes a list, or null, of the levels that Parquet wraps around it. */
function unwrapLists(rows: unknown[], { pathInSchema }: ColumnDecoder, tree: SchemaTree): ArrayLike<unknown> {
  const column = tree.children.find(({ element }) => element.name === pathInSchema[0])
  const byPath = new Map<string, DecodedArray>([[pathInSchema.join('.'), rows]])
  if (column !== undefined) assembleNested(byPath, column, DEFAULT_PARSERS)
  const lists = column && byPath.get(column.path.join('.'))
  if (lists === undefined) throw new TypeError(`${pathInSchema.join('.')} is no list`)
  return lists
}
