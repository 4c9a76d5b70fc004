import type { Amount } from '../../client/results/amounts.ts'
import { showValue } from '../../client/results/csv.ts'
import type { ResultRow } from '../../client/results/result-row.ts'
import type { SummaryWeight } from '../../contract/summaries.ts'
import { at } from '../../schema/at.ts'
import { countOf } from '../../schema/phrases.ts'
import { identifyKind } from '../statistics/comparable-prices.ts'
import { identifyValue, nameCode, type Price, type RateGroup } from '../statistics/rate-groups.ts'
import { locateAmount, type PositionRange } from './position.ts'

/** Something that the reader looks for in every strip: an amount, or a business or provider that is paid. */
export type Highlight =
  | {
      readonly kind: 'amount'
      readonly label: string
      readonly amount: number
      /** True if the amount can be meant in a unit: dollars are not looked for among percentages. */
      readonly isOf: (unit: string) => boolean
    }
  | { readonly kind: 'party'; readonly label: string; readonly has: (row: ResultRow) => boolean }
  /** Several names have all of the words. */
  | { readonly kind: 'ambiguous'; readonly names: readonly string[] }
  | { readonly kind: 'nothing'; readonly reason: string }

/**
 * Reads what the reader looks for: a TIN (`12-3456789`), an NPI, an amount (`$1,240`, `85 %`), or words of a name among
 * the rows.
 *
 * @param rows all rows that were read, of every code
 */
export function readHighlight(text: string, rows: readonly ResultRow[]): Highlight | undefined {
  const entry = text.trim()
  if (entry === '') return undefined
  const id = /^(?:(?:tin|ein|npi)[\s:]*)?(\d{1,2}-?\d{7}|\d{10})$/i.exec(entry)?.[1]?.replace('-', '')
  if (id !== undefined) return findId(padTin(id), rows)
  return readAmount(entry) ?? findName(entry, rows)
}

function readAmount(entry: string): Highlight | undefined {
  const [, dollar, digits, percent] = /^(\$?)\s*((?:\d[\d,]*)?\.?\d+|\d[\d,]*\.?)\s*(%?)$/.exec(entry) ?? []
  const amount = Number(digits?.replaceAll(',', ''))
  if (digits === undefined || Number.isNaN(amount)) return undefined
  const isOf = (unit: string) => {
    if (dollar === '$') return unit === 'usd' || unit === 'usd_per_day'
    return percent !== '%' || unit === 'percent_of_charges'
  }
  return { kind: 'amount', label: entry, amount, isOf }
}

/** The columns with names of the business or provider that is paid, the business first. */
const nameColumns = ['tin_business_name', 'provider_name'] as const

/** Returns the name of the business that a row pays, else the provider, else the TIN. */
export function nameParty(row: ResultRow): string {
  const name = nameColumns.map((column) => showValue(row[column])).find((value) => value !== '')
  return name ?? `TIN ${formatTin(row)}`
}

/** Formats the TIN of a row as it is usually written. */
export function formatTin({ tin_type: type, tin_value: value }: ResultRow): string {
  const digits = showValue(value)
  return type === 'ein' ? digits.replace(/^(\d{2})(\d{7})$/, '$1-$2') : digits
}

/** Returns a TIN with the leading zeros that an EIN may have lost; an NPI stays as it is. */
const padTin = (digits: string) => digits.padStart(9, '0')

function findId(id: string, rows: readonly ResultRow[]): Highlight {
  const isNpi = (row: ResultRow) => showValue(row['npi']) === id
  const isTin = (row: ResultRow) => padTin(showValue(row['tin_value'])) === id
  const row = rows.find((each) => isTin(each) || isNpi(each))
  if (row === undefined)
    return {
      kind: 'nothing',
      reason: `No price of this result is agreed with ${id.length === 10 ? 'NPI' : 'TIN'} ${id}.`,
    }
  if (isTin(row)) return { kind: 'party', label: joinName(nameParty(row), `TIN ${formatTin(row)}`), has: isTin }
  const person = showValue(row['provider_name']) || nameParty(row)
  return { kind: 'party', label: joinName(person, `NPI ${id}`), has: isNpi }
}

