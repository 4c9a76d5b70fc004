import type { DuckDBValue } from '@duckdb/node-api'
import type { FindingRule } from '../published/findings.ts'
import type { NegotiatedPrice } from '../published/in-network-file.ts'
import type { ListedField } from '../published/known-values.ts'
import { readListedValue } from '../published/known-values.ts'
import { parsePublishedDate } from '../published/published-date.ts'
import { toDate, toSet, toText } from './staged-value.ts'
import type { StagedTable } from './staging-database.ts'

/** The columns that many prices share: all of a price but its rate. */
export const termColumns = [
  'negotiated_type',
  'billing_class',
  'setting',
  'service_code',
  'billing_code_modifier',
  'additional_information',
  'expiration_date',
] as const

/** Terms whose numbers are kept: such as come again after so many others are stored again. */
const mostKeptTerms = 100_000

/** Terms that were stored before, and what is counted each time they come. */
interface KnownTerms {
  readonly number: number
  readonly findings: readonly (readonly [rule: FindingRule, field: string])[]
}

/** Takes what many prices share into the staging database, each combination once. */
export class TermStage {
  readonly #table: StagedTable
  readonly #known = new Map<string, KnownTerms>()
  #count = 0

  constructor(table: StagedTable) {
    this.#table = table
  }

  /** @returns the number of a price's terms, and what is to be counted for the price */
  add(price: NegotiatedPrice): KnownTerms {
    const { negotiatedType, billingClass, setting, expirationDate, additionalInformation } = price
    const lists = `${price.serviceCodes.join('\u0001')}\u0000${price.modifiers.join('\u0001')}`
    const key = `${negotiatedType}\u0000${billingClass ?? ''}\u0000${setting ?? ''}\u0000${expirationDate ?? ''}\u0000${lists}\u0000${additionalInformation ?? ''}`
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const findings: (readonly [FindingRule, string])[] = []
    const read = (field: ListedField, text: string | undefined): string | undefined => {
      if (text === undefined || text.trim() === '') return undefined
      const { value, finding } = readListedValue(field, text)
      if (finding !== undefined) findings.push([finding, field])
      return value
    }
    const date = parsePublishedDate(expirationDate)
    if (date === undefined) findings.push(['unreadable-date', 'expiration_date'])
    const values: readonly DuckDBValue[] = [
      toText(read('negotiated_type', negotiatedType)),
      toText(read('billing_class', billingClass)),
      toText(read('setting', setting)),
      toSet(price.serviceCodes),
      toSet(price.modifiers),
      toText(additionalInformation),
      toDate(date),
    ]
    const terms = { number: this.#count++, findings }
    this.#table.add(terms.number, ...values)
    if (this.#known.size >= mostKeptTerms) this.#known.clear()
    this.#known.set(key, terms)
    return terms
  }
}
