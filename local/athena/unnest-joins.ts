import type { DuckDBConnection } from '@duckdb/node-api'
import * as v from 'valibot'

/**
 * Rewrites `… AS a CROSS JOIN UNNEST(a.list) AS u (element)`, which Trino requires, to `(SELECT *, unnest(a.list) AS
 * element FROM … AS a) AS a`, which DuckDB runs in a third of the time: it unnests a join once for each of its rows. A
 * row without elements has no row in either.
 */

/** A node of DuckDB's parse tree. Its fields differ by type; only those of a join are described below. */
type Node = { [field: string]: unknown }

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null

/** The parts of an UNNEST that is joined to the table on its left. */
const unnestJoin = v.object({
  type: v.literal('JOIN'),
  ref_type: v.literal('CROSS'),
  join_type: v.literal('INNER'),
  left: v.looseObject({ type: v.picklist(['SUBQUERY', 'BASE_TABLE']), alias: v.pipe(v.string(), v.minLength(1)) }),
  right: v.object({
    type: v.literal('TABLE_FUNCTION'),
    alias: v.string(),
    function: v.object({
      function_name: v.literal('unnest'),
      children: v.strictTuple([
        v.looseObject({ type: v.literal('COLUMN_REF'), column_names: v.strictTuple([v.string(), v.string()]) }),
      ]),
    }),
    column_name_alias: v.strictTuple([v.string()]),
    with_ordinality: v.literal('WITHOUT_ORDINALITY'),
  }),
})

type UnnestJoin = v.InferOutput<typeof unnestJoin>

/** Has a place for the table, the list and every name. */
const template = 'SELECT * FROM (SELECT *, unnest(list) AS element FROM source) AS source'

const templateTree = v.object({
  statements: v.tuple([
    v.looseObject({
      node: v.looseObject({
        from_table: v.looseObject({
          subquery: v.looseObject({
            node: v.looseObject({
              select_list: v.tuple([v.unknown(), v.looseObject({ children: v.tuple([v.unknown()]) })]),
            }),
          }),
        }),
      }),
    }),
  ]),
})

/** @param select a SELECT that DuckDB can parse */
export async function rewriteUnnestJoins(connection: DuckDBConnection, select: string): Promise<string> {
  // Most statements have no such join, and need not be parsed.
  if (!/unnest/i.test(select)) return select
  const { tree, isExact } = await parseSelect(connection, select)
  if (!isExact) return select
  const joins = [...findNodes(tree)].flatMap((node) => {
    if (node['type'] !== 'JOIN') return []
    const join = v.safeParse(unnestJoin, node)
    return join.success && isSelfContained(tree, join.output) ? [{ node, join: join.output }] : []
  })
  if (joins.length === 0) return select
  for (const { node, join } of joins) await replaceJoin(connection, node, join)
  const write = 'SELECT json_deserialize_sql($1::varchar::json)'
  const [[rewritten] = []] = (await connection.runAndReadAll(write, [JSON.stringify(tree)])).getRows()
  return String(rewritten)
}

async function parseSelect(connection: DuckDBConnection, select: string) {
  const [[serialized] = []] = (
    await connection.runAndReadAll('SELECT json_serialize_sql($1::varchar)', [select])
  ).getRows()
  let isExact = true
  const tree: unknown = JSON.parse(String(serialized), (field, value: unknown) => {
    // Only messages need the place of a node. Where there is none, it is the largest integer of 64 bits.
    if (field === 'query_location') return 0
    // JavaScript rounds larger integers.
    if (typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value)) isExact = false
    return value
  })
  return { tree, isExact }
}

/** Yields every node of a parse tree, those inside of a node before it. */
function* findNodes(tree: unknown): Generator<Node> {
  if (!isNode(tree)) return
  for (const child of Object.values(tree)) yield* findNodes(child)
  yield tree
}

/** Returns false if the statement refers to the unnested table by its name, or to all columns of the other. */
function isSelfContained(tree: unknown, { left, right }: UnnestJoin): boolean {
  const names = [left.alias, right.alias].map((name) => name.toLowerCase())
  const isNamed = (name: unknown) => typeof name === 'string' && names.includes(name.toLowerCase())
  return findNodes(tree).every(({ type, column_names: path, relation_name: relation }) => {
    if (type === 'STAR') return !isNamed(relation)
    return type !== 'COLUMN_REF' || !Array.isArray(path) || path.length < 2 || path.at(-2) !== right.alias
  })
}

/** Turns the node of a join into that of a subquery. */
async function replaceJoin(connection: DuckDBConnection, node: Node, { left, right }: UnnestJoin): Promise<void> {
  const { tree } = await parseSelect(connection, template)
  const {
    statements: [{ node: outer }],
  } = v.parse(templateTree, tree)
  const { from_table: replacement } = outer
  const { node: inner } = replacement.subquery
  const [, unnest] = inner.select_list
  const [element] = right.column_name_alias
  unnest['alias'] = element
  unnest.children = right.function.children
  inner['from_table'] = left
  replacement['alias'] = left.alias
  for (const field of Object.keys(node)) delete node[field]
  Object.assign(node, replacement)
}
