import { type DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb'
import * as v from 'valibot'
import type { LoadRecord } from '../../../core/loads/load-record.ts'
import type { LoadRecords } from '../../../core/loads/ports.ts'
import { contentsKey } from '../../../schema/tables.ts'
import { conditionalWrites } from '../conditional-write.ts'
import { type Item, readItems } from '../dynamo-client.ts'
import { queryOwner } from './query-owner.ts'

const storedTime = v.pipe(
  v.string(),
  v.transform((text) => new Date(text)),
)

const stateSchema = v.picklist(['running', 'cancelling', 'completed', 'cancelled', 'failed'])

const recordSchema = v.object({
  load_id: v.string(),
  loaded_from: v.string(),
  load_state: stateSchema,
  started_at: storedTime,
  touched_at: storedTime,
  ended_at: v.optional(storedTime),
  undone_at: v.optional(storedTime),
  reason: v.optional(v.string()),
  changed: v.optional(v.array(v.string())),
  left_out: v.optional(v.array(v.string())),
  refused: v.optional(v.array(v.string())),
  counts: v.optional(
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

/** Stores the records of loads in the contents table. */
export function createDynamoLoadRecords(client: DynamoDBDocumentClient, table: string): LoadRecords {
  const { updateIf, updateAndReadIf } = conditionalWrites(client, table)
  return {
    begin: async ({ loadId, from, startedAt }) => {
      const [started_at, touched_at] = [startedAt.toISOString(), startedAt.toISOString()]
      const facts = { load_id: loadId, loaded_from: from, load_state: 'running', started_at, touched_at }
      await client.send(new PutCommand({ TableName: table, Item: { ...contentsKey.loadRecord(loadId), ...facts } }))
    },

    touch: async (loadId, at) => {
      const item = await updateAndReadIf(contentsKey.loadRecord(loadId), 'SET touched_at = :at', {
        condition: 'attribute_exists(load_id)',
        values: { ':at': at.toISOString() },
      })
      return item && v.parse(stateSchema, item['load_state'])
    },

    end: (loadId, { state, endedAt, leftOut, ...outcome }) => {
      const set = { load_state: state, ended_at: endedAt.toISOString(), left_out: leftOut, ...outcome }
      const given = Object.entries(set).filter(([, value]) => value !== undefined)
      return updateIf(contentsKey.loadRecord(loadId), `SET ${given.map(([name]) => `${name} = :${name}`).join(', ')}`, {
        condition: 'attribute_exists(load_id) AND attribute_not_exists(ended_at)',
        values: Object.fromEntries(given.map(([name, value]) => [`:${name}`, value])),
      })
    },

    cancel: (loadId) =>
      updateIf(contentsKey.loadRecord(loadId), 'SET load_state = :cancelling', {
        condition: 'load_state = :running',
        values: { ':cancelling': 'cancelling', ':running': 'running' },
      }),

    noteUndone: (loadId, at) =>
      updateIf(contentsKey.loadRecord(loadId), 'SET undone_at = :at', {
        condition: 'attribute_exists(load_id)',
        values: { ':at': at.toISOString() },
      }),

    resume: ({ loadId, state, touchedAt }, at) =>
      updateIf(
        contentsKey.loadRecord(loadId),
        'SET load_state = :running, touched_at = :at REMOVE ended_at, undone_at, reason, counts, changed, left_out, refused',
        {
          condition: 'load_state = :state AND touched_at = :touched',
          values: {
            ':running': 'running',
            ':at': at.toISOString(),
            ':state': state,
            ':touched': touchedAt.toISOString(),
          },
        },
      ),

    read: async (loadId) => (await readItems(client, table, [contentsKey.loadRecord(loadId)])).map(parseRecord)[0],

    list: async () => (await queryOwner(client, table, contentsKey.loadRecord('').owner)).map(parseRecord),
  }
}

function parseRecord(item: Item): LoadRecord {
  const {
    load_id,
    loaded_from,
    load_state,
    started_at,
    touched_at,
    ended_at,
    undone_at,
    reason,
    counts,
    changed,
    left_out,
    refused,
  } = v.parse(recordSchema, item)
  return {
    loadId: load_id,
    from: loaded_from,
    state: load_state,
    startedAt: started_at,
    touchedAt: touched_at,
    ...(ended_at !== undefined && { endedAt: ended_at }),
    ...(undone_at !== undefined && { undoneAt: undone_at }),
    ...(reason !== undefined && { reason }),
    ...(counts !== undefined && { counts }),
    ...(changed !== undefined && { changed }),
    ...(left_out !== undefined && { leftOut: left_out }),
    ...(refused !== undefined && { refused }),
  }
}
