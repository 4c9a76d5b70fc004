import { summaryDimensions } from '../../contract/summaries.ts'
import { at } from '../at.ts'
import type { Column } from '../columns/column.ts'
import { flagNames } from '../columns/flags.ts'
import { type ColumnName, ratesColumns } from '../columns/rates.ts'
import { codesByName, dimensionColumns, groupColumns, many, maxListed } from './definition.ts'
import { percentiles } from './percentiles.ts'

/** A column of a summary. */
type SummaryColumn = Pick<Column, 'name' | 'type' | 'nullable' | 'meaning'>

const columnOf = (name: ColumnName) =>
  at(
    ratesColumns.filter((column) => column.name === name),
    0,
  )

/** Meanings that differ from those of a row. */
const groupMeanings: Readonly<Record<string, string>> = {
  name: `the service's name for ${codesByName}, which only names tell apart; else NULL`,
}

const ofGroups: readonly SummaryColumn[] = groupColumns.map((name) => {
  const { type, nullable, meaning } = columnOf(name)
  return { name, type, nullable, meaning: groupMeanings[name] ?? meaning }
})

/** The column with a row's place of service. */
export const placeColumn: SummaryColumn = {
  name: 'place_of_service',
  type: 'varchar',
  nullable: true,
  meaning: `one of the places that a price lists; CSTM-00 = all places, in a row of its own; ${many} = more than ${maxListed}; NULL = none was published`,
}

/** A column by which a summary was grouped further. */
interface DimensionColumn extends SummaryColumn {
  /** The column of a row with its values. */
  readonly source: ColumnName
}

/** The columns of each dimension; those of dimensions that were not asked for are NULL. */
export const columnsByDimension = summaryDimensions.map((dimension) => ({
  dimension,
  columns: dimensionColumns[dimension].map((source): DimensionColumn => {
    const { type, meaning } = columnOf(source)
    const isList = type === 'varchar ARRAY'
    return {
      source,
      name: isList ? 'network' : source,
      type: isList ? 'varchar' : type,
      nullable: true,
      meaning: `${isList ? `one of the networks of a price; ${many} = more than ${maxListed}` : meaning}; NULL unless \`by\` has \`${dimension}\``,
    }
  }),
}))

const amount = (name: string, meaning: string): SummaryColumn => ({
  name,
  type: 'decimal(18,4)',
  nullable: true,
  meaning,
})

const count = (name: string, meaning: string, nullable = false): SummaryColumn => ({
  name,
  type: 'bigint',
  nullable,
  meaning,
})

const percentileMeaning = (percent: number, leastValues: number) =>
  `${percent}th percentile, a published amount${leastValues > 1 ? `; NULL below ${leastValues} values` : ''}`

/** The column with the number of values that have a flag. */
export const flagColumn = (flag: string): string => `${flag}_count`

const unlessFlags = 'NULL over an own relation without flags'

const statistics: readonly SummaryColumn[] = [
  { name: 'weight', type: 'varchar', nullable: false, meaning: 'what counts once: tins, prices or npis' },
  count('value_count', 'number of values in the statistics, by weight'),
  amount('minimum', 'least amount'),
  ...percentiles.map(({ column, percent, leastValues }) => amount(column, percentileMeaning(percent, leastValues))),
  amount('maximum', 'greatest amount'),
  count(
    'price_count',
    'number of prices that are not left out, those of NPI 0 included; NULL over an own relation without price_id',
    true,
  ),
  count('ein_count', 'number of TINs of these prices that are EINs; NULL for the weight prices', true),
  count('npi_tin_count', 'number of TINs of these prices that are NPIs; NULL for the weight prices', true),
  count('provider_count', 'number of NPIs; NULL unless `count_providers` was asked for or the weight is npis', true),
  count('left_out_count', `number of values that are left out as doubtful; ${unlessFlags}`, true),
  ...flagNames.map((flag) => count(flagColumn(flag), `number of values with the flag ${flag}; ${unlessFlags}`, true)),
  {
    name: 'oldest_last_updated_on',
    type: 'date',
    nullable: true,
    meaning: 'oldest date of the published snapshots with a price of the row',
  },
  { name: 'newest_last_updated_on', type: 'date', nullable: true, meaning: 'newest of these dates' },
  count(
    'file_count',
    'number of loaded files with a price of the row, also if two have one name; over an own relation, number of distinct source_file, NULL without it',
    true,
  ),
]

/**
 * The columns within whose values the rows of a summary are ranked: what a person would compare. Dollars are not
 * percentages, and an MRI is not its reading.
 */
export const rankedWithin: readonly ColumnName[] = [
  ...(['billing_code_type', 'billing_code', 'name', 'billing_code_modifier', 'payer', 'plan'] as const),
  ...(['billing_class', 'rate_unit'] as const),
]

/** The columns of a summary that is cut to its first rows, after those of all summaries. */
export const rankColumns = [
  count(
    'rank',
    'rank of the median among the rows of this plan, code, modifiers, unit and class, from 1; ties share it',
  ),
  count('ranked_count', 'number of these rows before the cut; rows that differ only in their place of service are one'),
]

/** The columns of a summary, in order. All summaries have the same. */
export const summaryColumns: readonly SummaryColumn[] = [
  ...ofGroups,
  placeColumn,
  ...columnsByDimension.flatMap(({ columns }) => columns),
  ...statistics,
]

/** The columns by which rows of a summary are ordered: the service, then plan, terms and dimensions. */
const summaryOrder: readonly string[] = [
  ...new Set([
    ...['billing_code_type', 'billing_code', 'billing_code_modifier', placeColumn.name],
    ...ofGroups.map(({ name }) => name),
    ...columnsByDimension.flatMap(({ columns }) => columns.map(({ name }) => name)),
  ]),
]

/** Returns the columns by which rows are ordered that have some columns: those of a summary with ranks by them. */
export const orderOfRows = (columns: readonly string[]): readonly string[] =>
  columns.includes('rank') ? [...new Set([...rankedWithin, 'rank', ...summaryOrder])] : summaryOrder
