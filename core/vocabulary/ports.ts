/** The ports of the vocabulary: names by which people know billing codes, specialties and providers. */

import type { NppesMonth } from '../nppes/nppes-months.ts'
import type { CodeName, NameList } from './code-names.ts'
import type { Specialty } from './specialties.ts'

/** Reads names of billing codes. */
export interface CodeNames {
  /** Returns a text that is another one after the lists have changed. */
  readVersion(): Promise<string>
  /**
   * Yields the lists of names, those of a payer one after the other. A long list comes in pieces with the same id.
   *
   * @param payerKey only this payer's
   */
  readLists(payerKey?: string): AsyncIterable<NameList>
}

/** Stores and removes names; for the loader and the commands of operators. */
export interface CodeNamesAdmin extends CodeNames {
  /** Stores the names of a source, at least one. They are removed with the source. */
  writeSourceNames(sourceId: string, names: readonly CodeName[]): Promise<void>
  /** Returns the names of a source; undefined if none are stored. */
  readSourceNames(sourceId: string): Promise<readonly CodeName[] | undefined>
  addList(list: Required<NameList>): Promise<void>
  removeList(payerKey: string, id: string): Promise<void>
  /** Notes that the lists have changed. @param version a new text */
  writeVersion(version: string): Promise<void>
  /** Removes the items by which version 0.3 found names. */
  removeFormerItems(): Promise<void>
  /** Removes all names, of lists and of sources. If it is killed, it can be repeated. */
  removeAll(): Promise<void>
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

/** Providers of an area; they match all that is asked for. */
export interface AreaQuery {
  /** In upper case. */
  readonly state?: string | undefined
  readonly zip?: string | undefined
  /** In upper case. */
  readonly taxonomy?: string | undefined
  /** Words of the name, as `findByWords` reads them. @default - providers of any name, and without a name */
  readonly q?: string | undefined
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
  findByArea(month: NppesMonth & Required<Pick<NppesMonth, 'directory'>>, query: AreaQuery): Promise<FoundProviders>
}
