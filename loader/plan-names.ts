import type { FeeSchedule } from '../core/catalogue/fee-schedule.ts'
import { feeScheduleKey, findNameFault, normaliseName } from '../core/catalogue/fee-schedule.ts'
import type { PlanId } from '../core/catalogue/plan-id.ts'
import { findPlanIdFault, findPublishedNameFault, nameVariant } from '../core/catalogue/plan-id.ts'
import { LoadRefused } from './load-refused.ts'

/** The names that the operator gives in place of those in the files. */
export interface GivenNames {
  readonly payer?: string | undefined
  readonly plan?: string | undefined
}

/** A plan under one of the ids that it is sold under; `planId` is undefined if it was published without. */
export interface NamedPlan extends FeeSchedule {
  readonly planId: PlanId | undefined
}

/** One word for a plan under one of its ids. */
export const planKey = (plan: NamedPlan): string => feeScheduleKey(variantOf(plan))

/** The fee schedule by which a search asks for a plan under one of its ids. */
export const variantOf = ({ payer, plan, planId }: NamedPlan): FeeSchedule => ({
  payer,
  plan: nameVariant(plan, planId),
})

/** As messages name it. */
export const showPlan = ({ payer, plan, planId }: NamedPlan): string =>
  `${payer} / ${planId === undefined ? plan : nameVariant(plan, planId)}`

/** Says what is wrong with the names and the id of a plan, as they were published. */
export function findPlanFault({ payer, plan, planId }: NamedPlan): string | undefined {
  const payerFault = findNameFault(payer)
  if (payerFault !== undefined) return `the name of its payer ${payerFault}`
  const planFault = findNameFault(plan) ?? findPublishedNameFault(normaliseName(plan))
  if (planFault !== undefined) return `the name of its plan ${planFault}`
  const idFault = planId === undefined ? undefined : findPlanIdFault(planId)
  if (idFault !== undefined) return `its plan_id ${idFault}`
  const variantFault = findNameFault(nameVariant(normaliseName(plan), planId))
  return variantFault === undefined ? undefined : `the name of its plan together with its plan_id ${variantFault}`
}

/**
 * Brings a name that the operator gives into the form that searches use.
 *
 * @throws LoadRefused naming the option
 */
export function readGivenName(name: string, option: '--payer' | '--plan'): string {
  const fault = findNameFault(name)
  if (fault !== undefined) throw new LoadRefused(option, `the name ${fault}`)
  return normaliseName(name)
}

/**
 * Chooses between names that differ by case only: two spellings of one payer would split its fee schedules, and a search
 * for one would miss the other.
 */
export class Spellings {
  readonly #payers = new SpellingCounts()
  readonly #plans = new SpellingCounts()

  /** Takes a name that is in the catalogue: it was accepted before. */
  addKnown(plan: FeeSchedule): void {
    this.#add(plan, Number.POSITIVE_INFINITY)
  }

  /** Takes a name that is to be loaded. */
  add(plan: FeeSchedule): void {
    this.#add(plan, 1)
  }

  /**
   * Says that another spelling of a name is known, or is used at least as often as this one.
   *
   * @param given names that the operator gave are meant as they are
   */
  findFault({ payer, plan }: FeeSchedule, given: GivenNames): string | undefined {
    const otherPayer = given.payer === undefined ? this.#payers.findOther(payer.toLowerCase(), payer) : undefined
    if (otherPayer !== undefined) return `its payer is also spelled "${otherPayer}": choose one with --payer`
    const otherPlan = given.plan === undefined ? this.#plans.findOther(keyOf(payer, plan), plan) : undefined
    return otherPlan === undefined ? undefined : `it is also spelled "${otherPlan}": choose one with --plan`
  }

  #add({ payer, plan }: FeeSchedule, weight: number): void {
    this.#payers.add(payer.toLowerCase(), payer, weight)
    this.#plans.add(keyOf(payer, plan), plan, weight)
  }
}

const keyOf = (payer: string, plan: string) => feeScheduleKey({ payer, plan: plan.toLowerCase() })

/** How often each spelling of a name is used. */
class SpellingCounts {
  readonly #counts = new Map<string, Map<string, number>>()

  add(name: string, spelling: string, weight: number): void {
    const counts = this.#counts.get(name) ?? new Map<string, number>()
    this.#counts.set(name, counts.set(spelling, (counts.get(spelling) ?? 0) + weight))
  }

  /** Another spelling that keeps this one from being chosen. */
  findOther(name: string, spelling: string): string | undefined {
    const counts = this.#counts.get(name) ?? new Map<string, number>()
    const own = counts.get(spelling) ?? 0
    if (own === Number.POSITIVE_INFINITY) return undefined
    return [...counts].find(([other, count]) => other !== spelling && count >= own)?.[0]
  }
}
