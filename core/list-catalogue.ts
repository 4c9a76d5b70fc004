import type { CatalogueEntry } from './catalogue-entry.ts'
import type { FeeSchedule } from './fee-schedule.ts'
import type { Catalogue } from './ports.ts'

/** All entries of a catalogue. */
export async function listAll(catalogue: Catalogue): Promise<readonly CatalogueEntry[]> {
  const entries: CatalogueEntry[] = []
  let after: FeeSchedule | undefined
  do {
    const page = await catalogue.list({ limit: 1000, ...(after && { after }) })
    entries.push(...page.items)
    after = page.next
  } while (after !== undefined)
  return entries
}
