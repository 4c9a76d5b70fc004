import type { DecodedArray, ParquetType, SchemaTree } from 'hyparquet'
import { Decimal } from './decimal.ts'
import { convertValues } from './hyparquet-modules.ts'

/** The type of a column: of single values, or of lists of them. */
export interface ColumnType {
  readonly stored: ParquetType
  /** Bytes of a value; undefined if values differ in width. */
  readonly width: number | undefined
  readonly isList: boolean
  /** The definition level of a value that is not null. Source: Apache Parquet, "Nested Encoding". */
  readonly maxDefinition: number
  /** The least definition level of an element of a list, also of null; one less is an empty list, two less no list. */
  readonly elementDefinition: number
  /** Converts values from their form in the file to decimals, texts and dates. */
  readonly convert: (values: DecodedArray) => ArrayLike<unknown>
}

/** Bytes of a value, for types of fixed width. */
const widths: Partial<Record<ParquetType, number>> = { INT32: 4, INT64: 8, INT96: 12, FLOAT: 4, DOUBLE: 8 }

/** Maximum number of bytes of a decimal: 38 digits need 16. */
const maxDecimalBytes = 16

/**
 * Describes the type of a column by its path in the schema.
 *
 * @throws TypeError if it is neither of single values nor of lists of them, or its values cannot be decoded
 */
export function describeType(root: SchemaTree, path: readonly string[]): ColumnType {
  const name = path.join('.')
  const nodes: SchemaTree[] = []
  for (const part of path) {
    const node = (nodes.at(-1) ?? root).children.find(({ element }) => element.name === part)
    if (node === undefined) throw new TypeError(`the schema has no column ${name}`)
    nodes.push(node)
  }
  const leaf = nodes.at(-1)
  const { type: stored, type_length: length } = leaf?.element ?? {}
  if (leaf === undefined || stored === undefined || leaf.children.length > 0)
    throw new TypeError(`${name} is a group of columns`)
  if (stored === 'BOOLEAN') throw new TypeError(`${name} is a BOOLEAN, which no column of a result is`)
  const width = stored === 'FIXED_LEN_BYTE_ARRAY' ? length : widths[stored]
  if (width !== undefined && !(width > 0)) throw new RangeError(`${name} has values of ${width} bytes`)
  const repeated = nodes.findIndex(({ element }) => element.repetition_type === 'REPEATED')
  const isList = repeated >= 0
  const isDeeper = nodes.length > (isList ? 3 : 1) || nodes.some(({ children }) => children.length > 1)
  if (isDeeper || nodes.filter(({ element }) => element.repetition_type === 'REPEATED').length > 1)
    throw new TypeError(`${name} is neither of single values nor of lists of them`)
  return {
    stored,
    width,
    isList,
    maxDefinition: countOptional(nodes),
    elementDefinition: countOptional(nodes.slice(0, repeated + 1)),
    convert: makeConverter(leaf, [root, ...nodes]),
  }
}

/** Counts the nodes that may be absent: each is a definition level. */
const countOptional = (nodes: readonly SchemaTree[]) =>
  nodes.filter(({ element }) => element.repetition_type !== 'REQUIRED').length

function makeConverter({ element }: SchemaTree, schemaPath: SchemaTree[]): ColumnType['convert'] {
  const { converted_type: converted, logical_type: logical, scale = 0 } = element
  if (converted !== 'DECIMAL' && logical?.type !== 'DECIMAL')
    return (values) => convertValues(values, { element, schemaPath })
  const digits = logical?.type === 'DECIMAL' ? logical.scale : scale
  if (!(digits >= 0 && digits <= 38)) throw new RangeError(`${element.name} has ${digits} digits after the point`)
  return (values) => Array.from(values, (value: unknown) => new Decimal(readWhole(value), digits))
}

/** Reads the whole number of a decimal, which is an integer, or bytes with the highest first. */
function readWhole(value: unknown): bigint {
  if (typeof value === 'bigint') return value
  if (typeof value === 'number') return BigInt(value)
  if (!(value instanceof Uint8Array) || value.length === 0 || value.length > maxDecimalBytes)
    throw new RangeError('a decimal that is neither an integer nor 1 to 16 bytes')
  let whole = 0n
  for (const byte of value) whole = (whole << 8n) | BigInt(byte)
  return BigInt.asIntN(8 * value.length, whole)
}
