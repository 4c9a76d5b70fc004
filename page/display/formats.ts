import type { AskedFeeSchedule } from '../../client/api.ts'
import type { Amount } from '../../client/results/amounts.ts'

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

const twoDigits = (value: number) => String(value).padStart(2, '0')

/** Writes the day of a moment where the reader is, `YYYY-MM-DD`, like the days of data and links. */
export function formatDay(time: string): string {
  const moment = new Date(time)
  return [moment.getFullYear(), moment.getMonth() + 1, moment.getDate()].map(twoDigits).join('-')
}

/** Writes a moment where the reader is, `YYYY-MM-DD hh:mm`. */
export function formatMoment(time: string): string {
  const moment = new Date(time)
  return `${formatDay(time)} ${[moment.getHours(), moment.getMinutes()].map(twoDigits).join(':')}`
}

/** Formats a month such as `2026-10` with its name. */
export const formatMonth = (month: string): string =>
  new Date(`${month}-01`).toLocaleDateString('en-US', { month: 'long', year: 'numeric', timeZone: 'UTC' })

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

/** A rate with its unit: dollars and percentages never look alike. All digits of a published amount are shown. */
export function formatRate(rate: Amount, unit: string): string {
  if (unit === 'usd') return `$${groupDigits(rate, 2)}`
  if (unit === 'usd_per_day') return `$${groupDigits(rate, 2)} a day`
  if (unit === 'percent_of_charges') return `${groupDigits(rate, 0)} % of charges`
  return `${groupDigits(rate, 0)} (unit not published)`
}

/** A rate as `formatRate`, in a cell with little room: a percentage without the words `of charges`. */
export const formatShortRate = (rate: Amount, unit: string): string =>
  unit === 'percent_of_charges' ? `${groupDigits(rate, 0)} %` : formatRate(rate, unit)

/** Writes an amount with commas between thousands, and at least a number of decimals. */
function groupDigits(rate: Amount, decimals: number): string {
  if (typeof rate === 'number')
    return rate.toLocaleString('en-US', { minimumFractionDigits: decimals, maximumFractionDigits: 4 })
  const [whole = '', fraction = ''] = rate.split('.')
  const written = fraction.padEnd(decimals, '0')
  return `${BigInt(whole).toLocaleString('en-US')}${written === '' ? '' : `.${written}`}`
}

const unitNames: Readonly<Record<string, string>> = {
  usd: 'dollars',
  usd_per_day: 'dollars a day',
  percent_of_charges: 'percent of charges',
  unspecified: 'a unit that was not published',
}

/** Names the unit of rates. */
export const nameUnit = (unit: string): string => unitNames[unit] ?? unit
