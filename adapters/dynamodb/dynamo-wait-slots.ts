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
 * one. A call takes a slot of its organization, which has half as many, and then one of the stage.
 *
 * @param slots number of slots of the stage; with 0, nothing is read or written
 */
export function createDynamoWaitSlots(
  client: DynamoDBDocumentClient,
  table: string,
  slots: number,
  random: () => number = Math.random,
): WaitSlots {
  const { setIf } = tableWrites(client, table)

  async function takeOne(owner: string, count: number, now: Date, until: Date): Promise<string | undefined> {
    const first = Math.floor(random() * count)
    for (let attempt = 0; attempt < Math.min(tries, count); attempt++) {
      const slot = `${owner}${(first + attempt) % count}`
      const holder = randomUUID()
      const fields = { holder, heldUntil: until.getTime(), expiresAt: epochSeconds(until) }
      const values = { now: now.getTime(), furthest: until.getTime() + slotSeconds * 1000 }
      if ((await setIf(waitSlotItem(slot), { fields, condition: isFree, values })) === 'written')
        return `${slot} ${holder}`
    }
    return undefined
  }

  async function freeOne(name: string): Promise<void> {
    const [slot, holder] = name.split(' ')
    if (slot === undefined || holder === undefined) throw new TypeError(`${name} is not the name of a slot`)
    await setIf(waitSlotItem(slot), {
      fields: { heldUntil: 0 },
      condition: 'holder = :holder',
      values: { holder },
    })
  }

  return {
    take: async (orgId, now, until) => {
      const organizationSlot = await takeOne(`${orgId}#`, Math.ceil(slots / 2), now, until)
      if (organizationSlot === undefined) return undefined
      const stageSlot = await takeOne('', slots, now, until)
      if (stageSlot !== undefined) return `${stageSlot},${organizationSlot}`
      await freeOne(organizationSlot)
      return undefined
    },

    free: async (names) => {
      await Promise.all(names.split(',').map(freeOne))
    },
  }
}
