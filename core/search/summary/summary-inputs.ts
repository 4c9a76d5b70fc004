import type { SummaryDimension, SummaryRequest } from '../../../contract/summaries.ts'
import { type Column, sourceIdColumn } from '../../../schema/columns/column.ts'
import { type ColumnName, ratesColumns } from '../../../schema/columns/rates.ts'
import {
  codesByName,
  dimensionColumns,
  groupColumns,
  weightColumns,
  wholeTin,
} from '../../../schema/summary/definition.ts'
import { rowColumns } from '../../../schema/summary/result-columns.ts'
import { columnsByDimension } from '../../../schema/summary/summary-columns.ts'
import { listLiteral } from '../filter-kinds.ts'
import { filtersTable } from '../request-filters.ts'
import type { SearchRequest } from '../search-request.ts'
import { literal } from '../sql.ts'

/** The SQL of a column over the selected rows; false if they lack it. */
export type ColumnSql = (name: ColumnName) => string | false

/** The facts about prices that the statement of a summary reads. */
export interface SummaryInputs {
  /** The items of the SELECT of rows. */
  readonly items: readonly string[]
  readonly has: (name: ColumnName) => boolean
}

/** The kinds of things that are counted once in each group: by name, the column with their identity. */
export const countedThings = {
  tin: 'counted_tin',
  price: 'counted_price',
  npi: 'counted_npi',
  file: 'counted_file',
} as const
export type Thing = keyof typeof countedThings

export const thingOfWeight = { tins: 'tin', prices: 'price', npis: 'npi' } as const satisfies Record<
  SummaryRequest['weight'],
  Thing
>

const things = ['tin', 'price', 'npi', 'file'] as const satisfies readonly Thing[]

/** True for a TIN that is an EIN: its type is before the first colon. */
export const isEin = `${countedThings.tin} LIKE 'ein:%'`

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

/**
 * Returns the items that the SELECT of rows must have for a summary. Only requested networks count, because the rows do
 * not have all prices of the other networks that a price is in.
 *
 * @param sql the SQL of a result's column
 * @param file the SQL of what tells files apart
 */
export function summaryItems(
  { summary, networks }: Pick<SearchRequest, 'networks'> & { readonly summary: SummaryRequest },
  sql: ColumnSql,
  file: string | false,
): SummaryInputs {
  const item = (name: ColumnName, alias: string) => {
    const value = sql(name)
    return `  ${value === false ? `CAST(NULL AS ${columnOf(name).type})` : value} AS ${alias}`
  }
  const type = sql('billing_code_type')
  const name = sql('name')
  const groups = groupColumns.map((column) => {
    if (column !== 'name' || type === false || name === false) return item(column, column)
    return `  CASE WHEN ${type} = ${literal(codesByName)} THEN ${name} END AS name`
  })
  const counted = thingsOf(summary).map((thing) => `  ${identityOf(thing, sql, file)} AS ${countedThings[thing]}`)
  return {
    items: [
      ...groups,
      item('service_code', 'places'),
      ...dimensionsOf(summary).map(({ source, name: alias }) => {
        if (source !== 'network_name') return item(source, alias)
        const names = sql(source)
        if (networks === undefined || names === false) return item(source, 'networks')
        return `  array_intersect(${names}, ${listLiteral(networks)}) AS networks`
      }),
      item('negotiated_rate', 'amount'),
      item('flags', 'price_flags'),
      item('last_updated_on', 'updated_on'),
      ...counted,
    ],
    has: (column) => sql(column) !== false,
  }
}

function identityOf(thing: Thing, sql: ColumnSql, file: string | false): string {
  const identities = {
    tin: `concat(${sql('tin_type')}, ':', ${sql('tin_value')})`,
    price: sql('price_id'),
    npi: `CASE WHEN ${sql('npi')} <> ${wholeTin} THEN ${sql('npi')} END`,
    file,
  }
  const identity = identities[thing]
  return identity === false ? 'CAST(NULL AS varchar)' : identity
}

/** SQL of the column that tells the files of loaded rates apart. */
export const loadedFile = `negotiated_rates.${sourceIdColumn}`

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
