/** The ports of the vocabulary: names by which people know billing codes and specialties. */

import type { CodeName, ListedCodeName } from './code-names.ts'
import type { Specialty } from './specialties.ts'

/** Finds names of billing codes. */
export interface CodeNames {
  /**
   * Yields the names that have a key with these first two or three characters, a few at a time and in no particular
   * order. A name may come several times, each time with some of its publishers.
   */
  readNames(start: string): AsyncIterable<readonly ListedCodeName[]>
}

/** Adds and removes names; for the loader and the commands of operators. */
export interface CodeNamesAdmin extends CodeNames {
  /** Returns the names that are stored for a publisher; some may come twice. */
  readNamesOf(publisherKey: string): Promise<readonly CodeName[]>
  /** Stores names of a publisher so that `readNames` finds them, and then notes that they are stored. */
  addNames(publisherKey: string, names: readonly CodeName[], id: string): Promise<void>
  /**
   * Merges what many loads have added, so that queries read less. Names stay findable while it runs, and are complete
   * if it is killed.
   */
  mergeNames(newId: () => string): Promise<void>
  /** Removes all names. If it is killed, it can be repeated. */
  removeNames(): Promise<void>
}

export interface Specialties {
  /** Returns the specialties, ordered by code; none if none are loaded. */
  readSpecialties(): Promise<readonly Specialty[]>
}

export interface SpecialtiesAdmin extends Specialties {
  /** Replaces all specialties. */
  writeSpecialties(specialties: readonly Specialty[]): Promise<void>
}
