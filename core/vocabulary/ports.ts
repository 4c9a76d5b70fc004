/** The ports of the vocabulary: names by which people know billing codes, specialties and providers. */

import type { NppesMonth } from '../nppes/nppes-months.ts'
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

/** A provider as a month of NPPES has it; null where it has nothing. */
export interface Provider {
  readonly npi: number
  readonly name: string | null
  readonly taxonomy: string | null
  readonly city: string | null
  readonly state: string | null
  readonly zip: string | null
}

/** Providers of a place; they match all that is asked for. */
export interface PlaceQuery {
  /** In upper case. */
  readonly state?: string | undefined
  readonly zip?: string | undefined
  /** In upper case. */
  readonly taxonomy?: string | undefined
  /** @default - providers of any name, and without a name */
  readonly matchName?: ((name: string) => boolean) | undefined
  /** Maximum number of providers. */
  readonly limit: number
}

/** The reason why further providers may match: an answer reached this limit. */
export type ProviderLimit = 'limit' | 'bytes' | 'time'

export interface FoundProviders {
  readonly providers: readonly Provider[]
  /** @default - these are all that match */
  readonly stoppedBy?: ProviderLimit
}

/** Finds providers in the files of a month of NPPES, by reading only the parts that can have them. */
export interface ProviderFiles {
  findByNpi(month: NppesMonth, npi: number): Promise<FoundProviders>
  /** Returns providers ordered by state, ZIP code and name. The month has a directory. */
  findByPlace(month: NppesMonth & Required<Pick<NppesMonth, 'directory'>>, query: PlaceQuery): Promise<FoundProviders>
}
