import type { SummaryDimension, SummaryWeight } from '../../contract/summaries.ts'
import { flagNames, rowFlags } from '../columns/flags.ts'
import type { ColumnName } from '../columns/rates.ts'

/**
 * The definition of a summary: which prices are in one statistic, what counts once in it, and which prices are left
 * out. The SQL of summaries and the web page are made from it (docs/summaries.md, docs/adr/0050).
 */

/** Stands for all places of service in a price's list. Source: CMS schema, `service_code`. */
export const everywhere = 'CSTM-00'

/**
 * Stands for the places of service, or the networks, of a price that lists more of them than a summary tells apart. No
 * code of CMS is written so.
 */
export const many = 'many'

/**
 * Most places, and most networks, of a price that have a row each in a summary. CMS has under sixty places of service,
 * and honest prices are in a handful of networks; without a limit, a few kilobytes of a file make millions of rows.
 */
export const maxListed = 100

/** Most pairs of a place and a network of a price that have a row each in a summary by networks. */
export const maxListedPairs = 1000

/** The type of codes that stand for all services of a plan; only names tell them apart. */
export const codesByName = 'CSTM-ALL'

/** Terms of a price. Prices that differ in one of them are never in one statistic. */
export const termColumns = [
  'negotiated_type',
  'negotiation_arrangement',
  'billing_class',
  'setting',
  'severity_of_illness',
  'additional_information',
  'bundled_codes',
  'covered_services',
] as const satisfies readonly ColumnName[]

/** The columns whose values are equal for all prices of a row of a summary, except the place of service. */
export const groupColumns = [
  'payer',
  'plan',
  'billing_code_type',
  'billing_code',
  'name',
  'billing_code_modifier',
  'rate_unit',
  ...termColumns,
] as const satisfies readonly ColumnName[]

/** Returns the places at which a price holds, each with a row of its own; `null` stands for a price without places. */
export function placesOf(serviceCodes: readonly string[] | null): readonly (string | null)[] {
  if (serviceCodes === null || serviceCodes.length === 0) return [null]
  return serviceCodes.length > maxListed ? [many] : [...new Set(serviceCodes)]
}

/** A dimension: the columns of `rates` with its values. A list has a row for each element. */
export const dimensionColumns: Readonly<Record<SummaryDimension, readonly ColumnName[]>> = {
  state: ['provider_state'],
  zip: ['provider_zip'],
  taxonomy: ['provider_taxonomy'],
  network: ['network_name'],
  npi: ['npi'],
  tin: ['tin_type', 'tin_value'],
}

/** Columns that identify the things that count, by weight: each counts once for each amount in a row's group. */
export const weightColumns: Readonly<Record<SummaryWeight, readonly ColumnName[]>> = {
  tins: ['tin_type', 'tin_value'],
  prices: ['price_id'],
  npis: ['npi'],
}

/** The NPI of rates that are agreed for a whole TIN: it is not a provider, and does not count as one. */
export const wholeTin = 0

/**
 * Returns the identity of the thing that counts once for each amount of a row; undefined if the row counts for none, as
 * a rate of a whole TIN does among NPIs.
 */
export function identifyThing(weight: SummaryWeight, row: Readonly<Record<string, unknown>>): string | undefined {
  let thing = ''
  for (const column of weightColumns[weight]) {
    const value = row[column]
    if (value === null || value === undefined || (column === 'npi' && Number(value) === wholeTin)) return undefined
    thing += `${value}:`
  }
  return thing
}

/**
 * The flags of prices that are left out, because the amount may not be a rate. A value is left out if all its prices
 * have one of them; and it has any other flag if all its prices have that one.
 */
export const doubtfulFlags: readonly string[] = flagNames.filter((name) => rowFlags[name].isDoubtful)

/** True if a price is left out of statistics unless it is asked for. */
export const isDoubtful = (flags: readonly string[] | null): boolean =>
  flags?.some((flag) => doubtfulFlags.includes(flag)) ?? false
