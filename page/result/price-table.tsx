import { at } from '../../schema/at.ts'
import { formatNumber } from '../../schema/phrases.ts'
import { few, percentiles } from '../../schema/summary/percentiles.ts'
import { formatRate } from '../formats.ts'
import type { RateGroup } from './rate-groups.ts'
import { SortedTable, sortRows, useSorting } from './sorting.tsx'

/** The value of a group in each column, by the column's name; '' for a percentile of too few prices. */
const cells: Readonly<Record<string, (group: RateGroup) => string | number>> = {
  plan: ({ plan }) => plan,
  payer: ({ payer }) => payer,
  terms: ({ terms }) => terms.join(' · '),
  prices: ({ prices }) => prices.length,
  ...Object.fromEntries(
    percentiles.map(({ column, leastValues }, index) => [
      column,
      ({ prices, percentiles: rates }: RateGroup) => (prices.length < leastValues ? '' : at(rates, index)),
    ]),
  ),
}
const columns = Object.keys(cells)
const isNumeric = (column: string) => columns.indexOf(column) >= columns.indexOf('prices')

interface Props {
  readonly groups: readonly RateGroup[]
  readonly unit: string
}

/**
 * The percentiles of each fee schedule's prices on the same terms. A group of few prices is marked, and has no
 * percentiles that so few prices do not support.
 */
export function PriceTable({ groups, unit }: Props) {
  const sorting = useSorting('by', 'median')
  const show = (group: RateGroup, column: string) => {
    const value = cells[column]?.(group) ?? ''
    if (typeof value === 'string') return value === '' && isNumeric(column) ? '–' : value
    if (column !== 'prices') return formatRate(value, unit)
    return `${formatNumber(value)}${value < few ? ' (few)' : ''}`
  }
  const rows = sortRows(groups, sorting, (group, column) => cells[column]?.(group))
  return <SortedTable label="Prices by fee schedule" {...{ columns, isNumeric, sorting, rows, show }} />
}
