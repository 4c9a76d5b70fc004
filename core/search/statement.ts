import { maxStatementBytes } from '../../contract/limits.ts'
import { providerLists } from '../../contract/provider-ids.ts'
import type { Fault } from '../../contract/search-api.ts'
import { rewrittenCodeTypes } from '../../schema/columns/code-types.ts'
import { type Column, contentIdColumn, sourceIdColumn } from '../../schema/columns/column.ts'
import { ratesColumns, ratesRelation } from '../../schema/columns/rates.ts'
import { fileColumn, flagsWithRepeated } from '../../schema/columns/rates-views.ts'
import {
  bucketOf,
  contentBucketColumn,
  contentTable,
  contentUnit,
  fileName,
  folderPath,
  sourceBucketColumn,
  sourceBucketOf,
  sourceTables,
  sourceUnit,
  type WarehouseTable,
  type WarehouseUnit,
} from '../../schema/columns/warehouse-tables.ts'
import type { ContentSource } from '../catalogue/content.ts'
import type { FeeSchedule } from '../catalogue/fee-schedule.ts'
import { searchedBillingCode } from './billing-code.ts'
import { joinProviders } from './provider-join.ts'
import type { SearchRequest } from './search-request.ts'
import { maxPartitions } from './spread.ts'
import { distinct, isIn, literal } from './sql.ts'

/** Maximum number of sources that a statement names, if they fit, so that other files are skipped. */
export const maxNamedSources = 10_000

/**
 * Maximum number of files of a table that a statement names. Of more, Trino keeps only the first and the last in order,
 * and opens all between them in the buckets (measured: docs/measured/files-opened.md).
 */
const maxNamedFiles = 500

/** The partition column of a spread result: an integer, which Trino writes into paths unchanged. */
const spreadColumn = 'shard'

/** What a search reads: the loader's contents, or an operator's own relation. */
export type Scope = ContentScope | RelationScope

export interface ContentScope {
  /** The content of each of the request's fee schedules, in their order. Only these determine the result. */
  readonly contents: readonly string[]
  /** Where their rows are, to skip other files. @default - no file is skipped */
  readonly files?: ScopeFiles | undefined
  /** The month of NPPES that says who providers are. @default - unknown: their columns are NULL */
  readonly nppesMonthId?: string | undefined
  /** Whether a content has several sources, in which a price may be repeated. @default - none has */
  readonly mayRepeat?: boolean | undefined
}

export interface ScopeFiles {
  /** The address of the warehouse as Athena writes it, `s3://…/`. */
  readonly location: string
  /** All sources of the contents; none if there are too many to name. */
  readonly sources: readonly ContentSource[]
}

export interface RelationScope {
  /** The columns that the relation has; the others are NULLs of their types. */
  readonly columns: readonly string[]
}

/**
 * The UNLOAD that writes a search's rows as Parquet files below `destination` (an empty prefix, `s3://…/`).
 *
 * With `spread` the rows are distributed randomly, and so evenly, over this many partitions. The partition column must
 * be the last one and is not in the files, which thus have the same columns as without. With partitions, Athena adds to
 * existing files instead of refusing: only separate prefixes and manifests keep attempts apart. Source: Athena User
 * Guide, "UNLOAD".
 */
export function unloadStatement(request: SearchRequest, scope: Scope, destination: string, spread?: number): string {
  const partitions = spread === undefined ? '' : `, partitioned_by = ARRAY[${literal(spreadColumn)}]`
  let statement = ''
  for (const detail of 'files' in scope ? details : details.slice(-1)) {
    statement = [
      'UNLOAD (',
      selectStatement(request, scope, spread, detail),
      `) TO ${literal(destination)}`,
      `WITH (format = 'PARQUET', compression = 'SNAPPY'${partitions})`,
    ].join('\n')
    if (Buffer.byteLength(statement) <= maxStatementBytes) break
  }
  return statement
}

