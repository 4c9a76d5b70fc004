import type { ActiveState } from '../../core/catalogue/catalogue-entry.ts'
import type { LoadRequest } from '../publish/load-request.ts'
import { planKey } from './plan-names.ts'
import type { ListedPlan } from './table-of-contents.ts'

export type Publishers = ReturnType<typeof findPublishers>

/**
 * Who publishes plans, by the host of their table of contents, or of its first file if the table is a local one: names in
 * files prove nothing. Nobody replaces or removes a plan of another publisher unless the operator asks for it.
 *
 * @param active what is active, by `feeScheduleKey`
 */
export function findPublishers({ toc, payer, replace }: LoadRequest, active: ReadonlyMap<string, ActiveState>) {
  /** Whether the operator names the payer, or wants to replace whatever there is. */
  const areAsked = payer !== undefined || replace === true
  /** Undefined if no host is known. */
  const of = ({ files: [first] }: Pick<ListedPlan, 'files'>) => hostOf(toc ?? '') ?? hostOf(first?.identity ?? '')
  return {
    areAsked,

    of,

    /** Finds why a plan may not be replaced. What has no publisher may be. */
    findFault: (plan: ListedPlan): string | undefined => {
      const [before, now] = [active.get(planKey(plan))?.publisher, of(plan)]
      if (areAsked || before === undefined || now === undefined || before === now) return undefined
      return `it was published by ${before}, and now is by ${now}: use --replace if the payer has moved, or give another name with --payer`
    },
  }
}

const hostOf = (address: string) => URL.parse(address)?.host || undefined
