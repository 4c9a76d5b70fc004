import type { ColumnMetaData, DecodedArray, SchemaTree } from 'hyparquet'
import { assembleNested } from 'hyparquet/src/assemble.js'
import type { readPage } from 'hyparquet/src/column.js'
import { DEFAULT_PARSERS } from 'hyparquet/src/convert.js'
import { getTreePath, isFlatColumn } from 'hyparquet/src/schema.js'

/** A row of a result, by column. */
export type ResultRow = Readonly<Record<string, unknown>>

export type ColumnDecoder = ReturnType<typeof describeColumn>

/** From which byte to before which byte a file has a column of a row group. */
export function spanOfColumn(meta: ColumnMetaData): [start: number, end: number] {
  const start = Number(meta.dictionary_page_offset || meta.data_page_offset)
  return [start, start + Number(meta.total_compressed_size)]
}

/** What hyparquet must know of a column to decode its pages. */
export function describeColumn(meta: ColumnMetaData, tree: SchemaTree) {
  const schemaPath = getTreePath(tree, meta.path_in_schema)
  const leaf = schemaPath.at(-1)
  if (leaf === undefined) throw new TypeError('a column without a schema')
  const { type, codec, path_in_schema: pathInSchema } = meta
  // hyparquet multiplies by 0.0001, which makes 2.1100000000000003 of 2.1100: it decodes whole numbers, divided below.
  const element = { ...leaf.element, scale: 0 }
  const own = { isFlat: isFlatColumn(schemaPath), unit: 10 ** (leaf.element.scale ?? 0) }
  return { type, codec, pathInSchema, schemaPath, element, parsers: DEFAULT_PARSERS, ...own } satisfies Decoder
}

type Decoder = Parameters<typeof readPage>[2]

/** Makes decimals of decoded numbers, and lists, or null, of the levels that Parquet wraps around them. */
export function finishValues(
  rows: unknown[],
  { pathInSchema, isFlat, unit }: Pick<ColumnDecoder, 'pathInSchema' | 'isFlat' | 'unit'>,
  tree: SchemaTree,
): ArrayLike<unknown> {
  if (isFlat) return unit === 1 ? rows : rows.map((value) => (typeof value === 'number' ? value / unit : value))
  const column = tree.children.find(({ element }) => element.name === pathInSchema[0])
  const byPath = new Map<string, DecodedArray>([[pathInSchema.join('.'), rows]])
  if (column !== undefined) assembleNested(byPath, column, DEFAULT_PARSERS)
  const lists = column && byPath.get(column.path.join('.'))
  if (lists === undefined) throw new TypeError(`${pathInSchema.join('.')} is no list`)
  return lists
}
