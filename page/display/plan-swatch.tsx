import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { Plan } from '../../client/results/comparison/compare-results.ts'
import { classOfHue, type PlanHues } from './plan-hues.ts'

/** The hues of the plans of the result that is shown; undefined if plans need not be told apart. */
export const HuesContext = createContext<PlanHues | undefined>(undefined)

/** Returns the class with the hue of a plan, for the element that holds what is drawn of it. */
export const useHueClass = (plan: Plan): string => classOfHue(useContext(HuesContext), plan)

/** A dot in the hue of a plan, to precede its name. The name stays what tells the plan. */
export function PlanSwatch({ payer, plan }: Plan) {
  const hue = useHueClass({ payer, plan })
  return hue === '' ? null : <span aria-hidden="true" class={`swatch ${hue}`} />
}
