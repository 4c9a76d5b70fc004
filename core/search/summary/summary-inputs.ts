import type { SummaryDimension, SummaryRequest } from '../../../contract/summaries.ts'
import type { Column } from '../../../schema/columns/column.ts'
import { type ColumnName, ratesColumns } from '../../../schema/columns/rates.ts'
import { dimensionColumns, groupColumns, weightColumns, wholeTin } from '../../../schema/summary/definition.ts'
import { rowColumns } from '../../../schema/summary/result-columns.ts'
import { columnsByDimension } from '../../../schema/summary/summary-columns.ts'
import { listLiteral } from '../filter-kinds.ts'
import { filtersTable } from '../request-filters.ts'
import type { SearchRequest } from '../search-request.ts'
import { planNumber } from './summary-plans.ts'
import { codeOfGroup, flagBitsOf, listPlaces, loadedFlagBits, nameOfCode } from './summary-terms.ts'

/** The SQL of a column over the selected rows; false if they lack it. */
export type ColumnSql = (name: ColumnName) => string | false

/** The kinds of things that are counted once in each group: by name, the columns with their identity. */
export const countedThings = {
  tin: ['counted_tin', 'counted_tin_type'],
  price: ['counted_price', 'price_file'],
  npi: ['counted_npi'],
  file: ['counted_file'],
} as const
export type Thing = keyof typeof countedThings

export const thingOfWeight = { tins: 'tin', prices: 'price', npis: 'npi' } as const satisfies Record<
  SummaryRequest['weight'],
  Thing
>

const things = ['tin', 'price', 'npi', 'file'] as const satisfies readonly Thing[]

/** True for a TIN that is an EIN. */
export const isEin = "thing_scope = 'ein'"

/** The things that a summary counts. The weight `prices` reads no provider group for the sake of counting. */
export function thingsOf({ weight, countProviders }: SummaryRequest): readonly Thing[] {
  const isCounted = (thing: Thing) =>
    (thing !== 'tin' || weight !== 'prices') && (thing !== 'npi' || weight === 'npis' || countProviders === true)
  return things.filter(isCounted)
}

/** True if a summary needs the provider groups of prices, and not only their fee schedules. */
export function readsGroups(request: SearchRequest): boolean {
  const { summary } = request
  if (summary === undefined || filtersTable(request, 'provider_groups', 'providers')) return true
  return summary.weight !== 'prices' || summary.by.length > 0 || summary.countProviders === true
}

/** Returns the dimensions of a summary by which providers are told apart: their values are those of NPPES. */
export const listProviderDimensions = (summary: SummaryRequest | undefined): readonly SummaryDimension[] =>
  (summary?.by ?? []).filter((dimension) =>
    dimensionColumns[dimension].some((name) => columnOf(name).home === 'providers'),
  )

/** True if a search needs the names and places of providers. */
export function readsProviders(request: Pick<SearchRequest, 'summary' | 'providers' | 'columns'>): boolean {
  const { summary, columns } = request
  if (filtersTable(request, 'providers')) return true
  if (summary !== undefined) return listProviderDimensions(summary).length > 0
  return rowColumns(columns).some(({ home }) => home === 'providers')
}

/** The facts that a summary reads of rows: where loaded rates have numbers, an own relation has values. */
export interface RowFacts {
  /** Items by which rows are grouped, and their names. */
  readonly groups: readonly (readonly [name: string, value: string])[]
  /** The SQL of the list of a price's places, and of the length of the published list. */
  readonly places: string
  readonly placeCount: string
  readonly flagBits: string
  readonly price: Readonly<Record<(typeof countedThings)['price'][number], string>>
  readonly file: string
}

/** The facts of loaded rates. The ids of prices are texts of their files and places, and these are shorter apart. */
export const loadedFacts: RowFacts = {
  groups: [
    [codeOfGroup, 'negotiated_rates.billing_code'],
    [planNumber, `fee_schedule_sources.${planNumber}`],
  ],
  places: 'negotiated_rates.places',
  placeCount: 'negotiated_rates.place_count',
  flagBits: loadedFlagBits,
  price: {
    counted_price: 'COALESCE(negotiated_rates.price_id, CAST(negotiated_rates.price_ordinal AS varchar))',
    price_file: 'CASE WHEN negotiated_rates.price_id IS NULL THEN fee_schedule_sources.prefix_number END',
  },
  file: 'fee_schedule_sources.file_number',
}