/** How much a statement says of where its rows are, the most first; less does not change the result. */
const details = ['files', 'sources', 'buckets', 'contents', 'least'] as const
type Detail = (typeof details)[number]

/**
 * The SELECT of a search, in SQL that Trino and DuckDB read alike. Every column is cast, so that all shards of all jobs
 * have one schema, for any relation; a column that the relation lacks is a typed NULL.
 */
export function selectStatement(
  request: SearchRequest,
  scope: Scope,
  spread?: number,
  detail: Detail = 'files',
): string {
  const columns = 'columns' in scope ? scope.columns : undefined
  const nppesMonthId = 'columns' in scope ? undefined : scope.nppesMonthId
  const isThere = ({ name, home }: Column) =>
    columns?.includes(name) ?? (home !== 'providers' || nppesMonthId !== undefined)
  const items = ratesColumns.map((column) => castColumn(column, isThere(column)))
  if ('mayRepeat' in scope && scope.mayRepeat)
    items[ratesColumns.findIndex(({ name }) => name === 'flags')] =
      `  CAST(${flagsWithRepeated} AS varchar ARRAY) AS flags`
  if (spread !== undefined) items.push(`  CAST(floor(random() * ${spread}) AS integer) AS ${spreadColumn}`)
  const conditions = [
    ...('columns' in scope ? [feeScheduleCondition(request.feeSchedules)] : contentConditions(request, scope, detail)),
    ...listFilters(request).map(({ condition }) => condition),
  ]
  const join =
    nppesMonthId === undefined ? '' : joinProviders(nppesMonthId, detail === 'least' ? undefined : request.npis)
  return `SELECT\n${items.join(',\n')}\nFROM ${ratesRelation}${join}\nWHERE ${conditions.join('\n  AND ')}`
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
  const lists = [
    { path: 'fee_schedules', bytes: Buffer.byteLength(contentConditions(request, { contents }, 'least').join()) },
    ...listFilters(request).map(({ path, condition }) => ({ path, bytes: Buffer.byteLength(condition) })),
  ]
  const longest = lists.reduce((a, b) => (b.bytes > a.bytes ? b : a))
  const message = `makes a query of up to ${bytes} bytes; the limit is ${maxStatementBytes}: shorten this list or split the search`
  return { path: longest.path, message }
}

/** The size of a request's statement in bytes, in the longest case. */
export function measureStatement(request: SearchRequest): number {
  const scope = { contents: longestContents(request), nppesMonthId: '0'.repeat(maxIdLength), mayRepeat: true }
  return Buffer.byteLength(unloadStatement(request, scope, longestDestination, maxPartitions))
}

/** A separate content for each fee schedule, with the longest ids. */
const longestContents = ({ feeSchedules }: SearchRequest) =>
  feeSchedules.map((_, index) => String(index).padStart(maxIdLength, '0'))

/** Maximum length of the id of a content, load or source, in characters. */
export const maxIdLength = 20

/** Longest address of a result. Source: Amazon S3 User Guide, bucket names (63 characters) and object keys (1,024 bytes). */
const longestDestination = `s3://${'b'.repeat(63)}/${'k'.repeat(1024)}`

function castColumn({ name, type }: Column, isThere: boolean): string {
  return `  CAST(${isThere ? name : 'NULL'} AS ${type}) AS ${name}`
}

function contentConditions(
  request: SearchRequest,
  { contents, files }: ContentScope,
  detail: Detail,
): readonly string[] {
  const ids = distinct(contents).sort()
  const named = detail === 'least' || files === undefined ? [] : placeConditions(ids, files, detail)
  return [isIn(contentIdColumn, ids.map(literal)), ...named, feeScheduleCondition(request.feeSchedules, contents)]
}

