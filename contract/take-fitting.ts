/**
 * Returns the first items whose JSON fits into an answer together.
 *
 * @param room characters for the items, each with a comma
 */
export function takeFitting<Item>(items: readonly Item[], room: number): readonly Item[] {
  let remaining = room
  const end = items.findIndex((item) => {
    remaining -= JSON.stringify(item).length + 1
    return remaining < 0
  })
  return end === -1 ? items : items.slice(0, end)
}
