import type { CatalogueEntry } from '../../core/catalogue/catalogue-entry.ts'
import { type FeeSchedule, feeScheduleKey } from '../../core/catalogue/fee-schedule.ts'
import type { CatalogueAdmin, KeptDays } from '../../core/catalogue/ports.ts'
import type { Posting, Segment } from '../../core/catalogue/posting.ts'

export interface MemoryCatalogue extends CatalogueAdmin {
  readonly entries: Map<string, CatalogueEntry>
  /** Counts its calls, so that tests can limit the reads of an operation. */
  readonly asked: { lists: number }
  /** Called just before each write, to act as a concurrent load. */
  beforeReplace: ((entry: CatalogueEntry) => void | Promise<void>) | undefined
}

/** A catalogue in memory. */
export function createMemoryCatalogue(initial: readonly CatalogueEntry[] = []): MemoryCatalogue {
  const entries = new Map(initial.map((entry) => [feeScheduleKey(entry), entry]))
  const segments = new Map<string, { readonly segment: Segment; readonly postings: readonly Posting[] }>()
  const index = { isWhole: false }
  const kept: { days?: KeptDays } = {}
  const sorted = () => [...entries.values()].sort(compare)
  const catalogue: MemoryCatalogue = {
    entries,
    asked: { lists: 0 },
    beforeReplace: undefined,
    find: async (feeSchedules) => feeSchedules.flatMap((feeSchedule) => entries.get(feeScheduleKey(feeSchedule)) ?? []),
    list: async ({ payer, limit, after }) => {
      catalogue.asked.lists += 1
      const rest = sorted().filter(
        (entry) => (payer === undefined || entry.payer === payer) && (!after || compare(entry, after) > 0),
      )
      const items = rest.slice(0, limit)
      const last = items.at(-1)
      return { items, ...(rest.length > limit && last && { next: { payer: last.payer, plan: last.plan } }) }
    },
    listVariants: async ({ payer, plan }, limit, after) => {
      const named = entries.get(feeScheduleKey({ payer, plan }))
      const variants = sorted().filter(
        (entry) =>
          entry.payer === payer &&
          entry.variantOf === plan &&
          (after === undefined || compare(entry, { payer, plan: after }) > 0),
      )
      return [...(named ? [named] : []), ...variants.slice(0, limit)]
    },
    readKeptDays: async () => kept.days,
    writeKeptDays: async (days) => {
      kept.days = days
    },
    isIndexed: async () => index.isWhole,
    findPostings: async (start, { isKey = () => true, isKept = () => true, limit } = {}) =>
      [...segments.values()]
        .flatMap(({ postings }) => postings)
        .filter((posting) => posting.key.startsWith(start) && isKey(posting.key) && isKept(posting))
        .slice(0, limit),
    findPostingsOf: async (keys) =>
      [...segments.values()].flatMap(({ postings }) => postings).filter(({ key }) => keys.includes(key)),
    addPostings: async (segment, postings, whole) => {
      segments.set(segment.segmentId, { segment, postings })
      index.isWhole ||= whole !== undefined
    },
    listSegments: async () => [...segments.values()].map(({ segment }) => segment),
    removeSegment: async (segmentId) => void segments.delete(segmentId),
    replace: async (entry, replacedVersion) => {
      await catalogue.beforeReplace?.(entry)
      if (entries.get(feeScheduleKey(entry))?.version !== replacedVersion) return 'superseded'
      entries.set(feeScheduleKey(entry), entry)
      return 'written'
    },
    remove: async (feeSchedule, version) => {
      if (entries.get(feeScheduleKey(feeSchedule))?.version !== version) return 'superseded'
      entries.delete(feeScheduleKey(feeSchedule))
      return 'written'
    },
  }
  return catalogue
}

/** Orders texts like a table's sort keys: by their UTF-8 bytes. */
function compare(a: FeeSchedule, b: FeeSchedule): number {
  return (
    Buffer.compare(Buffer.from(a.payer), Buffer.from(b.payer)) ||
    Buffer.compare(Buffer.from(a.plan), Buffer.from(b.plan))
  )
}
