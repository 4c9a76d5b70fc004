import { chooseMedian, orderPlans } from '../../client/results/comparison/change-sentences.ts'
import type { CodeFigures, Comparison } from '../../client/results/comparison/compare-results.ts'
import { countOf, formatNumber } from '../../schema/phrases.ts'
import { PlanSwatch } from '../display/plan-swatch.tsx'
import { useNarrow } from '../display/use-narrow.ts'
import { FigureList } from './figure-list.tsx'
import { type ComparedPlan, type FigureRow, measures } from './figure-rows.ts'

/** The window's width that the figures of two plans beside each other need, in rem. */
const leastWidth = 56

/** Numbers of codes with a row of their own, and of plans whose figures fit beside each other. */
const [maxCodes, maxBeside] = [100, 2]

const keyOf = (...parts: readonly (string | null)[]) => JSON.stringify(parts)

const keyOfCode = ({ billing_code_type: type, billing_code: code }: CodeFigures) => keyOf(type, code)

/**
 * The number of changes of each plan, and their median, for all codes and for each: as a table, or as a list for each
 * code if the window is too narrow for it.
 */
export function FigureTable({ comparison }: { readonly comparison: Comparison }) {
  const isNarrow = useNarrow(leastWidth)
  const { plans, codes } = comparison
  const ordered = orderPlans(comparison)
  const figures = new Map(codes.map((each) => [keyOf(each.payer, each.plan, keyOfCode(each)), each]))
  const distinct = [...new Map(codes.map((each) => [keyOfCode(each), each])).values()]
  const hasPayers = new Set(plans.map(({ payer }) => payer)).size > 1
  const compared = ordered.map(
    ({ payer, plan }): ComparedPlan => ({
      key: keyOf(payer, plan),
      named: { payer, plan },
      payer: hasPayers ? payer : null,
    }),
  )
  const rowCodes = distinct.length > 1 ? distinct.slice(0, maxCodes) : []
  const rows: readonly FigureRow[] = [
    { title: distinct.length > 1 ? 'All codes' : nameCode(distinct[0]), cells: ordered },
    ...rowCodes.map((code) => ({
      title: nameCode(code),
      cells: ordered.map(({ payer, plan }) => figures.get(keyOf(payer, plan, keyOfCode(code)))),
    })),
  ]
  const View = isNarrow || plans.length > maxBeside ? FigureList : WideTable
  return (
    <>
      {chooseMedian(comparison) === 'median_percent_of_changed' && comparison.total.changed > 0 && (
        <p class="read">Over all prices, changed or not, the median change is 0 %.</p>
      )}
      <View plans={compared} rows={rows} />
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

interface Props {
  readonly plans: readonly ComparedPlan[]
  readonly rows: readonly FigureRow[]
}

const WideTable = ({ plans, rows }: Props) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by keyboard.
  <section class="scroll figures" aria-label="Medians by plan" tabIndex={0}>
    <table>
      <thead>
        <tr>
          <th scope="col" rowSpan={2}>
            Code
          </th>
          {plans.map(({ key, named, payer }) => (
            <th key={key} scope="colgroup" colSpan={measures.length} class="first">
              <PlanSwatch {...named} />
              <bdi>{named.plan}</bdi> <bdi class="payer">{payer}</bdi>
            </th>
          ))}
        </tr>
        <tr>
          {plans.map(({ key }) =>
            measures.map(({ name }, index) => (
              <th key={`${key} ${name}`} scope="col" class={index === 0 ? 'number first' : 'number'}>
                {name}
              </th>
            )),
          )}
        </tr>
      </thead>
      <tbody>
        {rows.map(({ title, cells }) => (
          <tr key={title}>
            <th scope="row">
              <bdi>{title}</bdi>
            </th>
            {cells.map((figures, plan) =>
              measures.map(({ name, isMain, show }, index) => (
                <td key={`${plan} ${name}`} class={index === 0 ? 'number first' : 'number'}>
                  {isMain ? <strong class="amount">{show(figures)}</strong> : show(figures)}
                </td>
              )),
            )}
          </tr>
        ))}
      </tbody>
    </table>
  </section>
)
