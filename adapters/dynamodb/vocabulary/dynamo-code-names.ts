import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import * as v from 'valibot'
import { placesOfName } from '../../../core/vocabulary/code-names.ts'
import type { CodeNamesAdmin } from '../../../core/vocabulary/ports.ts'
import { contentsKey } from '../../../schema/tables.ts'
import { queryBelow } from '../dynamo-client.ts'
import type { Item } from '../stored-fields.ts'
import { tableWrites } from '../table-writes.ts'
import { mergeNames, packNames, readNames } from './packed-names.ts'

/** Maximum number of items of a place or publisher that are left as they are. */
const maxItems = 4

const allPublishers = { owner: contentsKey.namesOf('', '', '').owner }

const keyItem = v.object({ item: v.string() })

/**
 * Stores names of billing codes in the contents table: at each place that leads to them, for queries, and by publisher,
 * so that a load adds only new ones. Nothing is changed in place: items are added, and several may have the same name.
 */
export function createDynamoCodeNames(client: DynamoDBDocumentClient, table: string): CodeNamesAdmin {
  const { putAll, removeAll, removeBelow } = tableWrites(client, table)

  /** Lists the partition keys under which names are stored. */
  async function listOwners(): Promise<ReadonlySet<string>> {
    const owners = new Set<string>()
    for await (const item of queryBelow(client, table, allPublishers))
      for (const name of readNames(item))
        for (const place of placesOfName(name)) owners.add(contentsKey.namesAt(place).owner)
    return owners
  }

  /** Merges the items of each place or publisher under a partition key, if there are many. */
  async function mergeItems(owner: string, id: string): Promise<void> {
    const storedItems = await Array.fromAsync(queryBelow(client, table, { owner }))
    for (const [start, items] of Map.groupBy(storedItems, (item) => beforeMark(sortKeyOf(item)))) {
      if (items.length <= maxItems) continue
      const packed = packNames(mergeNames(items.flatMap(readNames)))
      if (packed.length > items.length / 2) continue
      // Written before the others are removed, so that a kill leaves names twice, and none out.
      await putAll(packed.map((names, part) => ({ owner, item: `${start}#${id}#${part}`, names })))
      await removeAll(items.map((item) => ({ owner, item: sortKeyOf(item) })))
    }
  }

  return {
    async *readNames(start) {
      for await (const item of queryBelow(client, table, contentsKey.namesAt(start))) yield readNames(item)
    },

    readNamesOf: async (publisherKey) => {
      const items = queryBelow(client, table, contentsKey.namesOf(publisherKey, '', ''))
      return (await Array.fromAsync(items)).flatMap(readNames)
    },

    addNames: async (publisherKey, names, id) => {
      const listedNames = names.map((name) => ({ ...name, publisherKeys: [publisherKey] }))
      const placed = listedNames.flatMap((name) => [...placesOfName(name)].map((place) => ({ place, name })))
      const itemsAt = ([place, some]: readonly [string, typeof placed]) =>
        packNames(some.map(({ name }) => name)).map((packed, part) => {
          return { ...contentsKey.namesAt(place, `${id}#${part}`), names: packed }
        })
      await putAll(
        Map.groupBy(placed, ({ place }) => place)
          .entries()
          .flatMap(itemsAt),
      )
      // Written last: names that a killed load has not noted are added again.
      const noted = packNames(listedNames.map((name) => ({ ...name, publisherKeys: [] })))
      await putAll(
        noted.map((packed, part) => ({ ...contentsKey.namesOf(publisherKey, id, `${part}`), names: packed })),
      )
    },

    mergeNames: async (newId) => {
      for (const owner of [...(await listOwners()), allPublishers.owner]) await mergeItems(owner, newId())
    },

    removeNames: async () => {
      // The lists of publishers say where names are stored, so they are removed last.
      for (const owner of [...(await listOwners()), allPublishers.owner]) await removeBelow({ owner, item: '' })
    },
  }
}

const sortKeyOf = (item: Item): string => v.parse(keyItem, item).item

/** Returns the place or publisher with which a sort key begins. */
const beforeMark = (sortKey: string): string => sortKey.slice(0, sortKey.indexOf('#'))
