import { useMemo } from 'preact/hooks'
import { changeLinked } from '../address/view-link.ts'
import { formatRate } from '../display/formats.ts'
import { PlanSwatch } from '../display/plan-swatch.tsx'
import type { RateGroup } from '../statistics/rate-groups.ts'
import { findExtremes, type PaidParty } from './extremes.ts'
import { highlightParameter } from './highlight-field.tsx'

interface Props {
  /** The prices of plans on the same terms. */
  readonly groups: readonly RateGroup[]
  readonly unit: string
}

/** Names who is paid most and least; a click on a name highlights it in the plot. */
export function ExtremesView({ groups, unit }: Props) {
  const { most, least } = useMemo(() => findExtremes(groups), [groups])
  if (least.length === 0) return null
  const hasPlans = groups.length > 1
  return (
    <div class="extremes">
      <Parties label="Paid most" parties={most} unit={unit} hasPlans={hasPlans} />
      <Parties label="Paid least" parties={least} unit={unit} hasPlans={hasPlans} />
    </div>
  )
}

interface PartiesProps {
  readonly label: string
  readonly parties: readonly PaidParty[]
  readonly unit: string
  readonly hasPlans: boolean
}

function Parties({ label, parties, unit, hasPlans }: PartiesProps) {
  const id = label.replace(' ', '-').toLowerCase()
  return (
    <div>
      <p id={id}>{label}</p>
      <ol aria-labelledby={id}>
        {parties.map(({ name, amount, plan, payer }) => (
          <li key={name}>
            <span class="number">{formatRate(amount, unit)}</span>
            <span>
              <button
                type="button"
                class="quiet inline"
                title="Mark it in the plot"
                onClick={() => changeLinked({ [highlightParameter]: name })}
              >
                <bdi>{name}</bdi>
              </button>
              {hasPlans && ' '}
              {hasPlans && (
                <bdi class="payer">
                  <PlanSwatch payer={payer} plan={plan} />
                  {plan}
                </bdi>
              )}
            </span>
          </li>
        ))}
      </ol>
    </div>
  )
}
