import type { Fault } from '../contract/errors.ts'
import { rewrittenCodeTypes, searchedBillingCode } from './billing-code.ts'
import { groupByPayer } from './fee-schedule.ts'
import type { Column } from './rates.ts'
import { ratesColumns, ratesRelation, sourceIdColumn } from './rates.ts'
import type { SearchRequest } from './search-request.ts'

/** Longest text of a query, in bytes of UTF-8. Source: Athena API, StartQueryExecution, QueryString; not adjustable. */
export const longestStatement = 262_144

/**
 * What is kept free for the parts of the statement that are not the client's: sources and destination are known only
 * when the search starts. 1,500 source ids fit.
 */
const reservedBytes = 40_000

/** Tells the partitions of a spread result apart: an integer, which Trino writes into paths as it is. */
const spreadColumn = 'shard'

/** What the service finds out beside the request. */
export interface Scope {
  /** The loaded files that count for the request's fee schedules; not looked at over an operator's own relation. */
  readonly sources: readonly string[]
  /** The columns that an operator's own relation has, which has no sources. @default - the service's own relation */
  readonly columns?: readonly string[] | undefined
}

/**
 * The UNLOAD that writes a search's rows as Parquet files below `destination` (an empty prefix, `s3://…/`).
 *
 * With `spread` the rows go to so many partitions, by chance and so evenly. The partition must be the last column and
 * leaves the files, so that these have the same columns as without. Into partitions Athena adds to what lies there
 * without a word, where it would otherwise refuse: only an attempt's own prefix and manifest keep attempts apart.
 * Source: Athena User Guide, "UNLOAD".
 */
export function unloadStatement(request: SearchRequest, scope: Scope, destination: string, spread?: number): string {
  const partitions = spread === undefined ? '' : `, partitioned_by = ARRAY[${literal(spreadColumn)}]`
  return [
    'UNLOAD (',
    selectStatement(request, scope, spread),
    `) TO ${literal(destination)}`,
    `WITH (format = 'PARQUET', compression = 'SNAPPY'${partitions})`,
  ].join('\n')
}

/**
 * The SELECT of a search: pure text from the request, in the SQL that Trino and DuckDB read alike. Every column is
 * cast, so that all shards of all jobs have one schema, whatever relation they were read from; a column that the
 * relation lacks is a NULL of its type.
 */
export function selectStatement(request: SearchRequest, { sources, columns }: Scope, spread?: number): string {
  const items = ratesColumns.map((column) => castColumn(column, columns?.includes(column.name) ?? true))
  if (spread !== undefined) items.push(`  CAST(floor(random() * ${spread}) AS integer) AS ${spreadColumn}`)
  const conditions = [
    ...(columns === undefined && sources.length > 0 ? [isIn(sourceIdColumn, sources.map(literal))] : []),
    feeScheduleCondition(request),
    ...(request.npis ? [isIn('npi', request.npis.map(String))] : []),
    ...(request.billingCodes ? [billingCodeCondition(request.billingCodes)] : []),
  ]
  return `SELECT\n${items.join(',\n')}\nFROM ${ratesRelation}\nWHERE ${conditions.join('\n  AND ')}`
}

/**
 * Finds out before a job is accepted whether its statement would be longer than Athena takes.
 *
 * @returns a fault that says which list to shorten, or undefined
 */
export function findStatementFault(request: SearchRequest): Fault | undefined {
  const bytes = Buffer.byteLength(selectStatement(request, { sources: [] }))
  const limit = longestStatement - reservedBytes
  if (bytes <= limit) return undefined
  const lists = [
    { path: 'fee_schedules', bytes: Buffer.byteLength(feeScheduleCondition(request)) },
    { path: 'npis', bytes: request.npis?.join(', ').length ?? 0 },
    {
      path: 'billing_codes',
      bytes: request.billingCodes ? Buffer.byteLength(billingCodeCondition(request.billingCodes)) : 0,
    },
  ]
  const longest = lists.reduce((a, b) => (b.bytes > a.bytes ? b : a))
  const message = `makes a query of ${bytes} bytes where ${limit} are possible: shorten this list or split the search`
  return { path: longest.path, message }
}

function castColumn({ name, type }: Column, isThere: boolean): string {
  return `  CAST(${isThere ? name : 'NULL'} AS ${type}) AS ${name}`
}

/** An OR grouped by payer prunes partitions on Trino; row-value IN does not, and an OR a pair fails at 400 terms. */
function feeScheduleCondition({ feeSchedules }: SearchRequest): string {
  const terms = [...groupByPayer(feeSchedules)].map(
    ([payer, plans]) => `(payer = ${literal(payer)} AND ${isIn('plan', plans.map(literal))})`,
  )
  return `(${terms.join('\n    OR ')})`
}

/**
 * A code matches in every code type by that type's canonical form. Rows hold canonical forms only, so the code as asked
 * for can stand for all types, and only what a type rewrites is added for that type alone.
 */
function billingCodeCondition(codes: readonly string[]): string {
  const rewritten = rewrittenCodeTypes.flatMap((type) => {
    const forms = codes.map((code) => searchedBillingCode(type, code)).filter((form, index) => form !== codes[index])
    if (forms.length === 0) return []
    return [`(billing_code_type = ${literal(type)} AND ${isIn('billing_code', [...new Set(forms)].map(literal))})`]
  })
  return `(${[isIn('billing_code', codes.map(literal)), ...rewritten].join('\n    OR ')})`
}

const isIn = (column: string, literals: readonly string[]) => `${column} IN (${literals.join(', ')})`

/** Doubling the quote is all that SQL asks: backslashes, line breaks and any Unicode are ordinary characters in it. */
const literal = (text: string) => `'${text.replaceAll("'", "''")}'`
