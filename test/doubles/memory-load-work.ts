import type { FileOutcome, Lease, OpenFile, SharedTask, StoredListing } from '../../core/loads/load-work.ts'
import { fileKey, queueKey } from '../../core/loads/load-work.ts'
import type { LoadWork } from '../../core/loads/ports.ts'
import type { WriteOutcome } from '../../core/write-outcome.ts'
import type { LoadOrder } from '../../schema/load-order.ts'

interface StoredLoad {
  order?: LoadOrder
  listing?: { readonly listing: StoredListing; readonly packed: Uint8Array }
  readonly open: Map<string, OpenFile>
  readonly outcomes: Map<string, FileOutcome>
  readonly tasks: Map<SharedTask, Lease>
}

/** Keeps in memory the state that the workers of loads share. */
export function createMemoryLoadWork(): LoadWork {
  const loads = new Map<string, StoredLoad>()
  const of = (loadId: string) => {
    const load: StoredLoad = loads.get(loadId) ?? { open: new Map(), outcomes: new Map(), tasks: new Map() }
    loads.set(loadId, load)
    return load
  }
  const isFree = (lease: Lease | undefined, now: Date) => lease === undefined || lease.until < now
  const change = (loadId: string, key: string, next: (file: OpenFile) => OpenFile | undefined): WriteOutcome => {
    const file = of(loadId).open.get(key)
    const changed = file && next(file)
    if (changed === undefined) return 'superseded'
    of(loadId).open.set(key, changed)
    return 'written'
  }
  return {
    putOrder: async (loadId, order) => {
      of(loadId).order = order
    },
    readOrder: async (loadId) => of(loadId).order,
    putListing: async (loadId, listing, packed) => {
      of(loadId).listing = { listing: { ...listing, parts: 1 }, packed }
    },
    findListing: async (loadId) => of(loadId).listing?.listing,
    readListing: async (loadId) => of(loadId).listing?.packed ?? Buffer.alloc(0),
    open: async (loadId, file) => {
      const key = queueKey(file)
      if (!of(loadId).open.has(key)) of(loadId).open.set(key, { ...file, key, attempts: 0 })
    },
    async *listOpen(loadId) {
      yield* [...of(loadId).open.values()].sort((a, b) => (a.key < b.key ? -1 : 1))
    },
    readOpen: async (loadId, key) => of(loadId).open.get(key),
    lease: async (loadId, key, lease, now) => {
      const outcome = change(loadId, key, (file) =>
        isFree(file.lease, now) ? { ...file, lease, attempts: file.attempts + 1 } : undefined,
      )
      return outcome === 'written' ? of(loadId).open.get(key) : undefined
    },
    renew: async (loadId, key, lease) =>
      change(loadId, key, (file) => (file.lease?.worker === lease.worker ? { ...file, lease } : undefined)),
    giveBack: async (loadId, key, worker) =>
      change(loadId, key, ({ lease, ...file }) =>
        lease?.worker === worker ? { ...file, attempts: file.attempts - 1 } : undefined,
      ),
    forgetAttempts: async (loadId, key, now) =>
      change(loadId, key, (file) => (isFree(file.lease, now) ? { ...file, attempts: 0 } : undefined)),
    relocate: async (loadId, key, location, listedAt) =>
      change(loadId, key, (file) => ({ ...file, location, listedAt })),
    close: async (loadId, key, worker) => {
      if (of(loadId).open.get(key)?.lease?.worker !== worker) return 'superseded'
      of(loadId).open.delete(key)
      return 'written'
    },
    record: async (loadId, identity, outcome) => {
      if (of(loadId).outcomes.get(fileKey(identity))?.outcome === 'ready') return 'superseded'
      of(loadId).outcomes.set(fileKey(identity), outcome)
      return 'written'
    },
    readOutcomes: async (loadId) => new Map(of(loadId).outcomes),
    forget: async (loadId, identity, sourceId) => {
      const outcome = of(loadId).outcomes.get(fileKey(identity))
      if (outcome?.outcome !== 'ready' || outcome.sourceId !== sourceId) return 'superseded'
      of(loadId).outcomes.delete(fileKey(identity))
      return 'written'
    },
    takeTask: async (loadId, task, lease, now) => {
      const held = of(loadId).tasks.get(task)
      if (!isFree(held, now) && held?.worker !== lease.worker) return 'superseded'
      of(loadId).tasks.set(task, lease)
      return 'written'
    },
    dropTask: async (loadId, task, worker) => {
      if (of(loadId).tasks.get(task)?.worker !== worker) return 'superseded'
      of(loadId).tasks.delete(task)
      return 'written'
    },
    remove: async (loadId) => void loads.delete(loadId),
  }
}
