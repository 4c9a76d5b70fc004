import { DeleteCommand, type DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb'
import * as v from 'valibot'
import type { ContentsAdmin } from '../../../core/catalogue/ports.ts'
import { chunk } from '../../../core/chunk.ts'
import { contentsKey } from '../../../schema/tables.ts'
import { conditionalWrites } from '../conditional-write.ts'
import type { Item } from '../dynamo-client.ts'
import { queryOwner } from './query-owner.ts'

/** Maximum number of pinned sources per item: 21 bytes each, of the 400 KB of an item. */
const pinsPerItem = 5_000

const openLoadItem = v.object({
  load_id: v.string(),
  touched_at: v.optional(v.string()),
  pinned: v.optional(v.array(v.string()), []),
})

type OpenLoads = Pick<ContentsAdmin, 'openLoad' | 'pinSources' | 'touchLoad' | 'closeLoad' | 'listOpenLoads'>

/** Stores the loads that have not ended, in the contents table. */
export function createDynamoOpenLoads(client: DynamoDBDocumentClient, table: string): OpenLoads {
  const { updateIf } = conditionalWrites(client, table)
  const put = (item: Item) => client.send(new PutCommand({ TableName: table, Item: item }))
  const query = (prefix?: string) => queryOwner(client, table, contentsKey.openLoad('').owner, prefix)
  const openLoad = async (loadId: string, at: Date) => {
    await put({ ...contentsKey.openLoad(loadId), load_id: loadId, touched_at: at.toISOString() })
  }

  return {
    openLoad,

    pinSources: async (loadId, sourceIds, at) => {
      for (const pinned of chunk(sourceIds, pinsPerItem)) {
        await put({ ...contentsKey.pinned(loadId, pinned[0] ?? ''), load_id: loadId, pinned })
      }
      await openLoad(loadId, at)
    },

    touchLoad: async (loadId, at) => {
      await updateIf(contentsKey.openLoad(loadId), 'SET touched_at = :at', {
        condition: 'attribute_exists(load_id)',
        values: { ':at': at.toISOString() },
      })
    },

    closeLoad: async (loadId) => {
      for (const { owner, item } of await query(loadId)) {
        await client.send(new DeleteCommand({ TableName: table, Key: { owner, item } }))
      }
    },

    listOpenLoads: async () => {
      const items = (await query()).map((item) => v.parse(openLoadItem, item))
      return [...Map.groupBy(items, ({ load_id }) => load_id)].map(([loadId, ofLoad]) => ({
        loadId,
        touchedAt: new Date(ofLoad.find(({ touched_at }) => touched_at !== undefined)?.touched_at ?? 0),
        pinned: ofLoad.flatMap(({ pinned }) => pinned),
      }))
    },
  }
}
