import { findTexts } from './find-texts.ts'
import { TextIndex } from './text-index.ts'

/** A specialty of providers, as the code set of NUCC has it. */
export interface Specialty {
  /** The taxonomy code: ten letters and digits. */
  readonly code: string
  readonly name: string
  readonly grouping: string
}

/** Returns the specialties with all words of `q` in their name or group, or whose code it begins, in their order. */
export function findSpecialties(specialties: readonly Specialty[], q: string): readonly Specialty[] {
  const index = new TextIndex(specialties.map(({ code, name, grouping }) => ({ code, text: `${name} ${grouping}` })))
  const matches = findTexts(index, q)
  return specialties.filter((_, position) => matches[position] === 1)
}
