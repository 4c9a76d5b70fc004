import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb'
import { type DynamoDBDocumentClient, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import * as v from 'valibot'
import type { LoadRecord, LoadRecords } from '../../../core/loads/load-record.ts'
import { contentsKey } from '../../../schema/tables.ts'
import { writeConditionally } from '../conditional-write.ts'
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
  return {
    begin: async ({ loadId, from, startedAt }) => {
      const [started_at, touched_at] = [startedAt.toISOString(), startedAt.toISOString()]
      const facts = { load_id: loadId, loaded_from: from, load_state: 'running', started_at, touched_at }
      await client.send(new PutCommand({ TableName: table, Item: { ...contentsKey.loadRecord(loadId), ...facts } }))
    },

    touch: async (loadId, at) => {
      try {
        const { Attributes } = await client.send(
          new UpdateCommand({
            TableName: table,
            Key: contentsKey.loadRecord(loadId),
            UpdateExpression: 'SET touched_at = :at',
            ConditionExpression: 'attribute_exists(load_id)',
            ExpressionAttributeValues: { ':at': at.toISOString() },
            ReturnValues: 'ALL_NEW',
          }),
        )
        return v.parse(stateSchema, Attributes?.['load_state'])
      } catch (error) {
        if (error instanceof ConditionalCheckFailedException) return undefined
        throw error
      }
    },

    end: (loadId, { state, endedAt, leftOut, ...outcome }) => {
      const set = { load_state: state, ended_at: endedAt.toISOString(), left_out: leftOut, ...outcome }
      const given = Object.entries(set).filter(([, value]) => value !== undefined)
      return writeConditionally(() =>
        client.send(
          new UpdateCommand({
            TableName: table,
            Key: contentsKey.loadRecord(loadId),
            UpdateExpression: `SET ${given.map(([name]) => `${name} = :${name}`).join(', ')}`,
            ConditionExpression: 'attribute_exists(load_id) AND attribute_not_exists(ended_at)',
            ExpressionAttributeValues: Object.fromEntries(given.map(([name, value]) => [`:${name}`, value])),
          }),
        ),
      )
    },

    cancel: (loadId) =>
      writeConditionally(() =>
        client.send(
          new UpdateCommand({
            TableName: table,
            Key: contentsKey.loadRecord(loadId),
            UpdateExpression: 'SET load_state = :cancelling',
            ConditionExpression: 'load_state = :running',
            ExpressionAttributeValues: { ':cancelling': 'cancelling', ':running': 'running' },
          }),
        ),
      ),

    noteUndone: (loadId, at) =>
      writeConditionally(() =>
        client.send(
          new UpdateCommand({
            TableName: table,
            Key: contentsKey.loadRecord(loadId),
            UpdateExpression: 'SET undone_at = :at',
            ConditionExpression: 'attribute_exists(load_id)',
            ExpressionAttributeValues: { ':at': at.toISOString() },
          }),
        ),
      ),

    resume: ({ loadId, state, touchedAt }, at) =>
      writeConditionally(() =>
        client.send(
          new UpdateCommand({
            TableName: table,
            Key: contentsKey.loadRecord(loadId),
            UpdateExpression:
              'SET load_state = :running, touched_at = :at REMOVE ended_at, undone_at, reason, counts, changed, left_out, refused',
            ConditionExpression: 'load_state = :state AND touched_at = :touched',
            ExpressionAttributeValues: {
              ':running': 'running',
              ':at': at.toISOString(),
              ':state': state,
              ':touched': touchedAt.toISOString(),
            },
          }),
        ),
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
