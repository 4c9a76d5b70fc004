import type { CatalogueEntry } from '../../core/catalogue/catalogue-entry.ts'
import { type FeeSchedule, feeScheduleKey } from '../../core/catalogue/fee-schedule.ts'
import { LoadRefused } from '../fetch/load-refused.ts'
import type { LoadRequest } from '../publish/load-request.ts'
import { defaultMaxShrink } from './load-guards.ts'
import { type NamedPlan, planKey } from './plan-names.ts'

/** The earlier table of contents that this one continues. */
export interface Succession {
  /** Distinguishes the plans of one table of contents from those of others, over all months. */
  readonly origin: string
  /** The variants that it no longer lists. */
  readonly vanished: readonly CatalogueEntry[]
}

interface SuccessionRequest extends Pick<LoadRequest, 'maxShrink' | 'replace' | 'keepMissing'> {
  readonly toc: string
  /** All plans that it names, loaded or not. */
  readonly listed: readonly NamedPlan[]
}

/**
 * Finds the table of contents that this one continues: the one with which it shares most plans. Names and addresses
 * change every month, and a payer may publish several.
 *
 * @param newOrigin creates an origin for a table of contents that continues none
 * @throws LoadRefused if too many of the plans have vanished
 */
export function findSuccession(
  request: SuccessionRequest,
  catalogue: readonly CatalogueEntry[],
  newOrigin: () => string,
): Succession {
  const listed = new Set(request.listed.map(planKey))
  const isListed = (entry: FeeSchedule) => listed.has(feeScheduleKey(entry))
  const [largest] = [...Map.groupBy(catalogue, originOf)]
    .flatMap(([origin, entries]) => (origin === undefined ? [] : [{ origin, entries, kept: entries.filter(isListed) }]))
    .toSorted((a, b) => b.kept.length - a.kept.length)
  if (largest === undefined || largest.kept.length === 0) return { origin: newOrigin(), vanished: [] }
  const { origin, entries, kept } = largest
  const vanished = entries.filter((entry) => !isListed(entry))
  if (request.replace || vanished.length <= entries.length * (request.maxShrink ?? defaultMaxShrink)) {
    return { origin, vanished: request.keepMissing ? [] : vanished }
  }
  if (request.keepMissing) return { origin: newOrigin(), vanished: [] }
  const counts = `lists ${kept.length} of the ${entries.length} plans that it listed before`
  const remedy = 'use --keep-missing if the others are in another table of contents, or --replace if they have ended'
  throw new LoadRefused(request.toc, `${counts}: ${remedy}`)
}

/** Only variants come from a table of contents; names are derived from them. */
function originOf({ state, variantOf }: CatalogueEntry): string | undefined {
  return variantOf !== undefined && state.status === 'active' ? state.origin : undefined
}
