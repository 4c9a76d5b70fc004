import { type LoadedRates, openLoadedProviders, openLoadedRates } from '../rates/loaded-rates.ts'
import type { ProviderSearches, Rates } from '../rates/rates.ts'
import { openOwnProviders, openOwnRates } from './own-rates.ts'

/** The setting that decides which rates searches read. */
interface RatesSetting {
  /** The columns of an operator's own relation. @default - searches read the rates that loads have made active */
  readonly columns?: readonly string[] | undefined
}

/** Dependencies of the rates, whichever they are. */
export type OpenRates = LoadedRates & RatesSetting

/** Dependencies of searches by `providers`. */
export type OpenProviders = Parameters<typeof openLoadedProviders>[0] & RatesSetting

/** Opens the rates that the stage's searches read. */
export const openRates = (deps: OpenRates): Rates =>
  deps.columns === undefined ? openLoadedRates(deps) : openOwnRates(deps, deps.columns)

/** Opens the part of the rates that a new search needs. */
export const openProviders = (deps: OpenProviders): ProviderSearches =>
  deps.columns === undefined ? openLoadedProviders(deps) : openOwnProviders(deps.columns)
