import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import * as v from 'valibot'
import { chunk } from '../../../core/chunk.ts'
import type { LoadRecord } from '../../../core/loads/load-record.ts'
import type { LoadRecords } from '../../../core/loads/ports.ts'
import { at } from '../../../schema/at.ts'
import { contentsKey } from '../../../schema/tables.ts'
import { queryBelow, readItems } from '../dynamo-client.ts'
import { type Item, readFields, storedTime, writeFields } from '../stored-fields.ts'
import { tableWrites } from '../table-writes.ts'

const stateSchema = v.picklist(['running', 'cancelling', 'completed', 'cancelled', 'failed'])

const recordSchema = v.object({
  load_id: v.string(),
  loaded_from: v.string(),
  load_state: stateSchema,
  started_at: storedTime,
  touched_at: storedTime,
  ended_at: v.exactOptional(storedTime),
  undone_at: v.exactOptional(storedTime),
  reason: v.exactOptional(v.string()),
  changed: v.exactOptional(v.array(v.string())),
  left_out: v.exactOptional(v.array(v.string())),
  refused: v.exactOptional(v.array(v.string())),
  counts: v.exactOptional(
    v.object({
      files: v.number(),
      takenOver: v.number(),
      switched: v.number(),
      unchanged: v.number(),
      removed: v.number(),
      leftOut: v.number(),
    }),
  ),
})

/** Maximum number of pinned sources per item: 21 bytes each, of the 400 KB of an item. */
const pinsPerItem = 5_000

const pinsSchema = v.object({ load_id: v.string(), pinned: v.optional(v.array(v.string()), []) })

const unannouncedSchema = v.object({ load_id: v.string(), switching_since: storedTime })

/** Clears the fields that the end of a load sets, when the load resumes. */
const unended = {
  endedAt: undefined,
  undoneAt: undefined,
  reason: undefined,
  counts: undefined,
  changed: undefined,
  leftOut: undefined,
  refused: undefined,
}

/** Stores the records of loads in the contents table. */
export function createDynamoLoadRecords(client: DynamoDBDocumentClient, table: string): LoadRecords {
  const { put, setIf, updateAndReadIf, deleteIf, removeBelow } = tableWrites(client, table)
  const list = () => Array.fromAsync(queryBelow(client, table, contentsKey.loadRecord('')), parseRecord)
  const unpin = (loadId: string) => removeBelow(contentsKey.pinned(loadId, ''))
  return {
    begin: async ({ loadId, from, startedAt }) => {
      const facts = writeFields({ loadId, loadedFrom: from, loadState: 'running', startedAt, touchedAt: startedAt })
      await put({ ...contentsKey.loadRecord(loadId), ...facts })
    },

    touch: async (loadId, at) => {
      const item = await updateAndReadIf(contentsKey.loadRecord(loadId), {
        change: 'SET touched_at = :at',
        condition: 'attribute_exists(load_id)',
        values: { at },
      })
      return item && v.parse(stateSchema, item['load_state'])
    },

    end: async (loadId, { state, ...outcome }) => {
      const ended = { loadState: state, ...outcome }
      // Before the record, so that a load that has ended leaves no pins, whenever its process is killed.
      await unpin(loadId)
      const isOpen = 'attribute_exists(load_id) AND attribute_not_exists(ended_at)'
      return setIf(contentsKey.loadRecord(loadId), { fields: ended, condition: isOpen })
    },

    noteSwitching: async (loadId, switchingSince) => {
      await put({ ...contentsKey.unannouncedLoad(loadId), ...writeFields({ loadId, switchingSince }) })
    },

    listUnannounced: () =>
      Array.fromAsync(queryBelow(client, table, contentsKey.unannouncedLoad('')), (item) =>
        readFields(v.parse(unannouncedSchema, item)),
      ),

    noteAnnounced: ({ loadId, switchingSince }) =>
      deleteIf(contentsKey.unannouncedLoad(loadId), 'switching_since = :since', { since: switchingSince }),

    cancel: (loadId) =>
      setIf(contentsKey.loadRecord(loadId), {
        fields: { loadState: 'cancelling' },
        condition: 'load_state = :running',
        values: { running: 'running' },
      }),

    noteUndone: (loadId, at) =>
      setIf(contentsKey.loadRecord(loadId), { fields: { undoneAt: at }, condition: 'attribute_exists(load_id)' }),

    resume: ({ loadId, state, touchedAt }, at) => {
      return setIf(contentsKey.loadRecord(loadId), {
        fields: { ...unended, loadState: 'running', touchedAt: at },
        condition: 'load_state = :state AND touched_at = :touched',
        values: { state, touched: touchedAt },
      })
    },

    read: async (loadId) => (await readItems(client, table, [contentsKey.loadRecord(loadId)])).map(parseRecord)[0],

    list,

    listOpen: async () => {
      const pins = await Array.fromAsync(queryBelow(client, table, contentsKey.pinned('', '')), (item) =>
        readFields(v.parse(pinsSchema, item)),
      )
      const pinsOf = Map.groupBy(pins, ({ loadId }) => loadId)
      return (await list()).flatMap(({ loadId, touchedAt, endedAt }) => {
        const pinned = pinsOf.get(loadId)?.flatMap((each) => each.pinned) ?? []
        return endedAt === undefined ? [{ loadId, touchedAt, pinned }] : []
      })
    },

    pin: async (loadId, sourceIds) => {
      for (const pinned of chunk(sourceIds, pinsPerItem)) {
        await put({ ...contentsKey.pinned(loadId, at(pinned, 0)), load_id: loadId, pinned })
      }
    },

    unpin,
  }
}

function parseRecord(item: Item): LoadRecord {
  const { loadedFrom, loadState, ...record } = readFields(v.parse(recordSchema, item))
  return { ...record, from: loadedFrom, state: loadState }
}
