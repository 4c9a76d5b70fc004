import { writtenNpi } from '../../contract/provider-ids.ts'
import { parseStates, parseZip } from './pasted-values.ts'

/** A query for providers by name, or the advice on what a text still lacks. */
type ProviderWords =
  | { readonly npi: string }
  | { readonly q?: string; readonly state?: string; readonly zip?: string }
  | { readonly missing: string }

/** Maximum number of words in the name of a state. */
const maxStateWords = 3

/**
 * Reads a text such as `jankowski OR`, `grace jankowski, Oregon`, `jankowski 97205` or an NPI. A state stands at the
 * end, because its letters may also be a word of a name.
 */
export function readProviderWords(text: string): ProviderWords {
  const words = text.split(/[\s,]+/).filter((word) => word !== '')
  const [first, ...others] = words
  if (first !== undefined && others.length === 0 && writtenNpi.test(first)) return { npi: first }
  const zipWord = words.find((word) => parseZip(word) !== undefined)
  const zip = zipWord && parseZip(zipWord)
  const { state, names } = splitState(words.filter((word) => word !== zipWord))
  const q = names.join(' ')
  if (zip !== undefined) return { zip, ...(state && { state }), ...(q !== '' && { q }) }
  if (state === undefined) return { missing: 'Add a state, such as OR, or a ZIP code.' }
  return q === '' ? { missing: 'Write words of a name before the state.' } : { q, state }
}

/** Splits the state off the end of words. */
function splitState(words: readonly string[]): { readonly state?: string; readonly names: readonly string[] } {
  for (let count = Math.min(maxStateWords, words.length); count > 0; count -= 1) {
    const { values, unreadable } = parseStates(words.slice(-count).join(' '))
    const [state] = values
    if (state !== undefined && values.length === 1 && unreadable.length === 0)
      return { state, names: words.slice(0, -count) }
  }
  return { names: words }
}
