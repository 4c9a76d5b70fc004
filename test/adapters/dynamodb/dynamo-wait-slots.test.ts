import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { connectDynamo } from '../../../adapters/dynamodb/dynamo-client.ts'
import { createDynamoWaitSlots } from '../../../adapters/dynamodb/dynamo-wait-slots.ts'
import { connectEndpoints } from '../../endpoints/connect.ts'

const { tables } = connectEndpoints()
const dynamo = connectDynamo()
/** A time of its own for each test, by which all slots that other tests held are over. */
let day = Date.parse('2027-01-01T00:00:00.000Z')
function newDay(): Date {
  day += 86_400_000
  return new Date(day)
}
const after = (time: Date, seconds: number) => new Date(time.getTime() + seconds * 1000)

/** Opens slots; each call that takes one is of an organization of its own unless the test names it. */
const open = (slots: number, random = Math.random) => {
  const { take, free } = createDynamoWaitSlots(dynamo, tables.jobs, slots, random)
  return { free, take: (now: Date, until: Date, orgId: string = randomUUID()) => take(orgId, now, until) }
}

describe('the slots of waiting calls', () => {
  it('number as many as the stage has, however many calls take one at once', async () => {
    const now = newDay()
    const taken = await Promise.all(Array.from({ length: 30 }, () => open(3).take(now, after(now, 30))))
    const holders = taken.filter((slot) => slot !== undefined)
    expect(holders.length).toBeGreaterThan(0)
    expect(holders.length).toBeLessThanOrEqual(3)
    expect(new Set(holders).size).toBe(holders.length)
  })

  it('leave half of them to other organizations if one takes all that it can get', async () => {
    const now = newDay()
    const slots = open(4)
    const burst = await Promise.all(Array.from({ length: 30 }, () => slots.take(now, after(now, 30), 'one')))
    const held = burst.filter((slot) => slot !== undefined)
    expect(held.length).toBeGreaterThan(0)
    expect(held.length).toBeLessThanOrEqual(2)
    const others = await Promise.all(Array.from({ length: 30 }, () => slots.take(now, after(now, 30))))
    expect(others.filter((slot) => slot !== undefined).length).toBeGreaterThan(0)
    await Promise.all(held.map(slots.free))
    // A call tries two of the stage's slots, which others may hold.
    const again = await Promise.all(Array.from({ length: 30 }, () => slots.take(now, after(now, 30), 'one')))
    expect(again.filter((slot) => slot !== undefined).length).toBeGreaterThan(0)
  })

  it('stay free for an organization whose calls found none of the stage', async () => {
    const now = newDay()
    const slots = open(1)
    const other = await slots.take(now, after(now, 30))
    for (let call = 0; call < 3; call++) expect(await slots.take(now, after(now, 30), 'two')).toBeUndefined()
    await slots.free(String(other))
    expect(await slots.take(now, after(now, 30), 'two')).toBeDefined()
  })

  it('become free when they are freed, and once their time is over', async () => {
    const now = newDay()
    const slots = open(1)
    const first = await slots.take(now, after(now, 30))
    expect(await slots.take(now, after(now, 30))).toBeUndefined()
    await slots.free(String(first))
    expect(await slots.take(now, after(now, 30))).toBeDefined()
    expect(await slots.take(after(now, 29), after(now, 60))).toBeUndefined()
    expect(await slots.take(after(now, 31), after(now, 60))).toBeDefined()
  })

  it('stay held by a later call if an earlier one frees its own late', async () => {
    const now = newDay()
    const slots = open(1)
    const late = await slots.take(now, after(now, 30))
    expect(await slots.take(after(now, 31), after(now, 61))).toBeDefined()
    await slots.free(String(late))
    expect(await slots.take(after(now, 32), after(now, 62))).toBeUndefined()
  })

  it('become free soon if a killed call whose clock was an hour ahead held them', async () => {
    const now = newDay()
    const slots = open(1)
    expect(await slots.take(after(now, 3600), after(now, 3630))).toBeDefined()
    expect(await slots.take(now, after(now, 30))).toBeDefined()
    expect(await slots.take(now, after(now, 30))).toBeUndefined()
  })

  it('become free if a call of a version with more slots frees its own', async () => {
    const now = newDay()
    const last = await open(5, () => 0.99).take(now, after(now, 30))
    await open(2).free(String(last))
    expect(await open(5, () => 0.99).take(now, after(now, 30))).toMatch(/^4 /)
  })

  it('do not exist in a stage without any', async () => {
    const now = newDay()
    expect(await open(0).take(now, after(now, 30))).toBeUndefined()
  })
})
