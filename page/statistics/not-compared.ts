import type { ResultRow } from '../../client/results/result-row.ts'
import { nameSome } from '../../schema/phrases.ts'
import { listCompared } from './answer-codes.ts'
import type { ComparableCode } from './comparable-prices.ts'

/** Maximum number of plans that are named for one reason. */
const maxNamed = 3

export interface SearchedPlan {
  readonly payer: string
  readonly plan: string
}

interface Facts {
  /** The plans that were searched. */
  readonly plans: readonly SearchedPlan[]
  /** All rows of the result, and the rows that count. */
  readonly all: readonly ResultRow[]
  readonly counted: readonly ResultRow[]
  readonly codes: readonly ComparableCode[]
}

/**
 * Names the searched plans that no sentence about the result can mention, with the reason. A plan that is compared for
 * any code is not among them.
 */
export function describeNotCompared({ plans, all, counted, codes }: Facts): string | undefined {
  const compared = listCompared(codes)
  const [found, sure, shared] = [
    listPlanKeys(all),
    listPlanKeys(counted),
    listPlanKeys(compared.flatMap(({ groups }) => groups)),
  ]
  const explain = (key: string): string | undefined => {
    if (!found.has(key)) return 'no matching prices'
    if (!sure.has(key)) return 'doubtful prices only'
    return compared.length > 1 && !shared.has(key) ? 'prices on other terms only' : undefined
  }
  const reasons = Map.groupBy(plans, (plan) => explain(keyOf(plan)))
  reasons.delete(undefined)
  const phrases = [...reasons].map(
    ([reason, ofReason]) =>
      `${nameSome(
        ofReason.map(({ plan }) => plan),
        maxNamed,
      )}, ${reason}`,
  )
  return phrases.length === 0 ? undefined : `Not compared: ${phrases.join('; ')}`
}

const keyOf = ({ payer, plan }: Readonly<Record<string, unknown>> | SearchedPlan) => `${payer}\n${plan}`

const listPlanKeys = (rows: readonly (ResultRow | SearchedPlan)[]): ReadonlySet<string> => new Set(rows.map(keyOf))
