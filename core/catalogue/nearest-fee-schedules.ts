import type { CatalogueEntry } from './catalogue-entry.ts'
import type { FeeSchedule } from './fee-schedule.ts'
import { suggestNames } from './nearest-name.ts'
import type { Catalogue } from './ports.ts'
import { findActiveVariants, readSearchableNames } from './searchable-names.ts'

/** Maximum number of suggestions for a name that cannot be searched. */
const maxNearest = { names: 3, variants: 10 } as const

type ReadNames = (payer?: string) => Promise<readonly FeeSchedule[]>

/**
 * Suggests fee schedules for those that cannot be searched: the variants of an ambiguous name, the payer's plans with
 * the nearest names, or the same plan of payers with the nearest names.
 *
 * @param entries the catalogue's entries of the fee schedules
 */
export function openNearest(catalogue: Catalogue, entries: ReadonlyMap<string, CatalogueEntry>) {
  const readNames = readOnce((payer) => readSearchableNames(catalogue, payer))
  return async (missing: FeeSchedule, key: string): Promise<readonly FeeSchedule[]> => {
    const entry = entries.get(key)
    if (entry?.state.status === 'ambiguous') return findActiveVariants(catalogue, entry, maxNearest.variants)
    const plans = await readPlans(readNames, missing.payer)
    if (plans.length > 0) {
      return suggestNames(missing.plan, plans, maxNearest.names).map((plan) => ({ payer: missing.payer, plan }))
    }
    const payers = new Set((await readNames()).map(({ payer }) => payer))
    const found: FeeSchedule[] = []
    for (const payer of suggestNames(missing.payer, payers, maxNearest.names)) {
      const known = await readPlans(readNames, payer)
      const plan = known.includes(missing.plan) ? missing.plan : suggestNames(missing.plan, known, 1)[0]
      if (plan !== undefined) found.push({ payer, plan })
    }
    return found
  }
}

async function readPlans(readNames: ReadNames, payer: string): Promise<readonly string[]> {
  return (await readNames(payer)).map(({ plan }) => plan)
}

/** Reads each payer's names only once. */
function readOnce(read: ReadNames): ReadNames {
  const known = new Map<string | undefined, Promise<readonly FeeSchedule[]>>()
  return (payer) => {
    const names = known.get(payer) ?? read(payer)
    known.set(payer, names)
    return names
  }
}
