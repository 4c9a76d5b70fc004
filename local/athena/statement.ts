import type { DuckDBConnection } from '@duckdb/node-api'
import { MalformedQuery } from './faults.ts'
import { parseS3Address, type S3Address } from './s3-address.ts'

/** A statement of the service, split into the SELECT, which DuckDB runs, and the UNLOAD, which it does not have. */
export interface Statement extends Selected {
  /** The SELECT as the client wrote it: SQL that Trino and DuckDB read alike. */
  readonly select: string
  /** The table that the relation is joined to, with the conditions on it alone. */
  readonly joined: Selected | undefined
  readonly unload: Unload | undefined
}

/** A relation with the conditions on its rows. */
export interface Selected {
  /** In lower case. */
  readonly relation: string
  readonly comparisons: readonly Comparison[]
}

export interface Unload {
  /** Where the files go: a bucket and a prefix ending in `/`. */
  readonly destination: S3Address
  readonly compression: string
  readonly partitionedBy: readonly string[]
}

/** `column = literal` or `column IN (literal, …)` in a WHERE clause. */
export interface Comparison {
  /** In lower case. */
  readonly column: string
  readonly literals: readonly Literal[]
  /** True if every row of the result meets it: it is a term of the outermost AND. */
  readonly isRequired: boolean
}

/** A literal with its type in DuckDB; NULL has none that matters. */
interface Literal {
  readonly type: { readonly id: string }
  readonly is_null: boolean
  readonly value?: unknown
}

/** The parts of DuckDB's parse tree that are read here. */
interface Node {
  readonly type: string
  readonly children?: readonly Node[]
  readonly left?: Node
  readonly right?: Node
  readonly column_names?: readonly string[]
  readonly value?: Literal
}

interface SelectNode {
  readonly from_table?: FromTable
  readonly where_clause?: Node
}

/** A table, a join of two, or a subquery. */
interface FromTable {
  readonly table_name?: string
  readonly left?: FromTable
  readonly right?: FromTable
  readonly subquery?: { readonly node: SelectNode }
}

interface ParseResult {
  readonly error_message?: string
  readonly statements?: readonly { readonly node: SelectNode }[]
}

/**
 * Reads `SELECT … FROM relation …` or `UNLOAD (SELECT …) TO 's3://…/' WITH (…)`. DuckDB parses the SELECT, so nothing
 * but a single query reaches it.
 *
 * @throws MalformedQuery
 */
export async function readStatement(connection: DuckDBConnection, text: string): Promise<Statement> {
  const { select = text, ...unload } = unloadShape.exec(text)?.groups ?? {}
  const parse = 'SELECT json_serialize_sql($1::varchar, skip_null := true, skip_empty := true)'
  const [[serialized] = []] = (await connection.runAndReadAll(parse, [select])).getRows()
  const { error_message: complaint, statements = [] }: ParseResult = JSON.parse(String(serialized))
  if (complaint !== undefined) throw new MalformedQuery(complaint)
  const [parsed, another] = statements
  const from = parsed?.node.from_table
  const selected = readSelected(parsed?.node, from?.left ?? from)
  const subquery = from?.right?.subquery?.node
  const joined = readSelected(subquery, subquery?.from_table)
  if (selected === undefined || another !== undefined || (from?.left !== undefined && joined === undefined))
    throw new MalformedQuery(
      'the local Athena takes one SELECT or UNLOAD, from one relation, joined to one subquery at most',
    )
  return {
    ...selected,
    select,
    joined,
    unload: 'destination' in unload ? readUnload(unload) : undefined,
  }
}

function readSelected(node: SelectNode | undefined, table: FromTable | undefined): Selected | undefined {
  if (table?.table_name === undefined) return undefined
  const comparisons = node?.where_clause === undefined ? [] : findComparisons(node.where_clause, true)
  return { relation: table.table_name.toLowerCase(), comparisons }
}

/** Source: Athena User Guide, "UNLOAD". A text in the SELECT may look like the end, so the last match counts. */
const unloadShape =
  /^\s*UNLOAD\s*\((?<select>.*)\)\s*TO\s*'(?<destination>[^']*(?:''[^']*)*)'\s*WITH\s*\((?<properties>[^()]*)\)\s*$/is

const propertyShape = /(\w+)\s*=\s*(?:'(\w+)'|ARRAY\s*\[([^\]]*)\])/gi

const compressions: readonly string[] = ['SNAPPY', 'ZSTD', 'GZIP', 'NONE']

/** Reads the clauses after the SELECT. Only Parquet is supported, because the service writes no other format. */
function readUnload({ destination = '', properties = '' }: Readonly<Record<string, string>>): Unload {
  const address = parseS3Address(destination.replaceAll("''", "'"))
  if (address === undefined || (address.key !== '' && !address.key.endsWith('/')))
    throw new MalformedQuery('UNLOAD writes to a location of the form s3://bucket/prefix/')
  const propertyValues = new Map(
    [...properties.matchAll(propertyShape)].map(([, name = '', text, list = '']) => [
      name.toLowerCase(),
      text?.toUpperCase() ?? list,
    ]),
  )
  // Athena's default; the service always names a codec.
  const compression = propertyValues.get('compression') ?? 'GZIP'
  if (propertyValues.get('format') !== 'PARQUET' || !compressions.includes(compression))
    throw new MalformedQuery(`the local Athena does not take the properties (${properties})`)
  const partitionedBy = [...(propertyValues.get('partitioned_by') ?? '').matchAll(/'([^']*)'/g)].map(
    ([, name = '']) => name,
  )
  return { destination: address, compression, partitionedBy }
}

function findComparisons(node: Node, isRequired: boolean): readonly Comparison[] {
  const { type, children = [] } = node
  if (type.startsWith('CONJUNCTION_'))
    return children.flatMap((child) => findComparisons(child, isRequired && type === 'CONJUNCTION_AND'))
  const [subject, ...values] = comparedNodes(node)
  const column = subject?.column_names?.at(-1)?.toLowerCase()
  const literals = values.flatMap((value) => value?.value ?? [])
  return column === undefined || literals.length < values.length ? [] : [{ column, literals, isRequired }]
}

/** Returns the sides of an equality or the members of an IN, the column first; nothing for other conditions. */
function comparedNodes({ type, children = [], left, right }: Node): readonly (Node | undefined)[] {
  if (type === 'COMPARE_EQUAL') return [left, right]
  return type === 'COMPARE_IN' ? children : []
}
