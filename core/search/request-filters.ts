import { type Filter, type FilterLists, filterList, valuesOf } from '../../contract/filters.ts'
import type { ColumnHome } from '../../schema/columns/column.ts'
import { contentIdColumn } from '../../schema/columns/column.ts'
import { ratesColumns } from '../../schema/columns/rates.ts'
import type { FeeSchedule } from '../catalogue/fee-schedule.ts'
import { conditionOf } from './filter-kinds.ts'
import { isIn, literal } from './sql.ts'

/** A condition that a list of a request puts on the rows of one table. */
export interface RequestFilter {
  /** The list's name in the body, for messages. */
  readonly path: string
  /** The table with the column that the condition tests. */
  readonly home: ColumnHome
  readonly condition: string
}

/** Returns the conditions of a request's optional lists. */
export function filterRows(request: FilterLists): readonly RequestFilter[] {
  return filterList.flatMap((filter) => {
    const values = valuesOf(request, filter)
    if (values === undefined) return []
    const path = 'parent' in filter ? `${filter.parent}.${filter.name}` : filter.name
    return { path, home: homeOf(filter), condition: conditionOf(filter, values) }
  })
}

/** Returns the table that has the values of a filter. */
export function homeOf({ name, column }: Filter): ColumnHome {
  const home = ratesColumns.find((each) => each.name === column)?.home
  if (home === undefined || home === 'view') throw new TypeError(`no table has the values of ${name}`)
  return home
}

/** True if a request has a list of values of one of the tables. */
export const filtersTable = (request: FilterLists, ...tables: readonly ColumnHome[]): boolean =>
  filterList.some((filter) => valuesOf(request, filter) !== undefined && tables.includes(homeOf(filter)))

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
