import { compareTexts } from '../../client/results/compare-texts.ts'
import type { Plan } from '../../client/results/comparison/compare-results.ts'

/** Number of hues in `app.css`: more could not be told apart by every reader. */
export const hueCount = 7

/** The numbers of hues by the key of the plan; a plan beyond the last hue has none. */
export type PlanHues = ReadonlyMap<string, number>

const keyOf = ({ payer, plan }: Plan) => `${payer}\n${plan}`

/**
 * Gives each plan of a result a hue by its place in the order of payers and names. The order depends on nothing that a
 * reader chooses, so that a plan keeps its hue.
 *
 * @returns undefined for fewer than two plans, which need not be told apart
 */
export function assignHues(plans: readonly Plan[]): PlanHues | undefined {
  const keys = [...new Set(plans.map(keyOf))].sort(compareTexts)
  if (keys.length < 2) return undefined
  return new Map(keys.slice(0, hueCount).map((key, index) => [key, index + 1]))
}

/** Returns the class of `app.css` that gives an element the hue of a plan; empty if plans have no hues. */
export function classOfHue(hues: PlanHues | undefined, plan: Plan): string {
  if (hues === undefined) return ''
  return `hue-${hues.get(keyOf(plan)) ?? 'none'}`
}

/** Says that some of the plans have no hue of their own; empty if all have one, or need none. */
export function describeGrey(hues: PlanHues | undefined, plans: readonly Plan[]): string {
  const hasGrey = plans.some((plan) => classOfHue(hues, plan) === 'hue-none')
  return hasGrey ? `Only the first ${hueCount} plans by name have a colour; others are grey.` : ''
}