/** Returns the facts of an own relation. Reading it twice to number its terms could cost its operator twice as much. */
export function relationFacts(sql: ColumnSql): RowFacts {
  const columnValue = (name: ColumnName) => {
    const value = sql(name)
    return value === false ? `CAST(NULL AS ${columnOf(name).type})` : value
  }
  const places = columnValue('service_code')
  return {
    groups: groupColumns.map((name) => [
      name,
      name === 'name' ? nameOfCode(columnValue('billing_code_type'), columnValue(name)) : columnValue(name),
    ]),
    places: listPlaces(places),
    placeCount: `cardinality(${places})`,
    flagBits: flagBitsOf(columnValue('flags')),
    price: { counted_price: columnValue('price_id'), price_file: 'CAST(NULL AS bigint)' },
    file: columnValue('source_file'),
  }
}

/**
 * Returns the items that the SELECT of rows must have for a summary. Only requested networks count, because the rows do
 * not have all prices of the other networks that a price is in.
 *
 * @param sql the SQL of a result's column
 */
export function summaryItems(
  { summary, networks }: Pick<SearchRequest, 'networks'> & { readonly summary: SummaryRequest },
  sql: ColumnSql,
  facts: RowFacts,
): readonly string[] {
  const item = (name: ColumnName, alias: string) => {
    const value = sql(name)
    return `  ${value === false ? `CAST(NULL AS ${columnOf(name).type})` : value} AS ${alias}`
  }
  const identities = {
    tin: [item('tin_value', 'counted_tin'), item('tin_type', 'counted_tin_type')],
    price: countedThings.price.map((name) => `  ${facts.price[name]} AS ${name}`),
    npi: [`  CASE WHEN ${sql('npi')} <> ${wholeTin} THEN ${sql('npi')} END AS counted_npi`],
    file: [`  ${facts.file} AS counted_file`],
  }
  return [
    ...facts.groups.map(([name, value]) => `  ${value} AS ${name}`),
    `  ${facts.places} AS places`,
    `  ${facts.placeCount} AS place_count`,
    ...dimensionsOf(summary).map(({ source, name: alias }) => {
      if (source !== 'network_name') return item(source, alias)
      const names = sql(source)
      if (networks === undefined || names === false) return item(source, 'networks')
      return `  array_intersect(${names}, ${listLiteral(networks)}) AS networks`
    }),
    item('negotiated_rate', 'amount'),
    `  ${facts.flagBits} AS flag_bits`,
    item('last_updated_on', 'updated_on'),
    ...thingsOf(summary).flatMap((thing) => identities[thing]),
  ]
}

function columnOf(name: ColumnName): Column {
  const column = ratesColumns.find((each) => each.name === name)
  if (column === undefined) throw new RangeError(`there is no column ${name}`)
  return column
}

/**
 * Returns the columns of provider groups that a summary reads if it does not tell NPIs apart: a group has a row for
 * each NPI, and without them one for each of its TINs, or a single one.
 *
 * @returns undefined if the summary needs all columns and rows
 */
export function groupColumnsOf(request: SearchRequest): readonly ColumnName[] | undefined {
  const { summary } = request
  if (summary === undefined || readsProviders(request)) return undefined
  const counted = thingsOf(summary)
  const columns = [
    ...(counted.includes('tin') ? weightColumns.tins : []),
    ...(counted.includes('npi') ? weightColumns.npis : []),
    ...summary.by.flatMap((dimension) => dimensionColumns[dimension]),
  ]
  return columns.includes('npi') ? undefined : [...new Set(columns)]
}

/** Returns the columns by which a summary is grouped further. */
export const dimensionsOf = ({ by }: SummaryRequest) =>
  columnsByDimension.filter(({ dimension }) => by.includes(dimension)).flatMap(({ columns }) => columns)
