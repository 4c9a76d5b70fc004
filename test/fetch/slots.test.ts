import { expect, it } from 'vitest'
import { HostSlots } from '../../fetch/slots.ts'

it('limits the files fetched from a host at the same time, and starts them in the order of their requests', async () => {
  const slots = new HostSlots(2)
  const held = [await slots.take('https://a.example/1'), await slots.take('https://a.example/2')]
  const order: number[] = []
  const waiting = [3, 4].map(async (number) => {
    const slot = await slots.take(`https://a.example/${number}`)
    order.push(number)
    return slot
  })
  const other = await slots.take('https://b.example/1')
  expect(order).toEqual([])
  held[1]?.[Symbol.dispose]()
  held[1]?.[Symbol.dispose]()
  const third = await waiting[0]
  expect(order).toEqual([3])
  third?.[Symbol.dispose]()
  await waiting[1]
  expect(order).toEqual([3, 4])
  other[Symbol.dispose]()
})
