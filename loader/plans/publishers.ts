import type { CatalogueEntry } from '../../core/catalogue/catalogue-entry.ts'
import { feeScheduleKey } from '../../core/catalogue/fee-schedule.ts'
import type { LoadRequest } from '../publish/load-request.ts'
import { planKey } from './plan-names.ts'
import type { ListedPlan } from './table-of-contents.ts'

export type Publishers = ReturnType<typeof findPublishers>

/**
 * Who publishes plans, by the host of their table of contents, or of its first file if the table is a local one: names in
 * files prove nothing. Nobody replaces or removes a plan of another publisher unless the operator asks for it.
 */
export function findPublishers({ toc, payer, replace }: LoadRequest, catalogue: readonly CatalogueEntry[]) {
  const publisherOf = new Map<string, string>()
  for (const entry of catalogue)
    if (entry.state.status === 'active' && entry.state.publisher !== undefined)
      publisherOf.set(feeScheduleKey(entry), entry.state.publisher)
  /** Whether the operator names the payer, or wants to replace whatever there is. */
  const areAsked = payer !== undefined || replace === true
  /** Undefined if no host is known. */
  const of = ({ files: [first] }: Pick<ListedPlan, 'files'>) => hostOf(toc ?? '') ?? hostOf(first?.identity ?? '')
  return {
    areAsked,

    of,

    /** Finds why a plan may not be replaced. What has no publisher may be. */
    findFault: (plan: ListedPlan): string | undefined => {
      const [before, now] = [publisherOf.get(planKey(plan)), of(plan)]
      if (areAsked || before === undefined || now === undefined || before === now) return undefined
      return `it was published by ${before}, and now is by ${now}: use --replace if the payer has moved, or give another name with --payer`
    },
  }
}

const hostOf = (address: string) => URL.parse(address)?.host || undefined
