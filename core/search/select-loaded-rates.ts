import { nppesMonthIdColumn, sourceIdColumn } from '../../schema/columns/column.ts'
import { keysOf } from '../../schema/columns/price-key.ts'
import { providerColumns, providersTable } from '../../schema/columns/providers-table.ts'
import { groupOfPrice, unnestGroups } from '../../schema/columns/rates-views.ts'
import {
  contentTable,
  groupTable,
  priceTable,
  providerGroupKey,
  providerGroupKeys,
  type WarehouseTable,
} from '../../schema/columns/warehouse-tables.ts'
import { isOfContents, locateTable, type ScopeFiles } from './file-conditions.ts'
import { areFewCodes, areFewProviders, arePricesBuilt, type JoinSize } from './join/join-order.ts'
import { isNarrowing } from './join/provider-join.ts'
import { filterRows, matchFeeSchedules, type RequestFilter } from './request-filters.ts'
import type { SearchRequest } from './search-request.ts'
import { distinct, isIn, literal } from './sql.ts'
import { groupColumnsOf, readsGroups } from './summary/summary-inputs.ts'
import { numberedPlans, numberPlans } from './summary/summary-plans.ts'
import { joinTerms, numberedTerms, numberTerms } from './summary/summary-terms.ts'

/** The contents that a search reads. Only these, the NPPES month and the request determine its rows. */
export interface ContentScope {
  /** The content of each of the request's fee schedules, in their order. */
  readonly contents: readonly string[]
  /** The way to their files. @default - all files of the warehouse are read */
  readonly files?: ScopeFiles | undefined
  /** The month of NPPES that says who providers are. @default - unknown: their columns are NULL */
  readonly nppesMonthId?: string | undefined
  /** Decides the order of joins if the request does not. @default - provider groups are built */
  readonly joinSize?: JoinSize | undefined
  /** `other` for the order of joins that the request would not have. @default - the one that is best */
  readonly joinOrder?: 'other' | undefined
}

/** The rows of `provider_groups` that a search asks for, which several parts of a statement read. */
const requestedGroups = 'requested_groups'

/** The prices that a summary asks for, so that its statement has long lists of codes once. */
const requestedPrices = 'requested_prices'

/** The source of a provider group, in a form that the engine does not recognize as the column `source_id`. */
const sourceOfGroup = 'source_of_group'

/** The NPI of a row of NPPES, which no other table has. */
const joinedNpi = 'provider_npi'

/**
 * Maximum number of keys of a source that are compared. One NPI or TIN can have thousands of groups, and the time for a
 * price grows with their number: on Trino, joining all prices takes as long as comparing about a hundred keys
 * (docs/measured/search-shape.md).
 */
const maxComparedKeys = 25

/**
 * Writes the SELECT of a search over loaded contents.
 *
 * Athena has no statistics of the tables, so it joins in the order that is written here: it builds the right side of a
 * join in memory, on all nodes together, and streams the left. Which side the request makes small decides the order
 * (docs/adr/0041). Nothing here sorts, counts or windows rows of the result, so memory does not grow with their number.
 *
 * @param items the columns of the result, as SQL over the tables under their own names
 */
export function selectLoadedRates(request: SearchRequest, scope: ContentScope, items: readonly string[]): TabledRows {
  const filters = filterRows(request)
  const placedGroups = locateIn(groupTable, scope)
  const groups = joinGroups(request, scope, filters)
  const prices = `(${pricesOf(request, scope)}) AS negotiated_rates\n${unnestGroups}`
  const buildsPrices = arePricesBuilt(request, scope.joinSize) !== (scope.joinOrder === 'other')
  const from = buildsPrices ? `${groups}\nJOIN (${prices})` : `${prices}\nJOIN (${groups})`
  const select = [
    `SELECT\n${items.join(',\n')}`,
    `FROM ${from}`,
    `ON negotiated_rates.${sourceIdColumn} = provider_groups.${sourceOfGroup}`,
    `  AND ${groupOfPrice} = provider_groups.${providerGroupKey.name}`,
  ].join('\n')
  const requested = selectRows(placedGroups.name, namesOf(groupTable), [
    ...placedGroups.conditions,
    ...conditionsOn('provider_groups', filters),
  ])
  return { tables: [[requestedGroups, requested], ...summaryTables(request, scope)], select }
}

