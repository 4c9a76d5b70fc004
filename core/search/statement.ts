import { maxStatementBytes } from '../../contract/limits.ts'
import type { Fault } from '../../contract/search-api.ts'
import type { SummaryRequest } from '../../contract/summaries.ts'
import type { Column } from '../../schema/columns/column.ts'
import { type ColumnName, ratesColumns, ratesRelation } from '../../schema/columns/rates.ts'
import { columnValue } from '../../schema/columns/rates-views.ts'
import { rowColumns } from '../../schema/summary/result-columns.ts'
import { placeColumn } from '../../schema/summary/summary-columns.ts'
import { areListed, areNamed, isOfContents, shortenScopes } from './file-conditions.ts'
import { limitRows, partitionColumn, spreadItem } from './partitions/row-limit.ts'
import { maxPartitions } from './partitions/spread.ts'
import { filterRows, matchFeeSchedules } from './request-filters.ts'
import type { SearchRequest } from './search-request.ts'
import {
  type ContentScope,
  selectLoadedPrices,
  selectLoadedRates,
  type TabledRows,
  withTables,
} from './select-loaded-rates.ts'
import { distinct, literal } from './sql.ts'
import { rankGroups } from './summary/rank-groups.ts'
import {
  type ColumnSql,
  loadedFacts,
  readsGroups,
  readsProviders,
  relationFacts,
  summaryItems,
} from './summary/summary-inputs.ts'
import { namePlans } from './summary/summary-plans.ts'
import { summarizeRows } from './summary/summary-statement.ts'
import { nameTerms, termsNumber } from './summary/summary-terms.ts'

/** The rates that a search reads: the loader's contents, or an operator's own relation. */
export type Scope = ContentScope | RelationScope

export interface RelationScope {
  /** The columns that the relation has; the others are NULLs of their types. */
  readonly columns: readonly string[]
}

/**
 * Writes the UNLOAD of a search's rows as Parquet files below `destination` (an empty prefix, `s3://…/`).
 *
 * With `spread` the rows are distributed randomly, and so evenly, over this many partitions; with a limit a row
 * beyond it has one. The partition column must be the last one and is not in the files, which thus have the same
 * columns as without. With partitions, Athena adds to existing files instead of refusing: only separate prefixes and
 * manifests keep attempts apart. Source: Athena User Guide, "UNLOAD".
 *
 * @returns the statement that says as much about where its rows are as fits
 */
export function unloadStatement(request: SearchRequest, scope: Scope, destination: string, spread?: number): string {
  const unload = (scopeThatFits: Scope) => writeUnload(request, scopeThatFits, destination, spread)
  const shorterScopes = 'contents' in scope ? shortenScopes(scope.files).map((files) => ({ ...scope, files })) : []
  let statement = unload(scope)
  for (const shorter of shorterScopes) {
    if (Buffer.byteLength(statement) <= maxStatementBytes) break
    statement = unload(shorter)
  }
  return statement
}

function writeUnload(request: SearchRequest, scope: Scope, destination: string, spread?: number): string {
  const { limit, summary } = request
  const isPartitioned = spread !== undefined || limit !== undefined || summary?.first !== undefined
  const partitions = isPartitioned ? `, partitioned_by = ARRAY[${literal(partitionColumn)}]` : ''
  return [
    'UNLOAD (',
    selectStatement(request, scope, spread),
    `) TO ${literal(destination)}`,
    `WITH (format = 'PARQUET', compression = 'SNAPPY'${partitions})`,
  ].join('\n')
}

/**
 * True if the statements of a search over folders name each file, so that they read no more than the estimate of the
 * search says.
 */
export function opensOnlyNamed(request: SearchRequest, scope: ContentScope): boolean {
  if (scope.files === undefined || areListed(scope.files) || !areNamed(scope.files)) return false
  return Buffer.byteLength(writeUnload(request, scope, longestDestination, maxPartitions)) <= maxStatementBytes
}

/**
 * Writes the SELECT of a search, in SQL that Trino and the local Athena read alike. Every column is cast, so that all
 * shards of all jobs have one schema, for any relation; a column that the relation lacks is a typed NULL.
 */
export function selectStatement(request: SearchRequest, scope: Scope, spread?: number): string {
  const sql = columnSql(scope)
  const { summary, columns, limit } = request
  if (summary === undefined) {
    const requestedColumns = rowColumns(columns)
    const items = requestedColumns.map((column) => castColumn(column, sql(column.name)))
    if (limit === undefined) return selectRows(request, scope, [...items, ...partitionItems(spread)])
    const names = requestedColumns.map(({ name }) => name)
    return limitRows(selectRows(request, scope, items), names, limit, spread)
  }
  return selectSummary({ ...request, summary }, scope, spread)
}

