import { gunzipSync, gzipSync } from 'node:zlib'
import * as v from 'valibot'
import type { ListedCodeName } from '../../../core/vocabulary/code-names.ts'
import type { Item } from '../stored-fields.ts'

/** The form of names of codes in items: sorted lines, compressed. */

/** Maximum length of an item's text in bytes, which compresses to less than the 400 KB of an item. */
const maxText = 390_000

const namesItem = v.object({ names: v.instance(Uint8Array) })

/** Reads the names of an item. */
export const readNames = (item: Item): readonly ListedCodeName[] =>
  gunzipSync(v.parse(namesItem, item).names).toString().split('\n').map(parseName)

/** No part has a control character. */
const writeName = ({ type, code, name, publisherKeys }: ListedCodeName): string =>
  [type, code, name, publisherKeys.join(' ')].join('\t')

function parseName(line: string): ListedCodeName {
  const [type, code, name, publishers] = line.split('\t')
  if (type === undefined || code === undefined || name === undefined || publishers === undefined)
    throw new TypeError(`a stored name of a code has too few parts: ${line}`)
  return { type, code, name, publisherKeys: publishers === '' ? [] : publishers.split(' ') }
}

/** Packs as many names into each text as an item holds; sorted, because they then compress well. */
export function packNames(names: readonly ListedCodeName[]): readonly Uint8Array[] {
  const texts: string[][] = []
  let bytes = maxText
  for (const line of names.map(writeName).sort()) {
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

/** Unites the publishers of equal names. */
export function mergeNames(names: readonly ListedCodeName[]): readonly ListedCodeName[] {
  const groups = Map.groupBy(names, ({ type, code, name }) => `${type}\t${code}\t${name}`)
  return [...groups.values()].flatMap(([first, ...repetitions]) => {
    if (first === undefined) return []
    const publisherKeys = new Set([first, ...repetitions].flatMap((name) => name.publisherKeys))
    return [{ ...first, publisherKeys: [...publisherKeys].sort() }]
  })
}
