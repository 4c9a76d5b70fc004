import { gunzipSync, gzipSync } from 'node:zlib'
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import * as v from 'valibot'
import { type ListedCodeName, placesOfName } from '../../../core/vocabulary/code-names.ts'
import type { CodeNamesAdmin } from '../../../core/vocabulary/ports.ts'
import { contentsKey } from '../../../schema/tables.ts'
import { queryBelow } from '../dynamo-client.ts'
import type { Item } from '../stored-fields.ts'
import { tableWrites } from '../table-writes.ts'

/** Maximum length of an item's text in bytes, which compresses to less than the 400 KB of an item. */
const maxText = 390_000

const namesItem = v.object({ names: v.instance(Uint8Array) })

/**
 * Stores names of billing codes in the contents table: at each place that leads to them, for queries, and by publisher,
 * so that a load adds only new ones. Nothing is changed in place: items are added, and several may have the same name.
 */
export function createDynamoCodeNames(client: DynamoDBDocumentClient, table: string): CodeNamesAdmin {
  const { putAll } = tableWrites(client, table)
  return {
    async *readNames(start) {
      for await (const item of queryBelow(client, table, contentsKey.namesAt(start)))
        yield readLines(item).map(parseName)
    },

    readNamesOf: async (publisherKey) => {
      const items = queryBelow(client, table, contentsKey.namesOf(publisherKey, '', ''))
      return (await Array.fromAsync(items)).flatMap(readLines).map(parseName)
    },

    addNames: async (publisherKey, names, id) => {
      const linesByPlace = new Map<string, string[]>()
      for (const name of names)
        for (const place of placesOfName(name)) {
          const lines = linesByPlace.get(place) ?? []
          linesByPlace.set(place, lines)
          lines.push(writeName({ ...name, publisherKeys: [publisherKey] }))
        }
      await putAll(
        linesByPlace
          .entries()
          .flatMap(([place, lines]) =>
            packLines(lines).map((packed, part) => ({ ...contentsKey.namesAt(place, `${id}#${part}`), names: packed })),
          ),
      )
      // Written last: names that a killed load has not noted are added again.
      const noted = packLines(names.map((name) => writeName({ ...name, publisherKeys: [] })))
      await putAll(
        noted.map((packed, part) => ({ ...contentsKey.namesOf(publisherKey, id, String(part)), names: packed })),
      )
    },
  }
}

const readLines = (item: Item): readonly string[] => gunzipSync(v.parse(namesItem, item).names).toString().split('\n')

/** No part has a control character. */
const writeName = ({ type, code, name, publisherKeys }: ListedCodeName): string =>
  [type, code, name, publisherKeys.join(' ')].join('\t')

function parseName(line: string): ListedCodeName {
  const [type, code, name, publishers] = line.split('\t')
  if (type === undefined || code === undefined || name === undefined || publishers === undefined)
    throw new TypeError(`a stored name of a code has too few parts: ${line}`)
  return { type, code, name, publisherKeys: publishers === '' ? [] : publishers.split(' ') }
}

/** Sorts lines, so that they compress well, and packs as many into each text as an item holds. */
function packLines(lines: readonly string[]): readonly Uint8Array[] {
  const texts: string[][] = []
  let bytes = maxText
  for (const line of lines.toSorted()) {
    const size = Buffer.byteLength(line) + 1
    bytes += size
    if (bytes > maxText) {
      texts.push([])
      bytes = size
    }
    texts.at(-1)?.push(line)
  }
  return texts.map((text) => gzipSync(text.join('\n')))
}