/** A SELECT of rows, and the common tables that it reads: each reads those before it. */
export interface TabledRows {
  readonly tables: readonly (readonly [name: string, select: string])[]
  readonly select: string
}

/** Writes a SELECT with its common tables, so that it can stand within another. */
export function withTables(tables: TabledRows['tables'], select: string): string {
  if (tables.length === 0) return select
  return `SELECT * FROM (\nWITH ${tables.map(([name, table]) => `${name} AS (${table})`).join(',\n')}\n${select}\n)`
}

/** The common tables that only summaries read. */
function summaryTables(request: SearchRequest, scope: ContentScope): TabledRows['tables'] {
  if (request.summary === undefined) return []
  return [
    [requestedPrices, selectPrices(request, scope)],
    [numberedTerms, numberTerms(requestedPrices)],
    [numberedPlans, numberPlans(selectFeeSchedules(request, scope))],
  ]
}

/**
 * The requested provider groups with the fee schedules that read them and, if NPPES is loaded, who their NPIs are.
 *
 * Fee schedules are joined here and not to prices: their only key is the source, by which all prices of a file would go
 * to one node. For the same reason the source gets another name: Trino would notice that these rows are distributed by
 * source already, and send the prices after them.
 */
function joinGroups(request: SearchRequest, scope: ContentScope, filters: readonly RequestFilter[]): string {
  return [
    `(${selectGroups(request)}) AS provider_groups`,
    `JOIN ${feeSchedulesOf(request, scope)} AS fee_schedule_sources`,
    `  ON fee_schedule_sources.${sourceIdColumn} = provider_groups.${sourceIdColumn}`,
    ...joinProviders(request, scope, filters),
  ].join('\n')
}

/**
 * Writes the SELECT of the requested provider groups. For a summary that does not tell NPIs apart, it has no row for
 * each of them, so that a price is joined to as many rows as its groups have TINs.
 */
function selectGroups(request: SearchRequest): string {
  const source = `concat(${sourceIdColumn}, '') AS ${sourceOfGroup}`
  const columns = groupColumnsOf(request)
  if (columns === undefined)
    return selectRows(requestedGroups, [...namesOf(groupTable), source, ...keysOf('provider_groups')], [])
  const items = [providerGroupKey.name, sourceIdColumn, source, ...columns]
  return `SELECT DISTINCT ${items.join(', ')} FROM ${requestedGroups}`
}

/** The requested fee schedules, with a row for each of their sources. */
function selectFeeSchedules(request: SearchRequest, scope: ContentScope): string {
  const contentIds = distinct(scope.contents).sort()
  const { name, conditions } = locateIn(contentTable, scope)
  return selectRows(
    name,
    [...namesOf(contentTable), ...keysOf('fee_schedule_sources')],
    [isOfContents(contentIds), ...conditions, matchFeeSchedules(request.feeSchedules, scope.contents)],
  )
}

/** The requested fee schedules of rows; those of a summary have numbers. */
const feeSchedulesOf = (request: SearchRequest, scope: ContentScope) =>
  request.summary === undefined ? `(${selectFeeSchedules(request, scope)})` : numberedPlans

/**
 * Writes the SELECT of a summary's prices with their fee schedules, and without their provider groups.
 *
 * @param items as of `selectLoadedRates`, without columns of providers and provider groups
 */
export function selectLoadedPrices(request: SearchRequest, scope: ContentScope, items: readonly string[]): TabledRows {
  const select = [
    `SELECT\n${items.join(',\n')}`,
    `FROM (${pricesOf(request, scope)}) AS negotiated_rates`,
    `JOIN ${feeSchedulesOf(request, scope)} AS fee_schedule_sources`,
    `  ON fee_schedule_sources.${sourceIdColumn} = negotiated_rates.${sourceIdColumn}`,
  ].join('\n')
  return { tables: summaryTables(request, scope), select }
}