/** Writes the SELECT of a summary: loaded rates are grouped by numbers, an own relation by its values. */
function selectSummary(
  request: SearchRequest & { readonly summary: SummaryRequest },
  scope: Scope,
  spread: number | undefined,
): string {
  const sql = columnSql(scope)
  const isOwn = 'columns' in scope
  const facts = isOwn ? relationFacts(sql) : loadedFacts
  const { tables, select } = selectTabled(request, scope, summaryItems(request, sql, facts))
  const rows = {
    select,
    groups: facts.groups.map(([name]) => name),
    place: isOwn ? placeColumn.name : termsNumber,
    names: isOwn ? [] : [nameTerms, namePlans],
    has: (name: ColumnName) => sql(name) !== false,
  }
  const { summary } = request
  if (summary.first === undefined) return withTables(tables, summarizeRows(summary, rows, partitionItems(spread)))
  return withTables(tables, rankGroups(summarizeRows(summary, rows, []), summary.first, spread))
}

/** The items that spread rows over partitions. */
const partitionItems = (spread: number | undefined) => (spread === undefined ? [] : [spreadItem(spread)])

/** Returns the SQL of the columns of a result; false for a column that the scope lacks. */
function columnSql(scope: Scope): ColumnSql {
  if ('columns' in scope) return (name) => scope.columns.includes(name) && name
  const hasProviders = scope.nppesMonthId !== undefined
  return (name) => {
    const column = ratesColumns.find((each) => each.name === name)
    if (column === undefined) throw new RangeError(`there is no column ${name}`)
    return (column.home !== 'providers' || hasProviders) && columnValue(column)
  }
}

/** Writes the SELECT of the rows that a search is about, with the tables that it needs. */
function selectRows(request: SearchRequest, scope: Scope, items: readonly string[]): string {
  const { tables, select } = selectTabled(request, scope, items)
  return withTables(tables, select)
}

function selectTabled(request: SearchRequest, scope: Scope, items: readonly string[]): TabledRows {
  if ('columns' in scope) return { tables: [], select: selectRelation(request, items) }
  if (!readsGroups(request)) return selectLoadedPrices(request, scope, items)
  const { nppesMonthId, ...withoutProviders } = scope
  return selectLoadedRates(request, readsProviders(request) ? scope : withoutProviders, items)
}

function selectRelation(request: SearchRequest, items: readonly string[]): string {
  const conditions = [matchFeeSchedules(request.feeSchedules), ...filterRows(request).map(({ condition }) => condition)]
  return `SELECT\n${items.join(',\n')}\nFROM ${ratesRelation}\nWHERE ${conditions.join('\n  AND ')}`
}

/** @param value the column's SQL; false if the relation lacks it */
function castColumn({ name, type }: Column, value: string | false): string {
  return `  CAST(${value === false ? 'NULL' : value} AS ${type}) AS ${name}`
}

/**
 * Checks before a job is accepted whether its statement could exceed Athena's limit, for any contents of its fee
 * schedules. It builds the longest possible statement, so that an accepted job never fails for its length.
 *
 * @returns a fault that names the list to shorten, or undefined
 */
export function findStatementFault(request: SearchRequest): Fault | undefined {
  const bytes = measureStatement(request)
  if (bytes <= maxStatementBytes) return undefined
  const contents = longestContents(request)
  const ofFeeSchedules = [isOfContents(distinct(contents)), matchFeeSchedules(request.feeSchedules, contents)]
  const lists = [
    { path: 'fee_schedules', bytes: Buffer.byteLength(ofFeeSchedules.join()) },
    ...filterRows(request).map(({ path, condition }) => ({ path, bytes: Buffer.byteLength(condition) })),
  ]
  const longest = lists.reduce((a, b) => (b.bytes > a.bytes ? b : a))
  const message = `makes a query of up to ${bytes} bytes; the limit is ${maxStatementBytes}: shorten this list or split the search`
  return { path: longest.path, message }
}

/** The size of a request's statement in bytes, in the longest case. */
export function measureStatement(request: SearchRequest): number {
  const files = { searchId: '0'.repeat(maxSearchIdLength) }
  const scope = { contents: longestContents(request), files, nppesMonthId: '0'.repeat(maxIdLength) }
  return Buffer.byteLength(unloadStatement(request, scope, longestDestination, maxPartitions))
}

/** A separate content for each fee schedule, with the longest ids. */
const longestContents = ({ feeSchedules }: SearchRequest) =>
  feeSchedules.map((_, index) => String(index).padStart(maxIdLength, '0'))

/** Maximum length of the id of a content, load or source, in characters. */
export const maxIdLength = 20

/** Maximum length of the id of a search, which is the name of its execution. */
const maxSearchIdLength = 80

/**
 * Longest address of a result. Source: Amazon S3 User Guide, bucket names (63 characters), keys (1,024 bytes).
 */
const longestDestination = `s3://${'b'.repeat(63)}/${'k'.repeat(1024)}`
