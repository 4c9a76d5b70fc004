import type { FeeSchedule } from '../core/fee-schedule.ts'
import { feeScheduleKey } from '../core/fee-schedule.ts'
import type { FileFinder } from './file-finder.ts'
import { LoadRefused } from './load-refused.ts'
import type { ServedPlan } from './stage-file.ts'
import type { ListedPlan } from './table-of-contents.ts'

/** Which files a load reads, and for which plans. */
export interface FilesToLoad {
  readonly files: readonly FileToLoad[]
  /** The fee schedules of which files are missing, by key. */
  readonly partial: ReadonlySet<string>
  /** The plans of which all files are missing: what counts for them stays. */
  readonly untouched: readonly FeeSchedule[]
}

export interface FileToLoad {
  readonly path: string
  /** The plans that it serves; absent where the file names its own. */
  readonly plans?: readonly ServedPlan[]
}

/** How many missing plans and files a message names. */
const mostNamed = 3

/**
 * Finds the files that the plans of a table of contents list.
 *
 * @param named the files that the operator named: each must be listed for some plan
 * @throws LoadRefused where files are missing and the load shall not be partial
 */
export function findListedFiles(
  toc: string,
  listed: readonly ListedPlan[],
  named: readonly string[],
  finder: FileFinder,
  allowsPartial: boolean,
): FilesToLoad {
  const plansOf = new Map<string, ServedPlan[]>()
  const missingOf: { readonly plan: FeeSchedule; readonly locations: readonly string[]; readonly isAll: boolean }[] = []
  // An answer is final only when all addresses have been asked for.
  for (const { locations } of listed) for (const location of locations) finder.find(location, toc)
  for (const { plans, locations } of listed) {
    const found = [...locations].map((location) => ({ location, file: finder.find(location, toc) }))
    const missing = found.filter(({ file }) => file.outcome === 'missing').map(({ location }) => location)
    const ambiguous = found.flatMap(({ file }) => (file.outcome === 'ambiguous' ? file.reason : []))
    if (ambiguous[0] !== undefined) throw new LoadRefused(toc, ambiguous[0])
    const [plan] = plans
    if (plan !== undefined && missing.length > 0) {
      missingOf.push({ plan, locations: missing, isAll: missing.length === locations.size })
    }
    for (const path of new Set(found.flatMap(({ file }) => (file.outcome === 'found' ? file.path : [])))) {
      plansOf.set(path, [...(plansOf.get(path) ?? []), ...plans])
    }
  }
  const unlisted = named.find((path) => !plansOf.has(path))
  if (unlisted !== undefined) throw new LoadRefused(unlisted, `is listed for no plan in ${toc}`)
  if (missingOf.length > 0 && !allowsPartial) throw new LoadRefused(toc, describeMissing(missingOf))
  if (plansOf.size === 0) throw new LoadRefused(toc, 'none of the files that it lists is there')
  return {
    files: [...plansOf].map(([path, plans]) => ({ path, plans })),
    partial: new Set(missingOf.map(({ plan }) => feeScheduleKey(plan))),
    untouched: missingOf.filter(({ isAll }) => isAll).map(({ plan: { payer, plan } }) => ({ payer, plan })),
  }
}

function describeMissing(missing: readonly { readonly plan: FeeSchedule; readonly locations: readonly string[] }[]) {
  const plans = missing.map(({ plan, locations }) => `${plan.payer} / ${plan.plan} (${nameSome(locations)})`)
  return `lists files that are not there, for ${nameSome(plans)}: put them beside it, map them with --files, or take --partial`
}

function nameSome(names: readonly string[]): string {
  const more = names.length > mostNamed ? ` and ${names.length - mostNamed} more` : ''
  return names.slice(0, mostNamed).join(', ') + more
}
