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

/** A list of plans for each code. */
export function MatrixList({ plans, reference, highlight, codes }: Props) {
  const showPlans = (code: string, row: MatrixRow) => (
    <ul>
      {plans
        .filter(({ key }) => row.cells.has(key))
        .map((plan) => (
          <li key={plan.key}>
            <span>
              <PlanSwatch payer={plan.payer} plan={plan.plan} />
              <bdi class="plan">{plan.plan}</bdi> <PlanFacts plan={plan} isReference={plan === reference} />
            </span>
            <CellView code={code} cell={row.cells.get(plan.key)} highlight={highlight} />
          </li>
        ))}
    </ul>
  )
  return (
    <div class="codes">
      {codes.map((code) => (
        <section key={code.key} aria-label={code.key}>
          <CodeHead code={code} />
          {showPlans(code.code, code.shared)}
          {code.others.map((row, index) => (
            <div key={index} class="other">
              <RowBasis rows={row.basis} />
              {showPlans(code.code, row)}
            </div>
          ))}
        </section>
      ))}
    </div>
  )
}
