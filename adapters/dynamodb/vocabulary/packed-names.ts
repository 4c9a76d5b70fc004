import * as v from 'valibot'
import type { ListedCodeName } from '../../../core/vocabulary/code-names.ts'
import { packLines, unpackLines } from '../packed-lines.ts'
import type { Item } from '../stored-fields.ts'

/** The form of names of codes in items: sorted lines, compressed. */

const namesItem = v.object({ names: v.instance(Uint8Array) })

/** Reads the names of an item. */
export const readNames = (item: Item): readonly ListedCodeName[] =>
  unpackLines(v.parse(namesItem, item).names).map(parseName)

/** No part has a control character. */
const writeName = ({ type, code, name, publisherKeys }: ListedCodeName): string =>
  [type, code, name, publisherKeys.join(' ')].join('\t')

function parseName(line: string): ListedCodeName {
  const [type, code, name, publishers] = line.split('\t')
  if (type === undefined || code === undefined || name === undefined || publishers === undefined)
    throw new TypeError(`a stored name of a code has too few parts: ${line}`)
  return { type, code, name, publisherKeys: publishers === '' ? [] : publishers.split(' ') }
}

/** Packs names for items, as many into each as it holds. */
export const packNames = (names: readonly ListedCodeName[]): readonly Uint8Array[] => packLines(names.map(writeName))

/** Unites the publishers of equal names. */
export function mergeNames(names: readonly ListedCodeName[]): readonly ListedCodeName[] {
  const groups = Map.groupBy(names, ({ type, code, name }) => `${type}\t${code}\t${name}`)
  return [...groups.values()].flatMap(([first, ...repetitions]) => {
    if (first === undefined) return []
    const publisherKeys = new Set([first, ...repetitions].flatMap((name) => name.publisherKeys))
    return [{ ...first, publisherKeys: [...publisherKeys].sort() }]
  })
}
