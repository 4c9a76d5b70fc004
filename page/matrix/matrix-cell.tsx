import { Fragment } from 'preact'
import type { Amount } from '../../client/results/amounts.ts'
import { countOf } from '../../schema/phrases.ts'
import { few, veryFew } from '../../schema/summary/percentiles.ts'
import { changeLinked } from '../address/view-link.ts'
import { formatShortRate } from '../display/formats.ts'
import { type Highlight, locateHighlight } from '../highlights/highlight.ts'
import { describeRange } from '../highlights/position.ts'
import { HighlightKey } from '../highlights/price-symbol.tsx'
import type { ComparableRows } from '../statistics/comparable-prices.ts'
import { describeBasis, type MatrixCell, type MatrixCode, type MatrixPlan } from '../statistics/matrix.ts'
import { medianOf } from '../statistics/rate-groups.ts'

/** The head of a code's row: the code, its name, the basis of its prices, and a button that shows the others. */
export function CodeHead({
  code: { code, name, tags, shared, otherCount, isOpen, onToggle },
}: {
  readonly code: MatrixCode
}) {
  return (
    <>
      <bdi class="plan">{code}</bdi> {!code.includes(name) && <bdi>{name}</bdi>}
      {tags.map((tag) => (
        <Fragment key={tag}>
          {' '}
          <bdi class="tag">{tag}</bdi>
        </Fragment>
      ))}
      <RowBasis rows={shared.basis} />
      {otherCount > 0 && (
        <button type="button" class="quiet inline" aria-expanded={isOpen} onClick={onToggle}>
          {isOpen ? 'Hide' : 'Show'} {countOf(otherCount, 'other group')}
          <span class="hidden"> of {code}</span>
        </button>
      )}
    </>
  )
}

export const RowBasis = ({ rows }: { readonly rows: ComparableRows }) => <p class="basis">{describeBasis(rows)}</p>

interface PlanHeadProps {
  readonly plan: MatrixPlan
  readonly isReference: boolean
}

/** Facts about the plan of a column: its payer, and if it is the reference. */
export const PlanFacts = ({ plan: { payer }, isReference }: PlanHeadProps) => (
  <span class="payer">
    <bdi>{payer}</bdi>
    {isReference && ' · reference'}
  </span>
)

interface Props {
  readonly code: string
  readonly cell: MatrixCell | undefined
  readonly highlight: Highlight | undefined
}

/** The prices of a code in a plan: a button that shows their plot and rows. */
export function CellView({ code, cell, highlight }: Props) {
  if (cell === undefined) return <span class="payer">–</span>
  const { group, basis, exception, difference, isLowest } = cell
  const count = group.prices.length
  const highlighted = locateHighlight(group, basis.basis.unit, highlight)
  const remarks = [
    `${countOf(count, 'price')}${count < few ? ', few' : ''}`,
    ...(difference === undefined ? [] : [difference]),
    ...(isLowest ? ['lowest'] : []),
  ]
  return (
    <button
      type="button"
      class={`cell${isLowest ? ' lowest' : ''}`}
      title={`Show the plot and the rows of ${group.plan}, ${code}`}
      onClick={() => showPrices(code, cell)}
    >
      {exception !== undefined && <span class="remark">{exception} only: </span>}
      <span class="amount">{showMiddle(cell, basis.basis.unit)}</span>{' '}
      <span class="remark">{remarks.map((remark) => remark.replaceAll(' ', '\u00a0')).join(' · ')}</span>
      {highlighted && (
        <span class="remark highlighted">
          <HighlightKey /> {describeRange(highlighted.range, basis.basis.unit)}
        </span>
      )}
    </button>
  )
}

/** Shows the median of a cell; one to four prices are shown as prices. */
function showMiddle({ group }: MatrixCell, unit: string): string {
  const show = (amount: Amount) => formatShortRate(amount, unit)
  if (group.prices.length >= veryFew) return show(medianOf(group))
  return [...new Set(group.prices.map(({ amount }) => amount))].map(show).join(', ')
}

/** Chooses the prices of a cell in the plot, which gets the focus, and filters the rows to its plan and code. */
function showPrices(code: string, { group, basis: { basis } }: MatrixCell): void {
  changeLinked({
    'billing code': code,
    'billed by': basis.billingClass,
    unit: basis.unit,
    modifiers: basis.modifiers,
    'place of service': basis.place,
    chosen: undefined,
    'rows-filter': `${group.plan} ${code.split(' ')[1] ?? ''}`,
  })
  const plot = document.querySelector<HTMLElement>('.plot')
  if (plot === null) return
  plot.tabIndex = -1
  plot.focus({ preventScroll: true })
  plot.scrollIntoView({ block: 'start' })
}
