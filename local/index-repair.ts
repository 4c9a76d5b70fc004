import type { StoredTable } from 'dynalite/db/index.js'
import dynaliteStore from 'dynalite/db/index.js'

/**
 * Makes the indexes of a dynalite store those of its items again. dynalite writes an item and its index entries one after
 * the other, so a process that is killed between leaves a job that no index knows, which no sweep would ever find, or an
 * entry that no item has. In DynamoDB an index lags behind its table and then has all of it.
 *
 * @param folder of a store that no process has open
 * @returns how many entries were put or removed
 */
export async function repairIndexes(folder: string): Promise<number> {
  const { db } = dynaliteStore.create({ path: folder })
  try {
    // By itself it opens with the first call, which then does not say why it could not.
    await db.open()
    const stored = new Map<string, unknown>()
    for await (const [key, value] of db.iterator()) stored.set(key, value)
    const right = expectEntries(stored)
    const puts = [...right].filter(([key, entry]) => JSON.stringify(stored.get(key)) !== JSON.stringify(entry))
    const surplus = [...stored.keys()].filter((key) => key.startsWith(indexPrefix) && !right.has(key))
    const operations = [
      ...puts.map(([key, value]) => ({ type: 'put', key, value }) as const),
      ...surplus.map((key) => ({ type: 'del', key }) as const),
    ]
    if (operations.length > 0) await db.batch(operations)
    return operations.length
  } finally {
    await db.close()
  }
}

/** The store's keys: of tables, of items by table, of entries by table and index, as dynalite's db/index.js makes them. */
const tablePrefix = 'table~'
const itemPrefix = 'item-'
const indexPrefix = 'index-global~'

/** What the indexes must hold, by key. */
function expectEntries(stored: ReadonlyMap<string, unknown>): ReadonlyMap<string, unknown> {
  const tables = new Map<string, StoredTable>()
  for (const [key, value] of stored)
    if (key.startsWith(tablePrefix)) tables.set(key.slice(tablePrefix.length), asTable(value))
  const entries = new Map<string, unknown>()
  for (const [key, item] of stored) {
    const name = key.startsWith(itemPrefix) ? key.slice(itemPrefix.length, key.indexOf('~')) : undefined
    const table = name === undefined ? undefined : tables.get(name)
    if (table === undefined) continue
    const { puts } = dynaliteStore.getIndexActions(table.GlobalSecondaryIndexes ?? [], undefined, item, table)
    for (const put of puts) entries.set(`${indexPrefix}${name}~${put.index}~${put.key}`, put.item)
  }
  return entries
}

/** dynalite wrote it, so it has the shape that dynalite gave it. */
const asTable = (value: unknown) => value as StoredTable
