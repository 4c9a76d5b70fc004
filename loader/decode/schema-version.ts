import { charactersOf, isId } from './json/published-number.ts'

/** The newest major version of the CMS schemas whose fields and meaning this loader knows. */
export const knownMajor = 2

const maxShown = 40

/**
 * Returns the fault of a file that states a newer version than this loader knows. Schemas 1.x and 2.x are told apart by
 * the file's shape, because the stated version is often missing or wrong, such as a date.
 *
 * @param version value of the root's field, of any type
 */
export function findVersionFault(version: unknown): string | undefined {
  const text = isId(version) ? charactersOf(version).trim() : ''
  // Dates in place of a version, such as 11/01/2026, state none.
  const major = /^(?:schema|version|v)*[\s.:_-]*(\d{1,2})(?!\d|[-/]\d)/i.exec(text)?.[1]
  if (major === undefined || Number(major) <= knownMajor) return undefined
  return `states schema version ${text.slice(0, maxShown)}, but only versions up to ${knownMajor} are known: if it reads like one, load it with --assume-version ${knownMajor}`
}
