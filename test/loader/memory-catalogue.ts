import type { CatalogueEntry } from '../../core/catalogue-entry.ts'
import { feeScheduleKey } from '../../core/fee-schedule.ts'
import type { CatalogueAdmin } from '../../core/ports.ts'

export interface MemoryCatalogue extends CatalogueAdmin {
  readonly entries: Map<string, CatalogueEntry>
}

/** A catalogue that lives as long as its test. `beforeReplace` runs just before each write, as another load would. */
export function createMemoryCatalogue(beforeReplace?: (catalogue: MemoryCatalogue) => void): MemoryCatalogue {
  const entries = new Map<string, CatalogueEntry>()
  const catalogue: MemoryCatalogue = {
    entries,
    async find(feeSchedules) {
      return feeSchedules.flatMap((feeSchedule) => entries.get(feeScheduleKey(feeSchedule)) ?? [])
    },
    async list() {
      return { items: [...entries.values()] }
    },
    async replace(entry, replacedVersion) {
      beforeReplace?.(catalogue)
      if (entries.get(feeScheduleKey(entry))?.version !== replacedVersion) return 'superseded'
      entries.set(feeScheduleKey(entry), entry)
      return 'written'
    },
    async remove(feeSchedule, version) {
      if (entries.get(feeScheduleKey(feeSchedule))?.version !== version) return 'superseded'
      entries.delete(feeScheduleKey(feeSchedule))
      return 'written'
    },
  }
  return catalogue
}
