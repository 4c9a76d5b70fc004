import type { LoadRecord } from '../../core/loads/load-record.ts'
import type { LoadRecords } from '../../core/loads/ports.ts'

/** Records of loads in memory. */
export function createMemoryLoadRecords(): LoadRecords {
  const records = new Map<string, LoadRecord>()
  const pins = new Map<string, readonly string[]>()
  const unannounced = new Map<string, Date>()
  return {
    begin: async (begun) => {
      records.set(begun.loadId, { ...begun, state: 'running', touchedAt: begun.startedAt })
    },
    touch: async (loadId, touchedAt) => {
      const record = records.get(loadId)
      if (record !== undefined) records.set(loadId, { ...record, touchedAt })
      return record?.state
    },
    end: async (loadId, end) => {
      const record = records.get(loadId)
      if (record === undefined || record.endedAt !== undefined) return 'superseded'
      records.set(loadId, { ...record, ...end })
      pins.delete(loadId)
      return 'written'
    },
    noteSwitching: async (loadId, at) => void unannounced.set(loadId, at),
    listUnannounced: async () => [...unannounced].map(([loadId, switchingSince]) => ({ loadId, switchingSince })),
    noteAnnounced: async ({ loadId, switchingSince }) => {
      if (unannounced.get(loadId)?.getTime() !== switchingSince.getTime()) return 'superseded'
      unannounced.delete(loadId)
      return 'written'
    },
    cancel: async (loadId) => {
      const record = records.get(loadId)
      if (record?.state !== 'running') return 'superseded'
      records.set(loadId, { ...record, state: 'cancelling' })
      return 'written'
    },
    noteUndone: async (loadId, undoneAt) => {
      const record = records.get(loadId)
      if (record === undefined) return 'superseded'
      records.set(loadId, { ...record, undoneAt })
      return 'written'
    },
    resume: async ({ loadId, state, touchedAt }, at) => {
      const record = records.get(loadId)
      if (record?.state !== state || record.touchedAt.getTime() !== touchedAt.getTime()) return 'superseded'
      const { from, startedAt } = record
      records.set(loadId, { loadId, from, startedAt, state: 'running', touchedAt: at })
      return 'written'
    },
    read: async (loadId) => records.get(loadId),
    list: async () => [...records.values()],
    listOpen: async () =>
      [...records.values()].flatMap(({ loadId, touchedAt, endedAt }) =>
        endedAt === undefined ? [{ loadId, touchedAt, pinned: pins.get(loadId) ?? [] }] : [],
      ),
    pin: async (loadId, sourceIds) => void pins.set(loadId, [...(pins.get(loadId) ?? []), ...sourceIds]),
    unpin: async (loadId) => void pins.delete(loadId),
  }
}
