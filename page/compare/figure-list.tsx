import { PlanSwatch } from '../display/plan-swatch.tsx'
import { type ComparedPlan, describeCounts, type FigureRow, showMedian } from './figure-rows.ts'

interface Props {
  readonly plans: readonly ComparedPlan[]
  readonly rows: readonly FigureRow[]
}

/** A list of plans for each code: the counts of each plan, and the median of its changed prices. */
export const FigureList = ({ plans, rows }: Props) => (
  <section class="figures" aria-label="Medians by plan">
    <p class="read">At the right: the median of the prices that changed.</p>
    <div class="codes">
      {rows.map(({ title, cells }) => (
        <section key={title} aria-label={title}>
          <h3>
            <bdi>{title}</bdi>
          </h3>
          <ul>
            {plans.map(({ key, payer, named }, index) => {
              const figures = cells[index]
              return (
                figures && (
                  <li key={key}>
                    <span>
                      <PlanSwatch {...named} />
                      <bdi class="plan">{named.plan}</bdi> <bdi class="payer">{payer}</bdi>
                      <span class="help">{describeCounts(figures)}</span>
                    </span>
                    <strong class="amount">{showMedian(figures)}</strong>
                  </li>
                )
              )
            })}
          </ul>
        </section>
      ))}
    </div>
  </section>
)
