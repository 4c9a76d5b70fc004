import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import * as v from 'valibot'
import { type CodeName, type NameList, textOfName } from '../../../core/vocabulary/code-names.ts'
import type { CodeNamesAdmin } from '../../../core/vocabulary/ports.ts'
import { at } from '../../../schema/at.ts'
import { contentsKey } from '../../../schema/tables.ts'
import { queryBelow, scanItems } from '../dynamo-client.ts'
import { packLines, unpackLines } from '../packed-lines.ts'
import { express, type Item, storedTime } from '../stored-fields.ts'
import { tableWrites } from '../table-writes.ts'

const packed = v.optional(v.instance(Uint8Array))

const namesItem = v.object({ names: packed, sources: packed, created_at: v.optional(storedTime), item: v.string() })

const versionItem = v.object({ version: v.string() })

const keyItem = v.object({ owner: v.string(), item: v.string() })

/** Maximum bytes of an item's names before they are compressed: a publisher's names are one item or two. */
const maxText = 2_000_000

/** Owners of items by which version 0.3 found names. */
const formerItems = 'names-at#'

/**
 * Stores names of billing codes as lists in the contents table: sorted, compressed and in few items, because every
 * finder reads all lists, and only when one has changed. The names of a source are among its items.
 */
export function createDynamoCodeNames(client: DynamoDBDocumentClient, table: string): CodeNamesAdmin {
  const { put, putAll, removeAll, removeBelow } = tableWrites(client, table)
  const removeScanned = async (condition: string, values: object) => {
    const filter = { FilterExpression: condition, ...express([condition], values) }
    const items = await Array.fromAsync(scanItems(client, { TableName: table, ConsistentRead: true, ...filter }))
    await removeAll(items.map((item) => v.parse(keyItem, item)))
  }
  return {
    readVersion: async () => {
      const [item] = await Array.fromAsync(queryBelow(client, table, contentsKey.nameVersion))
      return item === undefined ? '' : v.parse(versionItem, item).version
    },

    async *readLists(payerKey = '') {
      for await (const item of queryBelow(client, table, contentsKey.nameList(payerKey, '', ''))) yield parseList(item)
    },

    writeSourceNames: (sourceId, names) =>
      putAll(
        packNames(names).map((packedNames, part) => ({
          ...contentsKey.sourceNames(sourceId, part),
          names: packedNames,
        })),
      ),

    readSourceNames: async (sourceId) => {
      const { owner } = contentsKey.source(sourceId)
      const items = await Array.fromAsync(queryBelow(client, table, { owner, item: 'names#' }))
      return items.length === 0 ? undefined : items.flatMap(parseNames)
    },

    addList: async ({ payerKey, id, sourceIds, names, createdAt }) => {
      const [packedNames, packedSources] = [packNames(names), packLines(sourceIds)]
      const parts = Array.from({ length: Math.max(packedNames.length, packedSources.length) }, (_, part) => ({
        ...contentsKey.nameList(payerKey, id, `${part}`),
        ...(packedNames[part] && { names: packedNames[part] }),
        ...(packedSources[part] && { sources: packedSources[part] }),
        created_at: createdAt?.toISOString(),
      }))
      // The first part has sources, so a list that a kill cut short is written again.
      await putAll(parts.slice(1))
      await putAll(parts.slice(0, 1))
    },

    removeList: (payerKey, id) => removeBelow(contentsKey.nameList(payerKey, id, '')),

    writeVersion: async (version) => void (await put({ ...contentsKey.nameVersion, version })),

    removeFormerItems: () => removeScanned('begins_with(#owner, :owner)', { owner: formerItems }),

    removeAll: async () => {
      const { owner } = contentsKey.nameList('', '', '')
      const isName = 'begins_with(#item, :item) OR begins_with(#owner, :former) OR #owner = :owner'
      await removeScanned(isName, { item: 'names#', former: formerItems, owner })
    },
  }
}

const packNames = (names: readonly CodeName[]): readonly Uint8Array[] => packLines(names.map(textOfName), maxText)

function parseNames(item: Item): readonly CodeName[] {
  const { names } = v.parse(namesItem, item)
  return names === undefined ? [] : unpackLines(names).map(parseName)
}

function parseList(item: Item): NameList {
  const { sources, created_at, item: key } = v.parse(namesItem, item)
  const parts = key.split('#')
  return {
    payerKey: at(parts, 0),
    id: at(parts, 1),
    createdAt: created_at,
    sourceIds: sources === undefined ? [] : unpackLines(sources),
    names: parseNames(item),
  }
}

/** Version 0.3 wrote a fourth, empty part. */
function parseName(line: string): CodeName {
  const parts = line.split('\t')
  return { type: at(parts, 0), code: at(parts, 1), name: at(parts, 2) }
}
