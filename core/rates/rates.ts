import type { FilterLists } from '../../contract/filters.ts'
import type { EstimateBody, Fault } from '../../contract/search-api.ts'
import type { FeeSchedule } from '../catalogue/fee-schedule.ts'
import { InvalidRequest } from '../errors.ts'
import type { Failure } from '../failure.ts'
import type { ChosenNppesMonth } from '../nppes/nppes-months.ts'
import type { SearchRequest } from '../search/search-request.ts'
import type { Scope } from '../search/statement.ts'

/** The part of a request that only some rates can serve. */
export type ServedPart = FilterLists & Pick<SearchRequest, 'summary'>

/** Answers whether searches by `providers`, and summaries, can be served. */
export interface ServedSearches {
  /** Returns what cannot be served, and why. */
  readonly findUnserved: (request: ServedPart) => Promise<readonly Fault[]>
  /** Returns the names of the lists of `providers` that a search can have. */
  readonly listProviderLists: () => Promise<readonly string[]>
}

/** The failure of a search that cannot be served, if it was accepted. */
export const describeUnserved = (faults: readonly Fault[]): Failure | undefined =>
  faults.length === 0
    ? undefined
    : { word: 'not_loaded', sentence: faults.map(({ path, message }) => `\`${path}\` ${message}.`).join(' ') }

/**
 * The rates that a stage's searches read: those that loads have made active (`openLoadedRates`), or an operator's own
 * relation (`openOwnRates`). Everything that differs between the two is decided here and nowhere else in the core.
 */
export interface Rates extends ServedSearches {
  /** Chooses what a search reads, or returns the failure of a search that cannot be served. */
  readonly choose: (request: SearchRequest) => Promise<Choice | { readonly failure: Failure }>
  /**
   * Reads what the statement of a job needs about the contents that were chosen for it. They never change, so every
   * attempt of a job has the same statement.
   *
   * @param feeSchedules of the search, in the order of its contents
   * @param location the address of the warehouse as Athena writes it
   * @throws ContentGone if a content or the NPPES month was removed while the job waited: its rows would be missing
   *   silently
   */
  readonly readScope: (
    choice: Choice,
    feeSchedules: readonly FeeSchedule[],
    location: string,
  ) => Promise<ReadScope | { readonly failure: Failure }>
  /** Estimates what a search would read, without choosing it. */
  readonly estimate: (request: SearchRequest) => Promise<RatesEstimate>
}

/** The contents and the NPPES month that a search reads. */
export interface Choice {
  /** The content of each fee schedule, in their order; empty over an operator's own relation. */
  readonly contents: readonly string[]
  /** The fee schedules of these contents, in the same order; absent unless the request names plan ids. */
  readonly feeSchedules?: readonly FeeSchedule[]
  /** The NPPES month that the statement joins. */
  readonly nppesMonth?: ChosenNppesMonth
}

/** The facts that a statement needs about the rates that a job reads. */
export interface ReadScope {
  readonly scope: Scope
  /** True if loads have counted rows in the contents, so that a query that reads no byte has missed them. */
  readonly hasRows: boolean
}

/** An estimate of what a search would read. */
export interface RatesEstimate {
  /** The request with fee schedules in place of its plan ids. */
  readonly request: SearchRequest
  readonly feeSchedules: EstimateBody['fee_schedules']
  /** Null if files are not counted. */
  readonly size: Pick<EstimateBody, 'files' | 'bytes' | 'own_relation'>
  /** The failure of the search, if it would fail. */
  readonly failure?: Failure | undefined
  /** Names of the fee schedules whose filter does not cover the search, with the fault. */
  readonly unloaded: readonly { readonly names: readonly string[]; readonly fault: string }[]
  /** Shortcomings of a search that does not fail, as warnings. @default - none */
  readonly lacking?: readonly Fault[]
}

/** The size of a search whose files are not counted. */
export const unknownSize = { files: null, bytes: null } as const

/** Looks for NPPES only if a request needs it. @throws InvalidRequest if it cannot be served */
export async function requireServed(rates: ServedSearches, request: SearchRequest): Promise<void> {
  const faults = await rates.findUnserved(request)
  if (faults.length > 0) throw new InvalidRequest(faults)
}
