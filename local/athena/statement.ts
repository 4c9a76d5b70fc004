import type { DuckDBConnection } from '@duckdb/node-api'
import { MalformedQuery } from './faults.ts'
import { parseS3Address, type S3Address } from './s3-address.ts'
import { rewriteUnnestJoins } from './unnest-joins.ts'

/** A statement of the service, split into the SELECT, which DuckDB runs, and the UNLOAD, which it does not have. */
export interface Statement {
  /** The SELECT as the client wrote it, in SQL that Trino and DuckDB read alike, except for joins of UNNEST. */
  readonly select: string
  /** Every place that reads a relation; at least one. */
  readonly scans: readonly Scan[]
  readonly unload: Unload | undefined
}

/** One reading of a relation, with the conditions on its rows alone. */
export interface Scan {
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

/** A table, a join of two, or something else that has rows. */
interface FromTable {
  readonly table_name?: string
  readonly left?: FromTable
  readonly right?: FromTable
}

interface ParseResult {
  readonly error_message?: string
  readonly statements?: readonly object[]
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
  const commonTables = new Set(findValues(statements, 'cte_map').flatMap(namesOf))
  const scans = findSelects(statements).flatMap((node) =>
    readScans(node).filter(({ relation }) => !commonTables.has(relation)),
  )
  if (scans.length === 0 || statements.length > 1)
    throw new MalformedQuery('the local Athena takes one SELECT or UNLOAD, which reads at least one relation')
  const duckdbSelect = await rewriteUnnestJoins(connection, select)
  return { select: duckdbSelect, scans, unload: 'destination' in unload ? readUnload(unload) : undefined }
}

/** Returns every SELECT of a parse tree, with those in its subqueries and common tables. */
function findSelects(tree: unknown): readonly SelectNode[] {
  if (typeof tree !== 'object' || tree === null) return []
  const nested = Object.values(tree).flatMap(findSelects)
  return 'from_table' in tree ? [tree, ...nested].filter(isSelect) : nested
}

const isSelect = (node: object): node is SelectNode => 'from_table' in node

/** Returns the values that a parse tree has under a name, at any depth. */
function findValues(tree: unknown, name: string): readonly unknown[] {
  if (typeof tree !== 'object' || tree === null) return []
  return Object.entries(tree).flatMap(([key, value]) => [...(key === name ? [value] : []), ...findValues(value, name)])
}

/** Returns the names of the common tables of one WITH clause, in lower case. */
const namesOf = (clause: unknown): readonly string[] =>
  findValues(clause, 'key').flatMap((name) => (typeof name === 'string' ? [name.toLowerCase()] : []))

/** Conditions belong to a relation only if its SELECT reads no other: columns need not say whose they are. */
function readScans({ from_table: from, where_clause: where }: SelectNode): readonly Scan[] {
  const relations = from === undefined ? [] : listTables(from)
  const comparisons = where === undefined || relations.length > 1 ? [] : findComparisons(where, true)
  return relations.map((relation) => ({ relation, comparisons }))
}

function listTables({ table_name: name, left, right }: FromTable): readonly string[] {
  if (name !== undefined) return [name.toLowerCase()]
  return [left, right].flatMap((table) => (table === undefined ? [] : listTables(table)))
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
