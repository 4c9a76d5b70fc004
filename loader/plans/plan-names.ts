import { findNameFault, normaliseName } from '../../contract/texts/names.ts'
import type { CatalogueEntry } from '../../core/catalogue/catalogue-entry.ts'
import { type FeeSchedule, feeScheduleKey } from '../../core/catalogue/fee-schedule.ts'
import { findPlanIdFault, findPublishedNameFault, nameVariant, type PlanId } from '../../core/catalogue/plan-id.ts'
import { LoadRefused } from '../../fetch/load-refused.ts'
import type { GivenNames } from '../publish/load-request.ts'

/** A plan with one of its ids; `planId` is undefined if it was published without one. */
export interface NamedPlan extends FeeSchedule {
  readonly planId: PlanId | undefined
}

/** A key for a plan with one of its ids. */
export const planKey = (plan: NamedPlan): string => feeScheduleKey(variantOf(plan))

/** The fee schedule under which searches find a plan with one of its ids. */
export const variantOf = ({ payer, plan, planId }: NamedPlan): FeeSchedule => ({
  payer,
  plan: nameVariant(plan, planId),
})

/** Formats a plan for messages. */
export const showPlan = ({ payer, plan, planId }: NamedPlan): string =>
  `${payer} / ${planId === undefined ? plan : nameVariant(plan, planId)}`

/** Drops the locations of a listed plan's files, which may be signed. */
export const nameOnly = ({ payer, plan, planId }: NamedPlan): NamedPlan => ({ payer, plan, planId })

/** A plan of a load that is not loaded. */
export interface LeftOutPlan {
  /** For messages: a plan, or a file whose plan is unknown. */
  readonly name: string
  readonly reason: string
  readonly plan?: NamedPlan
}

/** Plans of a load that are still to be loaded, and plans that are left out. */
export interface SiftedPlans<Plan extends NamedPlan> {
  readonly plans: readonly Plan[]
  readonly leftOut: readonly LeftOutPlan[]
}

/** Leaves out the plans for which a reason is found, after those that are left out already. */
export function siftPlans<Plan extends NamedPlan>(
  plans: readonly Plan[],
  findReason: (plan: Plan) => string | undefined,
  before: readonly LeftOutPlan[],
): SiftedPlans<Plan> {
  const leftOut = [...before]
  const isKept = (plan: Plan) => {
    const reason = findReason(plan)
    if (reason !== undefined) leftOut.push(leaveOut(plan, reason))
    return reason === undefined
  }
  return { plans: plans.filter(isKept), leftOut }
}

export const leaveOut = (plan: NamedPlan, reason: string): LeftOutPlan => {
  return { name: showPlan(plan), reason, plan: nameOnly(plan) }
}

/** Finds the fault in the published names and id of a plan. */
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
 * Normalises a name that the operator gives, as searches do.
 *
 * @throws LoadRefused naming the option
 */
export function readGivenName(name: string, option: '--payer' | '--plan'): string {
  const fault = findNameFault(name)
  if (fault !== undefined) throw new LoadRefused(option, `the name ${fault}`)
  return normaliseName(name)
}

/**
 * Chooses between names that differ only by case, because two spellings of a payer would split its fee schedules, and a
 * search for one would miss the other.
 */
export class Spellings {
  /** By name: the number of uses of each of its spellings. */
  readonly #counts = new Map<string, Map<string, number>>()
  /** By name: its two most used spellings. A file may have any number of spellings. */
  readonly #most = new Map<string, readonly (readonly [spelling: string, count: number])[]>()

  /** @param catalogue has precedence: its spellings count as if they had endless uses */
  constructor(catalogue: readonly CatalogueEntry[]) {
    for (const { payer, plan, variantOf: published = plan, state } of catalogue)
      if (state.status !== 'removed') this.add({ payer, plan: published }, Number.POSITIVE_INFINITY)
  }

  /** Counts the spelling of a name. @param weight number of its uses */
  add({ payer, plan }: FeeSchedule, weight = 1): void {
    this.#count(keyOf(payer.toLowerCase()), payer, weight)
    this.#count(keyOf(payer, plan.toLowerCase()), plan, weight)
  }

  /**
   * Reports if another spelling of a name is in the catalogue, or is used at least as often as this one.
   *
   * @param given names that the operator gave are accepted as they are
   */
  findFault({ payer, plan }: FeeSchedule, given: GivenNames): string | undefined {
    const otherPayer = given.payer === undefined ? this.#findOther(keyOf(payer.toLowerCase()), payer) : undefined
    if (otherPayer !== undefined) return `its payer is also spelled "${otherPayer}": choose one with --payer`
    const otherPlan = given.plan === undefined ? this.#findOther(keyOf(payer, plan.toLowerCase()), plan) : undefined
    return otherPlan === undefined ? undefined : `it is also spelled "${otherPlan}": choose one with --plan`
  }

  #count(name: string, spelling: string, weight: number): void {
    const counts = this.#counts.get(name) ?? new Map<string, number>()
    this.#counts.set(name, counts.set(spelling, (counts.get(spelling) ?? 0) + weight))
    this.#most.delete(name)
  }

  /** Returns another spelling that has precedence over this one. */
  #findOther(name: string, spelling: string): string | undefined {
    const counts = this.#counts.get(name) ?? new Map<string, number>()
    const uses = counts.get(spelling) ?? 0
    if (uses === Number.POSITIVE_INFINITY) return undefined
    const most = this.#most.get(name) ?? [...counts].toSorted(([, a], [, b]) => b - a).slice(0, 2)
    this.#most.set(name, most)
    return most.find(([other, count]) => other !== spelling && count >= uses)?.[0]
  }
}

const keyOf = (...names: readonly string[]) => JSON.stringify(names)
