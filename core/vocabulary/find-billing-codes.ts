import { foldedCodeTypes, toLoadedForm } from '../../contract/texts/code-types.ts'
import type { Clock } from '../time.ts'
import { splitWords } from '../words.ts'
import { type CodeName, textOfName } from './code-names.ts'
import { findTexts } from './find-texts.ts'
import type { CodeNames } from './ports.ts'
import { SharedRoom } from './share-room.ts'
import { keyOfCode, type Matches, TextIndex } from './text-index.ts'

/** A type and code: the position of a code in a list. */
export type CodePosition = Pick<CodeName, 'type' | 'code'>

export interface CodeQuery {
  readonly q: string
  /** Only codes of this type, in upper case. @default - of all types */
  readonly type?: string
  readonly limit: number
  readonly after?: CodePosition
}

/** A code with the name to show for it. */
export interface NamedCode extends CodeName {
  /** Number of payers whose files write this name. */
  readonly payers: number
}

interface CodePage {
  readonly items: readonly NamedCode[]
  readonly next?: CodePosition
}

/** Finds the codes with a name that matches, page by page, by type and code. */
export type FindBillingCodes = (query: CodeQuery) => Promise<CodePage>

/** Milliseconds after which names are read again although no version says that they changed, as after a killed load. */
const maxAge = 600_000

/** Opens a finder that reads all names at first, and again only after they have changed. */
export function openCodeFinder(codeNames: CodeNames, now: Clock): FindBillingCodes {
  let latest: { readonly version: string; readonly readAt: number; readonly index: NameIndex } | undefined
  return async (query) => {
    const version = await codeNames.readVersion()
    const readAt = now().getTime()
    if (latest === undefined || latest.version !== version || readAt - latest.readAt > maxAge)
      latest = { version, readAt, index: await readIndex(codeNames) }
    return latest.index.find(query)
  }
}

async function readIndex(codeNames: CodeNames): Promise<NameIndex> {
  const room = new SharedRoom()
  for await (const { payerKey, names } of codeNames.readLists()) room.add(payerKey, names)
  return new NameIndex(room.list())
}

/** A name with the number of payers that write it, and the last of their lists. */
interface CountedName extends CodeName {
  payers: number
  lastList: number
}

class NameIndex {
  readonly #names: readonly CountedName[]
  readonly #texts: TextIndex
  readonly #types: ReadonlyMap<string, readonly string[]>

  /** @param lists the names of each payer */
  constructor(lists: readonly (readonly CodeName[])[]) {
    const counts = new Map<string, CountedName>()
    for (const [list, names] of lists.entries())
      for (const { type, code, name } of names) {
        const text = textOfName({ type, code, name })
        const count = counts.get(text)
        if (count === undefined) counts.set(text, { type, code, name, payers: 1, lastList: list })
        else if (count.lastList !== list) {
          count.payers += 1
          count.lastList = list
        }
      }
    this.#names = [...counts.values()]
    this.#texts = new TextIndex(this.#names.map(({ code, name }) => ({ code, text: name })))
    this.#types = new Map([...new Set(this.#names.map(({ type }) => type))].map((type) => [type, splitWords(type)]))
  }

  find({ q, type, limit, after }: CodeQuery): CodePage {
    const matches = findTexts(this.#texts, q, (typed) => this.#findMeaning(typed))
    const names = this.#names.filter(
      (name, index) => matches[index] === 1 && (type === undefined || name.type === type),
    )
    const codes = [...Map.groupBy(names, ({ type, code }) => `${type}\t${code}`).values()]
      .map(chooseName)
      .filter((code) => after === undefined || compareCodes(code, after) > 0)
      .sort(compareCodes)
    const items = codes.slice(0, limit).map(({ lastList: _, ...item }) => item)
    const last = items.at(-1)
    return { items, ...(codes.length > limit && last && { next: { type: last.type, code: last.code } }) }
  }

  /** A typed word may be the type of codes, or a code in another form: files write MS-DRG 470 as 0470, too. */
  #findMeaning(typed: string): Matches | undefined {
    const words = splitWords(typed)
    const types = new Set(
      [...this.#types].flatMap(([type, ofType]) => (words.every((w) => ofType.includes(w)) ? type : [])),
    )
    const code = typed.toUpperCase()
    const forms = new Map(
      foldedCodeTypes.flatMap((type) => {
        const form = toLoadedForm(type, code)
        return form === code ? [] : [[type, form]]
      }),
    )
    if (types.size === 0 && forms.size === 0) return undefined
    const coded = [...new Set(forms.values())].map((form) => this.#texts.findBeginnings(keyOfCode(form)))
    return Uint8Array.from(this.#names, (name, index) =>
      Number(types.has(name.type) || (forms.get(name.type) === name.code && coded.some((each) => each[index] === 1))),
    )
  }
}

/** Chooses the name that most payers write; of equally common ones the shortest, then the first of the alphabet. */
function chooseName(names: readonly CountedName[]): CountedName {
  return names.reduce((best, name) => (compareNames(name, best) < 0 ? name : best))
}

const compareNames = (one: CountedName, other: CountedName): number =>
  other.payers - one.payers || one.name.length - other.name.length || compareTexts(one.name, other.name)

const compareCodes = (one: CodePosition, other: CodePosition): number =>
  compareTexts(one.type, other.type) || compareTexts(one.code, other.code)

/** Compares by code units, as keys are compared. */
const compareTexts = (one: string, other: string): number => Number(one > other) - Number(one < other)
