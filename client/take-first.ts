/** Returns the first items of a list that is read page by page, or all if it has fewer. */
export async function takeFirst<Item>(items: AsyncIterable<Item>, count: number): Promise<readonly Item[]> {
  const first: Item[] = []
  for await (const item of items) {
    first.push(item)
    if (first.length === count) break
  }
  return first
}
