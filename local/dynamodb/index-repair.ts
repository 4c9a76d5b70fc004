import dynaliteStore, { type StoredTable } from 'dynalite/db/index.js'

/**
 * Makes the indexes of a dynalite store match its items. dynalite writes an item and its index entries separately, so a
 * kill in between leaves a job that no sweep can find, or an index entry without an item.
 *
 * @param folder a store that no process has open
 * @returns the number of entries added or removed
 */
export async function repairIndexes(folder: string): Promise<number> {
  const { db } = dynaliteStore.create({ path: folder })
  try {
    // Opened explicitly: opening with the first call would hide why it failed.
    await db.open()
    const values = new Map<string, unknown>()
    for await (const [key, value] of db.iterator()) values.set(key, value)
    const expectedEntries = expectEntries(values)
    const puts = [...expectedEntries].filter(
      ([key, entry]) => JSON.stringify(values.get(key)) !== JSON.stringify(entry),
    )
    const surplusKeys = [...values.keys()].filter((key) => key.startsWith(indexPrefix) && !expectedEntries.has(key))
    const operations = [
      ...puts.map(([key, value]) => ({ type: 'put', key, value }) as const),
      ...surplusKeys.map((key) => ({ type: 'del', key }) as const),
    ]
    if (operations.length > 0) await db.batch(operations)
    return operations.length
  } finally {
    await db.close()
  }
}

/** Key prefixes of tables, items and index entries, as in dynalite's db/index.js. */
const tablePrefix = 'table~'
const itemPrefix = 'item-'
const indexPrefix = 'index-global~'

/** The entries that the indexes should contain, by key. */
function expectEntries(values: ReadonlyMap<string, unknown>): ReadonlyMap<string, unknown> {
  const tables = new Map<string, StoredTable>()
  for (const [key, value] of values)
    if (key.startsWith(tablePrefix)) tables.set(key.slice(tablePrefix.length), asTable(value))
  const entries = new Map<string, unknown>()
  for (const [key, item] of values) {
    const name = key.startsWith(itemPrefix) ? key.slice(itemPrefix.length, key.indexOf('~')) : undefined
    const table = name === undefined ? undefined : tables.get(name)
    if (table === undefined) continue
    const { puts } = dynaliteStore.getIndexActions(table.GlobalSecondaryIndexes ?? [], undefined, item, table)
    for (const put of puts) entries.set(`${indexPrefix}${name}~${put.index}~${put.key}`, put.item)
  }
  return entries
}

/** Written by dynalite, so it has dynalite's shape. */
const asTable = (value: unknown) => value as StoredTable