/**
 * The providers of NPPES that are among the requested groups. An NPI has at most one row, so no row is lost or doubled.
 *
 * Without a condition on NPIs, the nine million rows of a month would be built in memory. NPIs of the request are
 * named, by which Athena skips row groups too; otherwise the NPIs of the groups are looked up.
 */
function joinProviders(
  { npis }: SearchRequest,
  { nppesMonthId }: ContentScope,
  filters: readonly RequestFilter[],
): readonly string[] {
  if (nppesMonthId === undefined) return []
  const conditions = conditionsOn('providers', filters)
  const columns = [`npi AS ${joinedNpi}`, ...providerColumns.map(({ name }) => name)]
  const providers = selectRows(providersTable.name, columns, [
    `${nppesMonthIdColumn} = ${literal(nppesMonthId)}`,
    isNarrowing(npis) ? isIn('npi', npis.map(String)) : `npi IN (SELECT npi FROM ${requestedGroups})`,
    ...conditions,
  ])
  // A condition on a provider's place or specialty drops NPIs that NPPES does not have.
  const join = conditions.length === 0 ? 'LEFT JOIN' : 'JOIN'
  return [`${join} (${providers}) AS ${providersTable.name}`, `  ON ${joinedNpi} = provider_groups.npi`]
}

/** Writes the SELECT of the prices of rows; those of a summary have numbers in place of their terms. */
const pricesOf = (request: SearchRequest, scope: ContentScope): string =>
  request.summary === undefined ? selectPrices(request, scope) : joinTerms(requestedPrices, namesOf(priceTable))

/** Writes the SELECT of the prices that may be requested. */
function selectPrices(request: SearchRequest, scope: ContentScope): string {
  // The keys take a second reading of provider groups, which is worth it only if most prices of a file are read.
  const isCompared = readsGroups(request) && areFewProviders(request) && !areFewCodes(request)
  const { name, conditions: located } = locateIn(priceTable, scope)
  const conditions = [
    ...located,
    ...conditionsOn('negotiated_rates', filterRows(request)),
    ...(isCompared ? [hasRequestedGroup] : []),
  ]
  const items = [...namesOf(priceTable), ...(request.summary === undefined ? keysOf('negotiated_rates') : [])]
  const tables = isCompared ? `${name} CROSS JOIN (${gatherKeys}) AS requested_keys` : name
  return selectRows(tables, items, conditions)
}

/**
 * Gathers the keys of the requested groups by source in one row, which is sent to every node, so that all other prices
 * are dropped where they are read. A source with too many keys has an empty list.
 */
const gatherKeys = `SELECT map_agg(${sourceIdColumn}, group_keys) AS keys_by_source FROM (
    SELECT ${sourceIdColumn}, CASE WHEN count(DISTINCT ${providerGroupKey.name}) > ${maxComparedKeys} THEN ARRAY[]
      ELSE array_agg(DISTINCT ${providerGroupKey.name}) END AS group_keys
    FROM ${requestedGroups} GROUP BY ${sourceIdColumn}
  ) AS keys_of_source`

const keysOfSource = `element_at(keys_by_source, ${sourceIdColumn})`

/** True for a price that may have one of the requested groups; NULL, so not true, if its source has none. */
const hasRequestedGroup = `(cardinality(${keysOfSource}) = 0 OR arrays_overlap(${providerGroupKeys.name}, ${keysOfSource}))`

const locateIn = (table: WarehouseTable, { files, contents }: ContentScope) =>
  locateTable(table, files, distinct(contents).sort())

const conditionsOn = (home: RequestFilter['home'], filters: readonly RequestFilter[]) =>
  filters.flatMap((filter) => (filter.home === home ? [filter.condition] : []))

const namesOf = ({ columns }: WarehouseTable) => columns.map(({ name }) => name)

function selectRows(tables: string, items: readonly string[], conditions: readonly string[]): string {
  const where = conditions.length === 0 ? '' : `\nWHERE ${conditions.join('\n  AND ')}`
  return `SELECT ${items.join(', ')} FROM ${tables}${where}`
}
