import { Slots } from '../../fetch/slots.ts'

/** How items are worked on: several are begun at the same time, and all are settled one by one in their order. */
export interface OrderedWork<Item, Begun> {
  begin(item: Item): Promise<Begun>
  settle(begun: Begun, item: Item): Promise<void>
  /** Called in place of `settle` for what was begun when the work failed. */
  abandon(begun: Begun): Promise<void>
  /** Ends what is being begun when the work failed. */
  stop(reason: unknown): void
}

/**
 * Works on items. With a width of 1 each is settled before the next is begun.
 *
 * @param width how many are begun at a time
 * @throws the first error, after everything that was begun has ended
 */
export async function runInOrder<Item, Begun>(
  items: Iterable<Item>,
  width: number,
  work: OrderedWork<Item, Begun>,
): Promise<void> {
  if (width <= 1) {
    for (const item of items) await work.settle(await work.begin(item), item)
    return
  }
  const slots = new Slots(width)
  let hasFailed = false
  const begins = Array.from(items, async (item) => {
    using _slot = await slots.take()
    if (hasFailed) return undefined
    return { item, begun: await work.begin(item) }
  })
  // Node must not take a failure for unhandled while an earlier item is settled.
  for (const begin of begins) begin.catch(() => undefined)
  let settled = 0
  try {
    for (const begin of begins) {
      const next = await begin
      settled++
      if (next !== undefined) await work.settle(next.begun, next.item)
    }
  } catch (error) {
    hasFailed = true
    work.stop(error)
    for (const left of await Promise.allSettled(begins.slice(settled)))
      if (left.status === 'fulfilled' && left.value !== undefined) await work.abandon(left.value.begun)
    throw error
  }
}
