import { composeText, foldWhiteSpace } from '../../contract/texts/compose-text.ts'
import { findTextFault } from '../../contract/texts/names.ts'
import type { CodeName } from '../../core/vocabulary/code-names.ts'
import { type InNetworkItem, itemColumns } from '../decode/in-network-file.ts'
import type { PublishedValue } from '../decode/published-column.ts'

/** Columns with descriptions of codes, which may be the property of the codes' authors; the first is preferred. */
export const descriptiveColumns: ReadonlySet<string> = new Set(['name', 'description'])

const descriptiveIndexes = [...descriptiveColumns].map((column) => itemColumns.findIndex(({ name }) => name === column))

/** Maximum number of codes of a file whose names are collected; payers' files have up to 20,000 codes. */
const maxCodes = 100_000

/** Maximum length of a name in UTF-16 code units; a description in place of a name may be longer, and is cut. */
const maxName = 200

/** Maximum length of a collected code. */
const maxCode = 64

/** The type whose one code stands for any service, so that no name is that of the code. */
const allServices = 'CSTM-ALL'

/** Collects a name of each code of a file: the first that it writes. */
export class CodeNameCollector {
  readonly #names = new Map<string, CodeName>()

  /**
   * Adds the name of an item, or its description if it has no name or repeats the code there.
   *
   * @param type in upper case, as `code` in canonical form
   */
  add(type: string, code: string, { values }: Pick<InNetworkItem, 'values'>): void {
    const key = `${type}\t${code}`
    if (this.#names.has(key) || this.#names.size === maxCodes) return
    const text = descriptiveIndexes.map((index) => readName(values[index])).find((each) => each !== '' && each !== code)
    if (text === undefined || type === allServices || !isStorable(type) || !isStorable(code)) return
    this.#names.set(key, { type, code, name: text })
  }

  list(): readonly CodeName[] {
    return [...this.#names.values()]
  }
}

const isStorable = (text: string) => text.length <= maxCode && isShowable(text)

/** Nearly all texts are of the printable characters of ASCII, which are checked faster. */
const isShowable = (text: string) => /^[ -~]*$/.test(text) || findTextFault(text) === undefined

/** Reads a text as names of payers are read; empty if it cannot be shown. */
function readName(value: PublishedValue): string {
  if (typeof value !== 'string') return ''
  const text = foldWhiteSpace(value.slice(0, 2 * maxName))
    .slice(0, maxName)
    .toWellFormed()
    .trim()
  return isShowable(text) ? composeText(text) : ''
}
