import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import * as v from 'valibot'
import type { ForcedRefreshes } from '../../../core/own-relation/ports.ts'
import { forcedRefreshItem } from '../../../schema/tables.ts'
import { readItems } from '../dynamo-client.ts'
import { storedTime } from '../stored-fields.ts'
import { tableWrites } from '../table-writes.ts'

/** Version 0.2 stored only the time of the last refresh. */
const useSchema = v.object({ forced_at: storedTime, refilled_at: v.optional(storedTime) })

/** Stores the use of forced refreshes in the jobs table (`forcedRefreshItem` in schema/tables.ts). */
export function createDynamoForcedRefreshes(client: DynamoDBDocumentClient, table: string): ForcedRefreshes {
  const { setIf } = tableWrites(client, table)
  return {
    read: async () => {
      const [item] = await readItems(client, table, [forcedRefreshItem])
      if (item === undefined) return undefined
      const { forced_at: forcedAt, refilled_at: refilledAt = forcedAt } = v.parse(useSchema, item)
      return { forcedAt, refilledAt }
    },

    // If the SDK retries a write whose response was lost, the retry fails on the time that the first write stored. The
    // caller then waits a minute, and does not count a refresh that is as old as its own first look.
    write: (use, previous) =>
      setIf(forcedRefreshItem, {
        fields: use,
        ...(previous === undefined
          ? { condition: 'attribute_not_exists(forced_at)' }
          : { condition: 'forced_at = :previous', values: { previous: previous.forcedAt } }),
      }),
  }
}
