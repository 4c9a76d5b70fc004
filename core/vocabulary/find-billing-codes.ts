import { codeTypes } from '../../schema/columns/code-types.ts'
import { splitWords } from '../catalogue/finding/words.ts'
import { InvalidRequest } from '../errors.ts'
import type { CodeName, ListedCodeName } from './code-names.ts'
import { type CodeTerm, listLookUps, matchTerms } from './code-terms.ts'
import type { CodeNames } from './ports.ts'

/** A type and code: the place of a code in a list. */
export type CodePlace = Pick<CodeName, 'type' | 'code'>

export interface CodeQuery {
  readonly terms: readonly CodeTerm[]
  /** Only codes of this type, in upper case. @default - of all types */
  readonly type?: string
  readonly limit: number
  readonly after?: CodePlace
}

/** A code with the name to show for it. */
export interface NamedCode extends CodeName {
  /** Number of publishers that write this name. */
  readonly publishers: number
}

interface CodePage {
  readonly items: readonly NamedCode[]
  readonly next?: CodePlace
}

/**
 * Maximum number of names that a query reads, which take about a second of processor time. If more names have the
 * first letters of a word, only another word is looked up.
 */
export const maxReadNames = 60_000

const typeWords = new Set(Object.keys(codeTypes).flatMap(splitWords))

/** Returns true if a query can be looked up: it has a word or code of two letters or digits. */
export const canLookUp = (terms: readonly CodeTerm[]): boolean => listLookUps(terms, () => false).length > 0

/**
 * Finds the codes with a name that matches, page by page, by type and code.
 *
 * @throws InvalidRequest if all words of the query are in too many names
 */
export async function findBillingCodes(codeNames: CodeNames, query: CodeQuery): Promise<CodePage> {
  const { limit, after } = query
  const foundCodes = await lookUp(codeNames, query)
  const codes = foundCodes.filter((code) => after === undefined || compareCodes(code, after) > 0).sort(compareCodes)
  const items = codes.slice(0, limit).map(chooseName)
  const last = items.at(-1)
  return { items, ...(codes.length > limit && last && { next: { type: last.type, code: last.code } }) }
}

/** The names of a code that match, each with the keys of its publishers. */
interface FoundCode extends CodePlace {
  readonly names: Map<string, Set<string>>
}

async function lookUp(codeNames: CodeNames, { terms, type }: CodeQuery): Promise<readonly FoundCode[]> {
  const isFound = matchTerms(terms)
  const isMatch = (name: CodeName) => (type === undefined || name.type === type) && isFound(name)
  for (const places of listLookUps(terms, (word) => typeWords.has(word))) {
    const foundCodes = await readMatches(codeNames, places, isMatch)
    if (foundCodes !== undefined) return foundCodes
  }
  const message = `more than ${maxReadNames} names have words that begin so: add a rarer word of the name`
  throw new InvalidRequest([{ path: 'q', message }])
}

/** @returns undefined if the places have too many names */
async function readMatches(
  codeNames: CodeNames,
  places: readonly string[],
  isMatch: (name: CodeName) => boolean,
): Promise<readonly FoundCode[] | undefined> {
  const codes = new Map<string, FoundCode>()
  let readCount = 0
  for (const place of places)
    for await (const names of codeNames.readNames(place)) {
      readCount += names.length
      if (readCount > maxReadNames) return undefined
      for (const name of names) if (isMatch(name)) note(codes, name)
    }
  return [...codes.values()]
}

function note(codes: Map<string, FoundCode>, { type, code, name, publisherKeys }: ListedCodeName): void {
  const key = `${type}\t${code}`
  const { names } = codes.get(key) ?? { names: new Map<string, Set<string>>() }
  codes.set(key, { type, code, names })
  const publishers = names.get(name) ?? new Set()
  names.set(name, publishers)
  for (const publisherKey of publisherKeys) publishers.add(publisherKey)
}

/** Chooses the name that most publishers write; of equally common ones the shortest, then the first of the alphabet. */
function chooseName({ type, code, names }: FoundCode): NamedCode {
  const [first] = [...names]
    .map(([name, publishers]) => ({ name, publishers: publishers.size }))
    .sort((a, b) => b.publishers - a.publishers || a.name.length - b.name.length || (a.name < b.name ? -1 : 1))
  if (first === undefined) throw new TypeError(`${type} ${code} was found without a name`)
  return { type, code, ...first }
}

const compareCodes = (one: CodePlace, other: CodePlace): number =>
  compareTexts(one.type, other.type) || compareTexts(one.code, other.code)

/** Compares by code units, as keys are compared. */
const compareTexts = (one: string, other: string): number => Number(one > other) - Number(one < other)