/** The conditions that only skip files, of each detail and those before it. */
function placeConditions(ids: readonly string[], { location, sources }: ScopeFiles, detail: Detail): readonly string[] {
  const isAny = (column: string, values: readonly string[]) =>
    values.length === 0 ? [] : [isIn(column, values.map(literal))]
  const pathsOf = (table: WarehouseTable, part: WarehouseUnit, count = 1) =>
    Array.from({ length: count }, (_, file) => location + folderPath(table, part) + fileName(part, file))
  const sourceIds = sources.map(({ sourceId }) => sourceId)
  const isFew = sources.reduce((sum, { files = 1 }) => sum + files, 0) <= maxNamedFiles
  const contentPaths = ids.flatMap((id) => pathsOf(contentTable, contentUnit(id)))
  const conditions: Readonly<Record<Detail, readonly string[]>> = {
    least: [],
    contents: [
      ...isAny(contentBucketColumn, distinct(ids.map((id) => bucketOf(contentTable, id)))),
      ...isAny(fileColumn(contentTable), contentPaths),
    ],
    buckets: isAny(sourceBucketColumn, distinct(sourceIds.map(sourceBucketOf))),
    sources: isAny(sourceIdColumn, sourceIds),
    files: (isFew ? sourceTables : []).flatMap((table) =>
      isAny(
        fileColumn(table),
        sources.flatMap((source) => pathsOf(table, sourceUnit(source), source.files)),
      ),
    ),
  }
  return details
    .slice(details.indexOf(detail))
    .toReversed()
    .flatMap((each) => conditions[each])
}

/**
 * Grouped by payer, because Trino fails at an OR of 400 terms. Each fee schedule is restricted to its own content: a
 * source can be active for one plan and superseded for another, so one list of contents for all would mix loads.
 */
function feeScheduleCondition(feeSchedules: readonly FeeSchedule[], contents?: readonly string[]): string {
  const members = feeSchedules.map(({ payer, plan }, index) => ({ payer, plan, contentId: contents?.[index] }))
  const terms = [...Map.groupBy(members, ({ payer }) => payer)].map(([payer, ofPayer]) => {
    const plans = [...Map.groupBy(ofPayer, ({ contentId }) => contentId)].map(([contentId, sharing]) => {
      const named = isIn(
        'plan',
        sharing.map(({ plan }) => literal(plan)),
      )
      return contentId === undefined ? named : `${contentIdColumn} = ${literal(contentId)} AND ${named}`
    })
    const [only = ''] = plans
    return `(payer = ${literal(payer)} AND ${plans.length === 1 ? only : anyOf(plans.map((plan) => `(${plan})`))})`
  })
  return anyOf(terms)
}

const anyOf = (terms: readonly string[]) => `(${terms.join('\n    OR ')})`

/** The conditions of a request's optional lists, each with the name of its list in the body. */
function listFilters({ npis, tins, billingCodes, providers }: SearchRequest) {
  const ofProviders = providerLists.flatMap(({ name, column }) => {
    const values = providers?.[name]
    return values ? [{ path: `providers.${name}`, condition: isIn(column, values.map(literal)) }] : []
  })
  return [
    ...(npis ? [{ path: 'npis', condition: isIn('npi', npis.map(String)) }] : []),
    ...(tins ? [{ path: 'tins', condition: isIn('tin_value', tins.map(literal)) }] : []),
    ...(billingCodes ? [{ path: 'billing_codes', condition: billingCodeCondition(billingCodes) }] : []),
    ...ofProviders,
  ]
}

/**
 * A code matches in every code type by that type's canonical form. Rows have only canonical forms, so one comparison
 * with the requested code covers most types, and a type that rewrites codes gets its own.
 */
function billingCodeCondition(codes: readonly string[]): string {
  const rewritten = rewrittenCodeTypes.flatMap((type) => {
    const forms = codes.map((code) => searchedBillingCode(type, code)).filter((form, index) => form !== codes[index])
    if (forms.length === 0) return []
    return [`(billing_code_type = ${literal(type)} AND ${isIn('billing_code', distinct(forms).map(literal))})`]
  })
  return `(${[isIn('billing_code', codes.map(literal)), ...rewritten].join('\n    OR ')})`
}
