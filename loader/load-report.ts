import type { CatalogueEntry } from '../core/catalogue-entry.ts'
import type { FeeSchedule } from '../core/fee-schedule.ts'
import type { Finding } from './findings.ts'
import { findingRules } from './findings.ts'

/** What a load did. */
export interface LoadReport {
  readonly startedAt: Date
  readonly endedAt: Date
  readonly files: readonly FileReport[]
  /** The catalogue entries as they stand now, one for each fee schedule that the files name. */
  readonly switched: readonly CatalogueEntry[]
  /** Plans of a table of contents of which every file is missing: what counts for them stays. */
  readonly untouched: readonly FeeSchedule[]
}

export interface FileReport {
  /** The path as the operator gave it. */
  readonly file: string
  /** Base name without a query string: what `source_file` says. */
  readonly name: string
  /** Size as it is packed. */
  readonly bytes: number
  readonly sourceId: string
  /** The fee schedules that the file serves. */
  readonly feeSchedules: readonly FeeSchedule[]
  /** Published prices that became rows. */
  readonly prices: number
  /** Published prices that became none. */
  readonly skipped: number
  /** Rows that the file has in `rates`, for each plan. */
  readonly rates: number
  readonly codes: number
  readonly npis: number
  readonly findings: readonly Finding[]
}

/** The report in words, several lines without one at the end: what was loaded, what was found, what counts now. */
export function describeReport({ startedAt, endedAt, files, switched, untouched }: LoadReport): string {
  const seconds = (endedAt.getTime() - startedAt.getTime()) / 1000
  return [
    `Loaded ${countOf(files.length, 'file')} in ${seconds.toFixed(1)} s`,
    ...files.flatMap(describeFile),
    `Searches now read, for ${countOf(switched.length, 'fee schedule')}`,
    ...switched.map(describeEntry),
    ...(untouched.length === 0 ? [] : [`Nothing was loaded for ${countOf(untouched.length, 'plan')} without any file`]),
    ...untouched.map((feeSchedule) => `  ${describeFeeSchedule(feeSchedule)}`),
  ].join('\n')
}

function describeFile({ file, feeSchedules, prices, skipped, rates, findings }: FileReport): readonly string[] {
  const [only] = feeSchedules
  const served =
    only !== undefined && feeSchedules.length === 1
      ? describeFeeSchedule(only)
      : countOf(feeSchedules.length, 'fee schedule')
  const left = skipped === 0 ? '' : `, ${countOf(skipped, 'price')} skipped`
  const summary = `  ${file}: ${countOf(rates, 'rate')} of ${countOf(prices, 'price')}${left}, ${served}`
  return [summary, ...findings.flatMap(describeFinding)]
}

function describeFinding({ rule, count, examples }: Finding): readonly string[] {
  const more = count > examples.length ? ', …' : ''
  return [`    ${numberFormat.format(count)} ${findingRules[rule]}`, `      ${examples.join(', ')}${more}`]
}

function describeEntry({ state, ...feeSchedule }: CatalogueEntry): string {
  const name = describeFeeSchedule(feeSchedule)
  if (state.status === 'ambiguous')
    return `  ${name}: ${countOf(state.variants, 'plan id')} with different files; search for each by its own name`
  if (state.status !== 'active') return `  ${name}: removed`
  const { sourceCount, lastUpdatedOn, partial } = state
  return [
    `  ${name}: ${countOf(sourceCount, 'file')}`,
    ...(lastUpdatedOn === undefined ? [] : [`last updated on ${lastUpdatedOn}`]),
    ...(partial ? ['partial: files are missing'] : []),
  ].join(', ')
}

const numberFormat = new Intl.NumberFormat('en')

const countOf = (count: number, noun: string) => `${numberFormat.format(count)} ${noun}${count === 1 ? '' : 's'}`

const describeFeeSchedule = ({ payer, plan }: FeeSchedule) => `${payer} / ${plan}`
