import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import * as v from 'valibot'
import type { ContentsAdmin } from '../../../core/catalogue/ports.ts'
import { chunk } from '../../../core/chunk.ts'
import { contentsKey } from '../../../schema/tables.ts'
import { queryBelow } from '../dynamo-client.ts'
import { readFields, storedTime, writeFields } from '../stored-fields.ts'
import { tableWrites } from '../table-writes.ts'

/** Maximum number of pinned sources per item: 21 bytes each, of the 400 KB of an item. */
const pinsPerItem = 5_000

const openLoadItem = v.object({
  load_id: v.string(),
  touched_at: v.exactOptional(storedTime),
  pinned: v.optional(v.array(v.string()), []),
})

type OpenLoads = Pick<ContentsAdmin, 'openLoad' | 'pinSources' | 'touchLoad' | 'closeLoad' | 'listOpenLoads'>

/** Stores the loads that have not ended, in the contents table. */
export function createDynamoOpenLoads(client: DynamoDBDocumentClient, table: string): OpenLoads {
  const { put, remove, setIf } = tableWrites(client, table)
  const query = (loadId: string) => Array.fromAsync(queryBelow(client, table, contentsKey.openLoad(loadId)))
  const openLoad = async (loadId: string, at: Date) => {
    await put({ ...contentsKey.openLoad(loadId), ...writeFields({ loadId, touchedAt: at }) })
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
      await setIf(contentsKey.openLoad(loadId), { touchedAt: at }, 'attribute_exists(load_id)')
    },

    closeLoad: async (loadId) => {
      for (const { owner, item } of await query(loadId)) await remove({ owner, item })
    },

    listOpenLoads: async () => {
      const items = (await query('')).map((item) => readFields(v.parse(openLoadItem, item)))
      return [...Map.groupBy(items, ({ loadId }) => loadId)].map(([loadId, ofLoad]) => ({
        loadId,
        touchedAt: ofLoad.find(({ touchedAt }) => touchedAt !== undefined)?.touchedAt ?? new Date(0),
        pinned: ofLoad.flatMap(({ pinned }) => pinned),
      }))
    },
  }
}
