import { providerLists } from '../../contract/provider-ids.ts'
import { rewrittenCodeTypes } from '../../schema/columns/code-types.ts'
import type { ColumnHome } from '../../schema/columns/column.ts'
import { contentIdColumn } from '../../schema/columns/column.ts'
import type { FeeSchedule } from '../catalogue/fee-schedule.ts'
import { searchedBillingCode } from './billing-code.ts'
import type { SearchRequest } from './search-request.ts'
import { distinct, isIn, literal } from './sql.ts'

/** A condition that a list of a request puts on the rows of one table. */
export interface RequestFilter {
  /** The list's name in the body, for messages. */
  readonly path: string
  /** The table with the column that the condition tests. */
  readonly home: ColumnHome
  readonly condition: string
}

/** Returns the conditions of a request's optional lists. */
export function filterRows({ npis, tins, billingCodes, providers }: SearchRequest): readonly RequestFilter[] {
  const ofProviders = providerLists.flatMap(({ name, column }) => {
    const values = providers?.[name]
    if (values === undefined) return []
    return [{ path: `providers.${name}`, home: 'providers', condition: isIn(column, values.map(literal)) } as const]
  })
  return [
    ...(npis ? [{ path: 'npis', home: 'provider_groups', condition: isIn('npi', npis.map(String)) } as const] : []),
    ...(tins
      ? [{ path: 'tins', home: 'provider_groups', condition: isIn('tin_value', tins.map(literal)) } as const]
      : []),
    ...(billingCodes
      ? [{ path: 'billing_codes', home: 'negotiated_rates', condition: matchCodes(billingCodes) } as const]
      : []),
    ...ofProviders,
  ]
}

/**
 * A code matches in every code type by that type's canonical form. Rows have only canonical forms, so one comparison
 * with the requested code covers most types, and a type that rewrites codes gets its own.
 */
function matchCodes(codes: readonly string[]): string {
  const rewritten = rewrittenCodeTypes.flatMap((type) => {
    const forms = codes.map((code) => searchedBillingCode(type, code)).filter((form, index) => form !== codes[index])
    if (forms.length === 0) return []
    return [`(billing_code_type = ${literal(type)} AND ${isIn('billing_code', distinct(forms).map(literal))})`]
  })
  return `(${[isIn('billing_code', codes.map(literal)), ...rewritten].join('\n    OR ')})`
}

/**
 * Returns the condition that a row belongs to one of the fee schedules.
 *
 * Grouped by payer, because Trino fails at an OR of 400 terms. Each fee schedule is restricted to its own content: a
 * source can be active for one plan and superseded for another, so one list of contents for all would mix loads.
 *
 * @param contents the content of each fee schedule, in their order; absent for an operator's own relation
 */
export function matchFeeSchedules(feeSchedules: readonly FeeSchedule[], contents?: readonly string[]): string {
  const members = feeSchedules.map(({ payer, plan }, index) => ({ payer, plan, contentId: contents?.[index] }))
  const terms = [...Map.groupBy(members, ({ payer }) => payer)].map(([payer, ofPayer]) => {
    const plans = [...Map.groupBy(ofPayer, ({ contentId }) => contentId)].map(([contentId, sharing]) => {
      const names = isIn(
        'plan',
        sharing.map(({ plan }) => literal(plan)),
      )
      return contentId === undefined ? names : `${contentIdColumn} = ${literal(contentId)} AND ${names}`
    })
    const condition = plans.length === 1 ? plans.join('') : anyOf(plans.map((plan) => `(${plan})`))
    return `(payer = ${literal(payer)} AND ${condition})`
  })
  return anyOf(terms)
}

const anyOf = (terms: readonly string[]) => `(${terms.join('\n    OR ')})`
