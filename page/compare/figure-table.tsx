import type { Figures } from '../../client/results/comparison/change-figures.ts'
import { formatPercent } from '../../client/results/comparison/change-notes.ts'
import type { CodeFigures, Comparison, PlanFigures } from '../../client/results/comparison/compare-results.ts'
import { countOf, formatNumber } from '../../schema/phrases.ts'

/** Maximum number of codes with a row of their own. */
const maxCodes = 100

const keyOf = (...parts: readonly (string | null)[]) => JSON.stringify(parts)

const keyOfCode = ({ billing_code_type: type, billing_code: code }: CodeFigures) => keyOf(type, code)

/** The median change of each plan, for all codes and for each. */
export function FigureTable({ comparison: { plans, codes } }: { readonly comparison: Comparison }) {
  const figures = new Map(codes.map((each) => [keyOf(each.payer, each.plan, keyOfCode(each)), each]))
  const distinct = [...new Map(codes.map((each) => [keyOfCode(each), each])).values()]
  const shown = distinct.length > 1 ? distinct.slice(0, maxCodes) : []
  const hasPayers = new Set(plans.map(({ payer }) => payer)).size > 1
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by keyboard. */}
      <section class="scroll figures" aria-label="Medians by plan" tabIndex={0}>
        <table>
          <thead>
            <tr>
              <th scope="col">Median change</th>
              {plans.map((plan) => (
                <th key={keyOf(plan.payer, plan.plan)} scope="col">
                  <bdi>{plan.plan}</bdi>
                  {hasPayers && <bdi class="payer"> {plan.payer}</bdi>}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            <FigureRow title={distinct.length > 1 ? 'All codes' : nameCode(distinct[0])} cells={plans} />
            {shown.map((code) => (
              <FigureRow
                key={keyOfCode(code)}
                title={nameCode(code)}
                cells={plans.map(({ payer, plan }) => figures.get(keyOf(payer, plan, keyOfCode(code))))}
              />
            ))}
          </tbody>
        </table>
      </section>
      {distinct.length > maxCodes && (
        <p class="read">
          The first {formatNumber(maxCodes)} of {countOf(distinct.length, 'code')}.
        </p>
      )}
    </>
  )
}

const nameCode = (code: CodeFigures | undefined) =>
  code === undefined ? 'All codes' : [code.billing_code_type, code.billing_code, code.name].filter(Boolean).join(' ')

interface RowProps {
  readonly title: string
  readonly cells: readonly (CodeFigures | PlanFigures | undefined)[]
}

const FigureRow = ({ title, cells }: RowProps) => (
  <tr>
    <th scope="row">
      <bdi>{title}</bdi>
    </th>
    {cells.map((figures, index) => (
      <td key={index}>{figures === undefined ? '–' : <FigureCell figures={figures} />}</td>
    ))}
  </tr>
)

function FigureCell({ figures }: { readonly figures: Figures }) {
  const { changed, unchanged, added, removed, median_percent: median, median_percent_of_changed: ofChanged } = figures
  const isMinority = median === 0 && ofChanged !== null
  const common = [
    ...(changed + unchanged > 0 ? [`${formatNumber(changed)} of ${formatNumber(changed + unchanged)} changed`] : []),
    ...(isMinority ? [`by ${formatPercent(ofChanged)} in the median`] : []),
  ]
  const singles = [
    ...(added > 0 ? [`${formatNumber(added)} added`] : []),
    ...(removed > 0 ? [`${formatNumber(removed)} removed`] : []),
  ]
  return (
    <>
      <strong class="amount">{median === null ? '–' : formatPercent(median)}</strong>{' '}
      {[common, singles].map((counts, index) => (
        <span key={index} class="help">
          {counts.join(', ')}
        </span>
      ))}
    </>
  )
}