/** Puts a name before an id, unless the id is all that is known. */
const joinName = (name: string, id: string) => (name.startsWith('TIN ') ? id : `${name} · ${id}`)

function findName(entry: string, rows: readonly ResultRow[]): Highlight {
  const names = listNames(rows)
  const key = entry.toLowerCase()
  const words = key.match(/\S+/g) ?? []
  const matches = names.has(key)
    ? [key]
    : [...names.keys()].filter((name) => words.every((word) => name.includes(word)))
  const [match] = matches
  if (match === undefined)
    return { kind: 'nothing', reason: 'No provider or business of this result has all of these words in its name.' }
  const labels = matches.map((name) => names.get(name) ?? name)
  if (matches.length > 1) return { kind: 'ambiguous', names: labels.toSorted((a, b) => a.localeCompare(b, 'en')) }
  const has = (row: ResultRow) => nameColumns.some((column) => showValue(row[column]).toLowerCase() === match)
  const tins = new Set(rows.filter(has).map((row) => showValue(row['tin_value'])))
  return { kind: 'party', label: at(labels, 0) + (tins.size > 1 ? ` (${countOf(tins.size, 'TIN')})` : ''), has }
}

/** The names of rows, which do not change while the reader types. */
const namesOfRows = new WeakMap<readonly ResultRow[], ReadonlyMap<string, string>>()

/** Lists the names of rows by their lower case: payers and NPPES write the same name in other cases. */
function listNames(rows: readonly ResultRow[]): ReadonlyMap<string, string> {
  const earlier = namesOfRows.get(rows)
  if (earlier !== undefined) return earlier
  const names = new Map<string, string>()
  namesOfRows.set(rows, names)
  for (const column of nameColumns)
    for (const row of rows) {
      const name = showValue(row[column])
      const key = name.toLowerCase()
      if (name !== '' && !names.has(key)) names.set(key, name)
    }
  return names
}

/** A highlight among the prices of a group: the positions of its amounts, and the prices that have it. */
export interface HighlightedGroup {
  readonly range: PositionRange
  /** The prices of the business or provider that is looked for; none for an amount. */
  readonly prices: ReadonlySet<Price>
}

/** Returns the positions of a highlight among the prices of a group; undefined if it has none there. */
export function locateHighlight(
  group: RateGroup,
  unit: string,
  highlight: Highlight | undefined,
): HighlightedGroup | undefined {
  const locate = (least: Amount, greatest: Amount, prices: readonly Price[]) => ({
    range: { least: locateAmount(group, least), greatest: locateAmount(group, greatest), count: prices.length },
    prices: new Set(prices),
  })
  if (highlight?.kind === 'amount' && highlight.isOf(unit)) return locate(highlight.amount, highlight.amount, [])
  if (highlight?.kind !== 'party') return undefined
  const prices = group.prices.filter(({ rows }) => rows.some(highlight.has))
  const [least, greatest] = [prices.at(0), prices.at(-1)]
  return least && greatest && locate(least.amount, greatest.amount, prices)
}

/**
 * Returns a highlight that finds the same values in the cells of the matrix as in the strips of the plot. A cell has
 * only one row of each value, which may be that of another provider of the TIN, so a provider is found by the value.
 *
 * @param rows all rows that are counted
 */
export function highlightValues(
  highlight: Highlight | undefined,
  rows: readonly ResultRow[],
  weight: SummaryWeight,
): Highlight | undefined {
  if (highlight?.kind !== 'party') return highlight
  const identify = (row: ResultRow) => `${nameCode(row)}\n${identifyKind(row)}\n${identifyValue(row, weight)}`
  const values = new Set(rows.filter(highlight.has).map(identify))
  return { ...highlight, has: (row) => values.has(identify(row)) }
}
