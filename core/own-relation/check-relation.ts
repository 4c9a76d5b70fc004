import { maxBillingCodeLength } from '../../contract/limits.ts'
import { isNpi } from '../../contract/provider-ids.ts'
import { findNameFault, normaliseName } from '../../contract/texts/names.ts'
import { normaliseBillingCode } from '../../contract/texts/written-code.ts'
import type { Column } from '../../schema/columns/column.ts'
import { ratesColumns } from '../../schema/columns/rates.ts'
import { replacedColumns } from '../../schema/columns/relation-columns.ts'
import { canonicalBillingCode } from '../search/billing-code.ts'
import { isTin, type SearchRequest } from '../search/search-request.ts'
import { openRows, type Read, type ResultTable } from './ports.ts'

/** Checks that searches can read and compare the columns and values of an operator's own relation `rates`. */

/**
 * A difference between an operator's relation and the loader's: `wrong` if a search fails over it or cannot find a row.
 */
export interface Difference {
  readonly weight: 'wrong' | 'different'
  readonly text: string
}

/** The rules of values that searches compare; a value that breaks its rule is never found. */
const matchingRules: readonly {
  readonly column: string
  readonly rule: string
  readonly holds: (value: string, read: Read) => boolean
}[] = [
  ...['payer', 'plan'].map((column) => ({
    column,
    rule: 'not in the form that searches compare (NFC, trimmed, single spaces, at most 200 characters, none invisible)',
    holds: (value: string) => findNameFault(value) === undefined && normaliseName(value) === value,
  })),
  { column: 'npi', rule: 'not an NPI (ten digits, or 0 for a whole TIN)', holds: (value) => isNpi(Number(value)) },
  { column: 'tin_value', rule: 'not a TIN (2 to 20 digits without hyphens)', holds: isTin },
  {
    column: 'billing_code_type',
    rule: 'not trimmed or not in upper case',
    holds: (value) => value !== '' && normaliseBillingCode(value) === value,
  },
  {
    column: 'billing_code',
    rule: `not in the canonical form of the code's type, at most ${maxBillingCodeLength} characters`,
    holds: (value, read) =>
      value !== '' &&
      value.length <= maxBillingCodeLength &&
      canonicalBillingCode(read('billing_code_type') ?? '', value) === value,
  },
]

/**
 * Lists the differences in a sample of the relation.
 *
 * @param sample rows with all columns of the relation
 */
export function checkRates(sample: ResultTable): readonly Difference[] {
  const types = new Map(sample.columns.map(({ name, type }) => [name, type]))
  const further = sample.columns.filter(({ name }) => !ratesColumns.some((column) => column.name === name))
  return [
    ...ratesColumns.flatMap((column) => checkColumn(column, types.get(column.name))),
    ...further.map(({ name }) =>
      different(`${name} is not a column of rates${describeReplaced(name)}: it is not read`),
    ),
    ...(sample.rows.length === 0 ? [different('rates has no rows: no values were checked')] : []),
    ...checkValues(sample),
  ]
}

function describeReplaced(name: string): string {
  const replacement = replacedColumns.get(name)
  return replacement === undefined ? '' : ` (${replacement})`
}

function checkColumn(column: Column, type: string | undefined): readonly Difference[] {
  const { name, required } = column
  if (type === undefined)
    return [required ? wrong(`${name} is missing and required`) : different(`${name} is missing: NULL in results`)]
  const expected = column.type === 'varchar ARRAY' ? 'array' : column.type
  if (type === expected) return []
  const text = `${name} is ${type}, not ${column.type}`
  const isCompared = matchingRules.some((rule) => rule.column === name)
  // Trino cannot compare text with numbers, nor cast between lists and other types.
  const isUnfit = isCompared ? familyOf(type) !== familyOf(expected) : (type === 'array') !== (expected === 'array')
  return [isUnfit ? wrong(`${text}: searches fail`) : different(`${text}: searches cast it`)]
}

function familyOf(type: string): string {
  if (/^(var)?char\b/.test(type)) return 'text'
  return /^(tinyint|smallint|integer|bigint|decimal|real|float|double)\b/.test(type) ? 'number' : type
}

function checkValues(sample: ResultTable): readonly Difference[] {
  const columnNames = new Set(sample.columns.map(({ name }) => name))
  const reads = openRows(sample)
  const count = (faulty: number) => `in ${faulty} of ${reads.length} rows`
  const broken = matchingRules.flatMap(({ column, rule, holds }) => {
    const values = reads.flatMap((read) => {
      const value = read(column)
      return value === undefined || holds(value, read) ? [] : [value]
    })
    return values.length === 0
      ? []
      : [wrong(`${column} is ${rule}: ${count(values.length)}, the first ${JSON.stringify(values[0])}`)]
  })
  const empty = ratesColumns
    .filter(({ name, required }) => required && columnNames.has(name))
    .flatMap(({ name }) => {
      const nulls = reads.filter((read) => read(name) === undefined).length
      const isCompared = matchingRules.some(({ column }) => column === name)
      return nulls === 0 ? [] : [(isCompared ? wrong : different)(`${name} is NULL ${count(nulls)}`)]
    })
  return [...broken, ...empty]
}

/** Compares the columns of the relation with the columns that its stage names. */
export function checkStageColumns(sample: ResultTable, stageColumns: readonly string[]): readonly Difference[] {
  const relationColumns = sample.columns.map(({ name }) => name)
  return ratesColumns.flatMap(({ name }) => {
    if (stageColumns.includes(name) === relationColumns.includes(name)) return []
    return stageColumns.includes(name)
      ? [wrong(`${name} is a column that the stage names but the relation lacks: searches fail`)]
      : [different(`${name} exists, but the stage does not name it: NULL in results`)]
  })
}

/** Makes a search for a row of the sample, for a trial on Athena; undefined if no row can be searched for. */
export function makeProbe(sample: ResultTable): SearchRequest | undefined {
  for (const readColumn of openRows(sample)) {
    const [payer, plan, code] = ['payer', 'plan', 'billing_code'].map(readColumn)
    const npi = Number(readColumn('npi'))
    if (payer !== undefined && plan !== undefined && code !== undefined && isNpi(npi))
      return { npis: [npi], billingCodes: [code], feeSchedules: [{ payer, plan }] }
  }
  return undefined
}

export const wrong = (text: string): Difference => ({ weight: 'wrong', text })
export const different = (text: string): Difference => ({ weight: 'different', text })
