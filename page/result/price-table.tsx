import { at } from '../../schema/at.ts'
import { countOf, formatNumber } from '../../schema/phrases.ts'
import { few, percentiles } from '../../schema/summary/percentiles.ts'
import { formatRate } from '../display/formats.ts'
import { PlanSwatch } from '../display/plan-swatch.tsx'
import { useNarrow } from '../display/use-narrow.ts'
import { listSharedTerms, type RateGroup } from '../statistics/rate-groups.ts'
import { SortedTable, sortRows, useSorting } from './sorting.tsx'

/** The value of a group in each column, by the column's name; '' for a percentile of too few prices. */
const cells: Readonly<Record<string, (group: RateGroup) => string | number>> = {
  plan: ({ plan }) => plan,
  prices: ({ prices }) => prices.length,
  ...Object.fromEntries(
    percentiles.map(({ column, leastValues }, index) => [
      column,
      ({ prices, percentiles: rates }: RateGroup) => (prices.length < leastValues ? '' : Number(at(rates, index))),
    ]),
  ),
}

const columnNames: readonly string[] = percentiles.map(({ column }) => column)

/** The columns that a narrow screen has no room for. */
const minorColumns = ['p10', 'p90']

/** Width of the window below which the table is a list. */
const leastTableRem = 40

interface Props {
  readonly groups: readonly RateGroup[]
  readonly unit: string
}

/**
 * The percentiles of each fee schedule's prices on the same terms. A group of few prices says so, and lacks the
 * percentiles that its prices cannot support. On a phone the table is a list.
 */
export function PriceTable({ groups, unit }: Props) {
  const sorting = useSorting('by', '')
  const isNarrow = useNarrow(leastTableRem)
  const showNumber = (group: RateGroup, column: string) => {
    const value = cells[column]?.(group) ?? ''
    if (typeof value === 'string') return '–'
    if (column !== 'prices') return formatRate(at(group.percentiles, columnNames.indexOf(column)), unit)
    return `${value < few ? 'few: ' : ''}${formatNumber(value)}`
  }
  const rows = sortRows(groups, sorting, (group, column) => cells[column]?.(group))
  const sharedTerms = listSharedTerms(groups)
  const label = 'Prices by fee schedule'
  if (isNarrow)
    return (
      <ul class="medians" aria-label={label}>
        {rows.map((group, index) => (
          <li key={index}>
            <span>
              <PlanOf group={group} sharedTerms={sharedTerms} />
            </span>
            <span class="number">
              <span class="plan">{showNumber(group, 'median')}</span>
              <span class="payer">
                {showNumber(group, 'p25') !== '–' && (
                  <>
                    {showNumber(group, 'p25')} to {showNumber(group, 'p75')}
                  </>
                )}
              </span>
              <span class="payer">
                {countOf(group.prices.length, 'price')}
                {group.prices.length < few && ', few'}
              </span>
            </span>
          </li>
        ))}
      </ul>
    )
  return (
    <SortedTable
      label={label}
      columns={['plan', 'prices', ...columnNames]}
      isNumeric={(column) => column !== 'plan'}
      isMinor={(column) => minorColumns.includes(column)}
      sorting={sorting}
      rows={rows}
      show={(group, column) =>
        column === 'plan' ? <PlanOf group={group} sharedTerms={sharedTerms} /> : showNumber(group, column)
      }
    />
  )
}

interface PlanProps {
  readonly group: RateGroup
  /** The terms that all groups of the table have. */
  readonly sharedTerms: readonly string[]
}

/** A plan, and below it its payer and the terms in which it differs from others. */
const PlanOf = ({ group: { plan, payer, terms }, sharedTerms }: PlanProps) => (
  <>
    <PlanSwatch payer={payer} plan={plan} />
    <bdi class="plan">{plan}</bdi>
    <bdi class="payer">{[payer, ...terms.filter((term) => !sharedTerms.includes(term))].join(' · ')}</bdi>
  </>
)
