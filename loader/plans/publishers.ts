import type { ActiveState, CatalogueEntry } from '../../core/catalogue/catalogue-entry.ts'
import { type FeeSchedule, feeScheduleKey } from '../../core/catalogue/fee-schedule.ts'
import { LoadRefused } from '../../fetch/load-refused.ts'
import type { LoadRequest } from '../publish/load-request.ts'
import { defaultMaxShrink } from './load-guards.ts'
import { planKey } from './plan-names.ts'
import type { ListedPlan, TableOfContents } from './table-of-contents.ts'

type Publishers = ReturnType<typeof findPublishers>

/**
 * Finds the publishers of plans. Names in files prove nothing, so a publisher is the host of a table of contents, or
 * of the first listed file if the table is a local file. A plan of another publisher is neither replaced nor removed
 * unless the operator asks for it.
 *
 * @param active active states, by `feeScheduleKey`
 */
export function findPublishers({ toc, payer, replace }: LoadRequest, active: ReadonlyMap<string, ActiveState>) {
  /** True if the operator names the payer, or asks to replace plans. */
  const areAsked = payer !== undefined || replace === true
  /** Undefined if no host is known. */
  const of = ({ files: [first] }: Pick<ListedPlan, 'files'>) => hostOf(toc ?? '') ?? hostOf(first?.identity ?? '')
  return {
    areAsked,

    of,

    /**
     * Finds the reason why a plan may not be replaced. One without a publisher may be, but not by a table of contents
     * whose publisher nobody can tell.
     */
    findFault: (plan: ListedPlan): string | undefined => {
      const [before, now] = [active.get(planKey(plan))?.publisher, of(plan)]
      if (areAsked || before === undefined || before === now) return undefined
      const publisher = now === undefined ? 'nobody knows by whom' : `is by ${now}`
      return `it was published by ${before}, and now ${publisher}: use --replace if the payer has moved, or give another name with --payer`
    },
  }
}

const hostOf = (address: string) => URL.parse(address)?.host || undefined

/** The earlier table of contents that this one continues. */
export interface Succession {
  /** Identifies the table of contents over all months, so that its plans are told from other plans. */
  readonly origin: string
  /** The variants that it no longer lists. */
  readonly vanished: readonly CatalogueEntry[]
}

/**
 * Finds the table of contents that this one continues: the one with which it shares most plans. Names and addresses
 * change every month, and a payer may publish several.
 *
 * @param newOrigin creates an origin for a table of contents that continues none
 * @throws LoadRefused if too many of the plans have vanished
 */
export function findSuccession(
  { plans, quarantined }: Pick<TableOfContents, 'plans' | 'quarantined'>,
  { toc = '', replace, keepMissing, maxShrink = defaultMaxShrink }: LoadRequest,
  { catalogue, publishers }: { readonly catalogue: readonly CatalogueEntry[]; readonly publishers: Publishers },
  newOrigin: () => string,
): Succession {
  const listedKeys = new Set([...plans, ...quarantined.flatMap(({ plan }) => plan ?? [])].map(planKey))
  const isListed = (entry: FeeSchedule) => listedKeys.has(feeScheduleKey(entry))
  // Only entries of the publishers of a table of contents may end with it.
  const hosts = new Set(plans.map((plan) => publishers.of(plan)))
  const mayEnd = ({ state }: CatalogueEntry) =>
    publishers.areAsked || state.status !== 'active' || state.publisher === undefined || hosts.has(state.publisher)
  const [largest] = [...Map.groupBy(catalogue.filter(mayEnd), originOf)]
    .flatMap(([origin, entries]) =>
      origin === undefined ? [] : [{ origin, entries, stillListed: entries.filter(isListed) }],
    )
    .toSorted((a, b) => b.stillListed.length - a.stillListed.length)
  if (largest === undefined || largest.stillListed.length === 0) return { origin: newOrigin(), vanished: [] }
  const { origin, entries, stillListed } = largest
  const vanished = entries.filter((entry) => !isListed(entry))
  if (replace || vanished.length <= entries.length * maxShrink) {
    // Without a complete list of plans, none are removed.
    const isComplete = quarantined.every(({ plan }) => plan !== undefined)
    return { origin, vanished: isComplete && !keepMissing ? vanished : [] }
  }
  if (keepMissing) return { origin: newOrigin(), vanished: [] }
  const counts = `lists ${stillListed.length} of the ${entries.length} plans that it listed before`
  const remedy = 'use --keep-missing if the others are in another table of contents, or --replace if they have ended'
  throw new LoadRefused(toc, `${counts}: ${remedy}`)
}

/** Only variants come from a table of contents; names are derived from them. */
function originOf({ state, variantOf }: CatalogueEntry): string | undefined {
  return variantOf !== undefined && state.status === 'active' ? state.origin : undefined
}
