import { PlanSwatch } from '../display/plan-swatch.tsx'
import type { Highlight } from '../highlights/highlight.ts'
import type { MatrixCode, MatrixPlan, MatrixRow } from '../statistics/matrix.ts'
import { CellView, CodeHead, PlanFacts, RowBasis } from './matrix-cell.tsx'

interface Props {
  readonly plans: readonly MatrixPlan[]
  readonly reference: MatrixPlan | undefined
  readonly highlight: Highlight | undefined
  readonly codes: readonly MatrixCode[]
}

/** A row for each code and a column for each plan. */
export const MatrixTable = ({ plans, reference, highlight, codes }: Props) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by keyboard.
  <section class="scroll" aria-label="Medians as a table" tabIndex={0}>
    <table>
      <thead>
        <tr>
          <th scope="col">Code</th>
          {plans.map((plan) => (
            <th key={plan.key} scope="col" class="number">
              <PlanSwatch payer={plan.payer} plan={plan.plan} />
              <bdi class="plan">{plan.plan}</bdi>
              <br />
              <PlanFacts plan={plan} isReference={plan === reference} />
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {codes.flatMap((code) => [
          <tr key={code.key}>
            <th scope="row">
              <CodeHead code={code} />
            </th>
            <Cells code={code.code} row={code.shared} plans={plans} highlight={highlight} />
          </tr>,
          ...code.others.map((row, index) => (
            <tr key={`${code.key} ${index}`} class="other">
              <th scope="row">
                <RowBasis rows={row.basis} />
              </th>
              <Cells code={code.code} row={row} plans={plans} highlight={highlight} />
            </tr>
          )),
        ])}
      </tbody>
    </table>
  </section>
)

interface CellsProps {
  readonly code: string
  readonly row: MatrixRow
  readonly plans: readonly MatrixPlan[]
  readonly highlight: Highlight | undefined
}

function Cells({ code, row, plans, highlight }: CellsProps) {
  return (
    <>
      {plans.map(({ key }) => (
        <td key={key} class="number">
          <CellView code={code} cell={row.cells.get(key)} highlight={highlight} />
        </td>
      ))}
    </>
  )
}
