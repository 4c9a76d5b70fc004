import { type LoadedRates, openLoadedRates, openLoadedServed } from '../rates/loaded-rates.ts'
import type { Rates, ServedSearches } from '../rates/rates.ts'
import { openOwnRates, openOwnServed } from './own-rates.ts'

/** The setting that decides which rates searches read. */
interface RatesSetting {
  /** The columns of an operator's own relation. @default - searches read the rates that loads have made active */
  readonly columns?: readonly string[] | undefined
}

/** Dependencies of the rates, whichever they are. */
export type OpenRates = LoadedRates & RatesSetting

/** Dependencies of the part of the rates that says which searches can be served. */
export type OpenServed = Parameters<typeof openLoadedServed>[0] & RatesSetting

/** Opens the rates that the stage's searches read. */
export const openRates = (deps: OpenRates): Rates =>
  deps.columns === undefined ? openLoadedRates(deps) : openOwnRates(deps, deps.columns)

/** Opens the part of the rates that says which searches can be served. */
export const openServed = (deps: OpenServed): ServedSearches =>
  deps.columns === undefined ? openLoadedServed(deps) : openOwnServed(deps.columns)
