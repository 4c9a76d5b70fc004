import type { AskedFeeSchedule } from '../client/api.ts'

/** Numbers, sizes and rates as people read them. */

/** A column's name as people read it. */
export function nameColumn(column: string): string {
  const words = column.replaceAll('_', ' ').replace(/\b(?:npi|tin)\b/g, (word) => word.toUpperCase())
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** Returns the names to show for a fee schedule of a request. */
export const nameAsked = (asked: AskedFeeSchedule) =>
  'plan_id' in asked ? { plan: `All plans of id ${asked.plan_id}`, payer: '' } : asked

/** Describes the age of a fee schedule's rates and whether they are complete, to follow its name. */
export function formatAge(rates: {
  readonly last_updated_on: string | null
  readonly loaded_at?: string | null
  readonly partial: boolean | null
}): string {
  const { last_updated_on: published, loaded_at: loaded, partial } = rates
  const facts = [
    ...(published ? [`published ${published}`] : []),
    ...(loaded ? [`loaded ${formatDay(loaded)}`] : []),
    ...(partial ? ['partial: files were missing when it was loaded'] : []),
  ]
  return facts.map((fact) => ` · ${fact}`).join('')
}

/** The Swedish way of writing dates is that of ISO 8601, which data, links and the other dates of the page have. */
const isoLocale = 'sv-SE'

/** Writes the day of a moment where the reader is, `YYYY-MM-DD`. */
export const formatDay = (time: string): string => new Date(time).toLocaleDateString(isoLocale)

/** Writes a moment where the reader is, `YYYY-MM-DD hh:mm`. */
export const formatMoment = (time: string): string =>
  new Date(time).toLocaleString(isoLocale, { dateStyle: 'short', timeStyle: 'short' })

/** Formats a month such as `2026-10` with its name. */
export const formatMonth = (month: string): string =>
  new Date(`${month}-01`).toLocaleDateString([], { month: 'long', year: 'numeric', timeZone: 'UTC' })

/**
 * A rate on an axis whose label states the unit.
 *
 * @param digits minimum number of decimals
 */
export function formatTick(rate: number, unit: string, digits = 0): string {
  const text = Math.abs(rate).toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: 4 })
  const sign = rate < 0 ? '−' : ''
  if (unit === 'usd' || unit === 'usd_per_day') return `${sign}$${text}`
  return unit === 'percent_of_charges' ? `${sign}${text} %` : sign + text
}

/** A rate with its unit: dollars and percentages never look alike. */
export function formatRate(rate: number, unit: string): string {
  const digits = { minimumFractionDigits: 2, maximumFractionDigits: 4 }
  if (unit === 'usd') return `$${rate.toLocaleString('en-US', digits)}`
  if (unit === 'usd_per_day') return `$${rate.toLocaleString('en-US', digits)} a day`
  if (unit === 'percent_of_charges') return `${rate.toLocaleString('en-US', { maximumFractionDigits: 4 })} % of charges`
  return `${rate.toLocaleString('en-US', { maximumFractionDigits: 4 })} (unit not published)`
}

const unitNames: Readonly<Record<string, string>> = {
  usd: 'dollars',
  usd_per_day: 'dollars a day',
  percent_of_charges: 'percent of charges',
  unspecified: 'a unit that was not published',
}

/** Names the unit of rates. */
export const nameUnit = (unit: string): string => unitNames[unit] ?? unit
