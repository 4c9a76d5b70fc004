import type { DuckDBConnection } from '@duckdb/node-api'

/** Types that Trino converts into each other by itself. Between families it refuses every comparison. */
export type TypeFamily = 'text' | 'number' | 'date' | 'list'

/** An expression in DuckDB's parse tree, with the fields that are read here. */
interface Node {
  readonly class?: string
  readonly type?: string
  readonly left?: Node
  readonly right?: Node
  readonly input?: Node
  readonly lower?: Node
  readonly upper?: Node
  readonly child?: Node
  readonly children?: readonly Node[]
  readonly alias?: string
  readonly column_names?: readonly string[]
  readonly value?: { readonly type: { readonly id: string }; readonly is_null: boolean }
  readonly cast_type?: { readonly id: string }
}

/**
 * Lists the comparisons of a SELECT that Trino refuses because their sides have different types, and the columns that
 * no relation has. DuckDB would convert types, so that a search would find rows on one machine and fail on AWS. Any
 * statement that DuckDB parses can be checked, whatever relations it joins.
 *
 * @param columns the columns of all relations, in lower case; columns of the same name have the same type
 * @throws Error if DuckDB cannot parse the statement
 */
export async function findTypeFaults(
  connection: DuckDBConnection,
  select: string,
  columns: ReadonlyMap<string, TypeFamily>,
): Promise<readonly string[]> {
  const query = 'SELECT json_serialize_sql($1::varchar, skip_null := true, skip_empty := true)'
  const [[serialized] = []] = (await connection.runAndReadAll(query, [select])).getRows()
  const { error_message: complaint, statements } = JSON.parse(String(serialized))
  if (complaint !== undefined) throw new Error(complaint)
  const nodes = listNodes(statements)
  const aliases = new Set(nodes.map(({ alias }) => alias?.toLowerCase()))
  const isMissing = (name: string) => !columns.has(name) && !aliases.has(name)
  return [
    ...[...new Set(nodes.flatMap(nameColumn))].filter(isMissing).map((name) => `column ${name} is missing`),
    ...nodes.flatMap((node) => {
      const families = listCompared(node).flatMap((operand) => familyOf(operand, columns) ?? [])
      return new Set(families).size > 1 ? [`${node.type} of ${families.join(', ')}`] : []
    }),
  ]
}

/** Returns the expressions in a tree, wherever they are. */
function listNodes(tree: unknown): readonly Node[] {
  if (typeof tree !== 'object' || tree === null) return []
  return [...('class' in tree ? [tree as Node] : []), ...Object.values(tree).flatMap(listNodes)]
}

function nameColumn({ class: kind, column_names: names = [] }: Node): readonly string[] {
  return kind === 'COLUMN_REF' ? names.slice(-1).map((name) => name.toLowerCase()) : []
}

/** Returns the operands that a node compares with each other. */
function listCompared({ type = '', left, right, input, lower, upper, children = [] }: Node): readonly Node[] {
  if (!type.startsWith('COMPARE_')) return []
  return [left, right, input, lower, upper, ...children].filter((operand) => operand !== undefined)
}

/** Returns undefined for NULL, which can be compared with all types, and for the results of functions. */
function familyOf(node: Node, columns: ReadonlyMap<string, TypeFamily>): TypeFamily | undefined {
  const [column] = nameColumn(node)
  if (column !== undefined) return columns.get(column)
  if (node.cast_type !== undefined) return familyOfType(node.cast_type.id)
  return node.value === undefined || node.value.is_null ? undefined : familyOfType(node.value.type.id)
}

/** Returns the family of a type, as Trino or DuckDB writes it. */
export function familyOfType(type: string): TypeFamily {
  if (/^(?:list|array)\b| array$/i.test(type)) return 'list'
  if (/^varchar\b/i.test(type)) return 'text'
  if (/^(?:integer|bigint|hugeint|decimal|double)\b/i.test(type)) return 'number'
  if (/^date$/i.test(type)) return 'date'
  throw new TypeError(`statements have no values of type ${type}`)
}
