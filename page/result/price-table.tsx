import { few } from '../../schema/summary/percentiles.ts'
import { formatRate } from '../formats.ts'
import { percents, type RateGroup } from './rate-groups.ts'
import { SortedTable, sortRows, useSorting } from './sorting.tsx'

/** What each column shows of a group, by the column's name. */
const cells: Readonly<Record<string, (group: RateGroup) => string | number>> = {
  plan: ({ plan }) => plan,
  payer: ({ payer }) => payer,
  terms: ({ terms }) => terms.join(' · '),
  prices: ({ prices }) => prices.length,
  ...Object.fromEntries(
    percents.map((percent, index) => [
      percent === 50 ? 'median' : `p${percent}`,
      ({ percentiles }: RateGroup) => percentiles[index] ?? Number.NaN,
    ]),
  ),
}
const columns = Object.keys(cells)
const isNumeric = (column: string) => columns.indexOf(column) >= columns.indexOf('prices')

interface Props {
  readonly groups: readonly RateGroup[]
  readonly unit: string
}

/** The percentiles of each fee schedule's prices on the same terms; a group of few prices is marked. */
export function PriceTable({ groups, unit }: Props) {
  const sorting = useSorting('by', 'median')
  const show = (group: RateGroup, column: string) => {
    const value = cells[column]?.(group) ?? ''
    if (typeof value === 'string') return value
    if (column !== 'prices') return formatRate(value, unit)
    return `${value}${value < few ? ' (few)' : ''}`
  }
  const rows = sortRows(groups, sorting, (group, column) => cells[column]?.(group))
  return <SortedTable label="Prices by fee schedule" {...{ columns, isNumeric, sorting, rows, show }} />
}
