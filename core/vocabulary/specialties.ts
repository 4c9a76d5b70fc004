import { findsAll, keysOf, splitWords } from '../catalogue/finding/words.ts'

/** A specialty of providers, as the code set of NUCC has it. */
export interface Specialty {
  /** The taxonomy code: ten letters and digits. */
  readonly code: string
  readonly name: string
  readonly grouping: string
}

/** Returns a test of specialties: all words of `q` begin words of the name or group, or `q` begins the code. */
export function matchSpecialty(q: string): (specialty: Specialty) => boolean {
  const words = splitWords(q)
  const [onlyWord] = words.length === 1 ? words : []
  return ({ code, name, grouping }) =>
    findsAll(words, [name, grouping].flatMap(keysOf)) ||
    (onlyWord !== undefined && code.toLowerCase().startsWith(onlyWord))
}
