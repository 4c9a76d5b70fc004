import { randomUUID } from 'node:crypto'
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import type { WaitSlots } from '../../core/calls/await-end.ts'
import { waitSlotItem } from '../../schema/tables.ts'
import { epochSeconds } from './stored-fields.ts'
import { tableWrites } from './table-writes.ts'

/** Slots that are tried before a call answers at once: two random ones are nearly always enough. */
const tries = 2

/**
 * Stores the slots of waiting calls in the jobs table, an item for each that was ever held. A slot is free once its
 * time is over, so that a killed call holds none for long. There are never more holders than slots.
 *
 * @param slots number of slots of the stage; with 0, nothing is read or written
 */
export function createDynamoWaitSlots(
  client: DynamoDBDocumentClient,
  table: string,
  slots: number,
  random: () => number = Math.random,
): WaitSlots {
  const writes = tableWrites(client, table)
  return {
    take: async (now, until) => {
      const first = Math.floor(random() * slots)
      for (let attempt = 0; attempt < Math.min(tries, slots); attempt++) {
        const slot = (first + attempt) % slots
        const holder = randomUUID()
        const fields = { holder, heldUntil: until.getTime(), expiresAt: epochSeconds(until) }
        const condition = 'attribute_not_exists(held_until) OR held_until < :now'
        const change = { fields, condition, values: { now: now.getTime() } }
        if ((await writes.setIf(waitSlotItem(slot), change)) === 'written') return `${slot} ${holder}`
      }
      return undefined
    },

    free: async (name) => {
      const [slot, holder] = name.split(' ')
      await writes.setIf(waitSlotItem(Number(slot)), {
        fields: { heldUntil: 0 },
        condition: 'holder = :holder',
        values: { holder },
      })
    },
  }
}
