import { randomUUID } from 'node:crypto'
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { slotSeconds, type WaitSlots } from '../../core/calls/await-end.ts'
import { waitSlotItem } from '../../schema/tables.ts'
import { epochSeconds } from './stored-fields.ts'
import { tableWrites } from './table-writes.ts'

/** Slots that are tried before a call answers at once: two random ones are nearly always enough. */
const tries = 2

/** The condition of taking a slot. No clock is ahead of the others by more than `:furthest` allows. */
const isFree = 'attribute_not_exists(held_until) OR held_until < :now OR held_until > :furthest'

/**
 * Stores the slots of waiting calls in the jobs table, an item for each that was ever held. A slot is free once its
 * time is over, so that a killed call holds none for long, and if its time is too far away, because the clock of its
 * call was wrong. There are never more holders than slots, if clocks agree within the half minute that a call may hold
 * one.
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
        const values = { now: now.getTime(), furthest: until.getTime() + slotSeconds * 1000 }
        const change = { fields, condition: isFree, values }
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
