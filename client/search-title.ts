import { filterList, requestedValuesOf, shownFilters } from '../contract/filters.ts'
import { countOf, formatNumber } from '../schema/phrases.ts'
import type { AskedFeeSchedule, SearchListItem, SearchRequest } from './api.ts'

/** The facts of a search that its title names. */
interface AskedSearch
  extends Pick<
    SearchListItem,
    'fee_schedule_count' | 'first_fee_schedule' | 'next_fee_schedules' | 'filters' | 'as_of'
  > {
  /** Present if the search is for statistics in place of rows. */
  readonly summary?: object
}

/** Maximum numbers of values of each filter and of plans that a title names. */
interface TitleLength {
  readonly values: number
  readonly plans: number
}

/** A heading, and the name of a file, which have little room. */
const short: TitleLength = { values: 2, plans: 1 }

/** All that the list of searches has. */
export const long: TitleLength = { values: Number.POSITIVE_INFINITY, plans: Number.POSITIVE_INFINITY }

/** Returns the words before the values of a filter; a newer service may list filters that this client does not know. */
const titleWordOf = (name: string) => filterList.find((filter) => filter.name === name)?.titleWord ?? ''

/**
 * Returns the title of a search as parts, such as `73721, 99213` and `Open Access HMO + 1`. A page keeps the direction
 * of each part, because names may be written from right to left.
 */
export function titleSearch(search: AskedSearch, { values: maxValues, plans: maxPlans } = short): readonly string[] {
  const { fee_schedule_count: plans, filters = [], as_of: day, summary } = search
  const filterTitles = filters.map(({ name, first, count }) => {
    const values = first.slice(0, maxValues)
    return titleWordOf(name) + withOthers(values.join(', '), count - values.length)
  })
  const names = listNamed(search).slice(0, maxPlans).map(nameFeeSchedule)
  return [
    ...(summary === undefined ? [] : ['Summary']),
    ...filterTitles,
    ...names.slice(0, -1),
    withOthers(names.at(-1) ?? '', plans - names.length),
    ...(day === undefined ? [] : [`as of ${day}`]),
  ]
}

const listNamed = ({ first_fee_schedule: first, next_fee_schedules: next = [] }: AskedSearch) => [first, ...next]

/** Returns the payers that a list names of a search, and the number of plans whose payers the list does not have. */
export function listPayers(search: AskedSearch): { readonly payers: readonly string[]; readonly unlisted: number } {
  const plans = listNamed(search)
  const payers = new Set(plans.flatMap((asked) => ('payer' in asked ? asked.payer : [])))
  return { payers: [...payers], unlisted: search.fee_schedule_count - plans.length }
}

/** Stands for the payers of plans that a list does not have. */
export const writeUnlisted = (plans: number): string => `+ ${countOf(plans, 'more plan')}`

/** Returns the title of a search by its request, the same as `titleSearch` gives in a list. */
export function titleRequest(request: SearchRequest): readonly string[] {
  const { fee_schedules: feeSchedules, as_of, summary } = request
  const [first] = feeSchedules
  if (first === undefined) throw new TypeError('a request names no fee schedule')
  const filters = shownFilters.flatMap((filter) => {
    const values = requestedValuesOf(request, filter)
    if (values === undefined) return []
    return { name: filter.name, count: values.length, first: values.slice(0, short.values).map(String) }
  })
  return titleSearch({
    fee_schedule_count: feeSchedules.length,
    first_fee_schedule: first,
    filters,
    ...(as_of !== undefined && { as_of }),
    ...(summary && { summary }),
  })
}

/** Joins the parts of a title for a line of text. */
export const joinTitle = (parts: readonly string[]) => parts.join(' · ')

/** Longest base name of a file, in characters; file systems allow 255 bytes. */
const maxNameLength = 60

/** Returns a name for files from the parts of a title: letters and digits, joined by hyphens. */
export function nameFiles(parts: readonly string[]): string {
  const words =
    joinTitle(parts)
      .toLowerCase()
      .match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
  const name = [...words.join('-')].slice(0, maxNameLength).join('')
  return name.replace(/-$/, '') || 'search'
}

const nameFeeSchedule = (asked: AskedFeeSchedule) => ('plan_id' in asked ? `plans of id ${asked.plan_id}` : asked.plan)

const withOthers = (text: string, others: number) => (others > 0 ? `${text} + ${formatNumber(others)}` : text)
