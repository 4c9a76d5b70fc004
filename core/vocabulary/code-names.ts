import { hash } from 'node:crypto'
import { keysOf, splitWords } from '../catalogue/finding/words.ts'

/** A name that files write for a billing code. */
export interface CodeName {
  /** In upper case. */
  readonly type: string
  /** In the canonical form of its type. */
  readonly code: string
  readonly name: string
}

/** A name with the keys of publishers whose files write it. */
export interface ListedCodeName extends CodeName {
  readonly publisherKeys: readonly string[]
}

/** Returns a short key of a publisher, by the name of its files. */
export const publisherKeyOf = (reportingEntityName: string): string =>
  hash('sha256', reportingEntityName, 'base64url').slice(0, 8)

/** Returns the keys by which a name is found: its code, and each of its words with the text that follows it. */
const keysOfName = ({ code, name }: CodeName): readonly string[] => [keyOfCode(code), ...keysOf(name)]

/** Returns a code as keys have it: without punctuation, so that `0002-1433-80` and `00021433` have a common start. */
export const keyOfCode = (code: string): string => splitWords(code).join('')

/** Number of first characters by which names are stored, and the least that a query needs. */
const placeLength = { most: 3, least: 2 } as const

/** Returns the place of a key: its first characters. */
export const placeOf = (key: string): string => [...key].slice(0, placeLength.most).join('').toWellFormed()

/** True if names are stored at a place. The last word of a name may be one letter, which nobody looks up. */
export const isPlace = (place: string): boolean => [...place].length >= placeLength.least

/** Returns the places at which a name is stored. */
export const placesOfName = (name: CodeName): ReadonlySet<string> =>
  new Set(keysOfName(name).map(placeOf).filter(isPlace))
