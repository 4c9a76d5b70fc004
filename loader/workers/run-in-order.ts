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
  const entries = Array.from(items, (item) => ({ item, begun: Promise.withResolvers<Begun>() }))
  const waiting = new Map<Item, Begun>()
  let hasFailed = false
  const queue = entries.values()
  const beginNext = async (): Promise<void> => {
    for (const { item, begun } of queue) {
      if (hasFailed) return
      try {
        const value = await work.begin(item)
        waiting.set(item, value)
        begun.resolve(value)
      } catch (error) {
        // Node must not take it for unhandled while an earlier item is settled.
        begun.promise.catch(() => undefined)
        begun.reject(error)
        return
      }
    }
  }
  const begins = Array.from({ length: width }, beginNext)
  try {
    for (const { item, begun } of entries) {
      const value = await begun.promise
      waiting.delete(item)
      await work.settle(value, item)
    }
  } catch (error) {
    hasFailed = true
    work.stop(error)
    await Promise.all(begins)
    for (const value of waiting.values()) await work.abandon(value)
    throw error
  }
}
