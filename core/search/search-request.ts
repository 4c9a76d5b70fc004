import { createHash } from 'node:crypto'
import { collectLists, type FilterLists, filterList, providerLists, requestField } from '../../contract/filters.ts'
import { maxFeeSchedules } from '../../contract/limits.ts'
import type { Fault } from '../../contract/search-api.ts'
import type { SummaryRequest } from '../../contract/summaries.ts'
import { findNameFault, normaliseName } from '../../contract/texts/names.ts'
import { printable, showValue } from '../../contract/texts/show-value.ts'
import { at } from '../../schema/at.ts'
import { listNames } from '../../schema/phrases.ts'
import type { FeeSchedule } from '../catalogue/fee-schedule.ts'
import { feeScheduleKey } from '../catalogue/fee-schedule.ts'
import { findSearchedPlanIdFault, readSearchedPlanId } from '../catalogue/plan-id.ts'
import { InvalidRequest } from '../errors.ts'
import { isoDay } from '../time.ts'
import { mustBeText, parserOf, parseText } from './filter-kinds.ts'
import { type ResultParts, readResultParts } from './parsing/read-result-parts.ts'
import { readSummary } from './parsing/read-summary.ts'
import { findUnknownFields, isRecord, listOf, readList, refuse } from './parsing/request-fields.ts'

/**
 * A search in canonical form: names and codes normalized, duplicates dropped, every list sorted, so that equivalent
 * requests are equal. An absent list means all.
 */
export interface SearchRequest extends ResultParts, FilterLists {
  readonly feeSchedules: readonly FeeSchedule[]
  /**
   * As `readSearchedPlanId` returns them. They stand for all fee schedules that have them when the search begins. They
   * are not looked up before, so that a repeated request is the same whatever was loaded in between.
   */
  readonly planIds?: readonly string[]
  /** `YYYY-MM-DD`: reads what was active at the end of this day, in UTC. */
  readonly asOf?: string
  /** The search is for statistics in place of rows. */
  readonly summary?: SummaryRequest
}

/** Number of fee schedules that a request names, each plan id once. */
export const countNamed = ({ feeSchedules, planIds = [] }: SearchRequest) => feeSchedules.length + planIds.length

/**
 * Serializes a request; equivalent requests give the same text. It names no field, so that none is left out of the hash
 * under which the request is stored.
 */
export function canonicalRequest(request: SearchRequest): string {
  return JSON.stringify(request, (_, value: unknown) =>
    isRecord(value) ? Object.fromEntries(Object.entries(value).sort(compareKeys)) : value,
  )
}

/** SHA-256 of the canonical form, in hex. The request is stored under it, so what runs cannot change. */
export function hashRequest(request: SearchRequest): string {
  return createHash('sha256').update(canonicalRequest(request)).digest('hex')
}

/** True for the digits of a TIN, as rows have them. */
export const isTin = (value: string) => /^\d{2,20}$/.test(value)

/**
 * Parses the body of `POST /v1/searches`.
 *
 * @param body JSON of unknown shape, as `parseStrictJson` returns it
 * @param otherFaults faults already found outside the body
 * @param now the latest day that as_of may name @default - it may be any
 * @throws InvalidRequest listing every fault with field, value and rule
 */
export function parseSearchRequest(body: unknown, otherFaults: readonly Fault[] = [], now?: Date): SearchRequest {
  if (!isRecord(body))
    throw new InvalidRequest([
      ...otherFaults,
      { path: '', message: `the body must be a JSON object, not ${showValue(body)}` },
    ])
  const faults = [...otherFaults]
  // Ignoring a misspelt filter would widen the search.
  findUnknownFields(body, fieldNames, '', faults)
  const lists = readFilters(body, faults)
  const feeSchedules = readList(
    listOf(body, 'fee_schedules', '', feeSchedulesAdvice),
    maxFeeSchedules,
    parseFeeSchedule,
    faults,
  )
  const asOf = readDay(body['as_of'], now, faults)
  const summary = readSummary(body['summary'], faults)
  const parts = readResultParts(body, faults)
  if (body['fee_schedules'] === undefined) refuse(faults, 'fee_schedules', `is required: ${feeSchedulesAdvice}`)
  if (filterFields.every((name) => body[name] === undefined))
    refuse(
      faults,
      at(filterFields, 0),
      `at least one of ${listNames(filterFields)} is required; those left out mean all`,
    )
  if (faults.length > 0) throw new InvalidRequest(faults)
  if (feeSchedules === undefined) throw new TypeError('a request without fee schedules has a fault')
  const pairs = feeSchedules.flatMap((each) => (typeof each === 'string' ? [] : each))
  const planIds = feeSchedules.filter((each) => typeof each === 'string')
  return {
    ...lists,
    feeSchedules: sortPairs(pairs),
    ...(planIds.length > 0 && { planIds: [...new Set(planIds)].sort() }),
    ...(asOf !== undefined && { asOf }),
    ...(summary && { summary }),
    ...parts,
  }
}

function readDay(value: unknown, now: Date | undefined, faults: Fault[]): string | undefined {
  if (value === undefined) return undefined
  const time = typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value) ? new Date(value) : undefined
  if (time === undefined || Number.isNaN(time.getTime()) || isoDay(time) !== value)
    return refuse(faults, 'as_of', `must be a day, YYYY-MM-DD; got ${showValue(value)}`)
  if (now !== undefined && value > isoDay(now))
    return refuse(faults, 'as_of', `must not be after today, ${isoDay(now)} in UTC; got ${showValue(value)}`)
  return value
}

/** Fee schedules in canonical order, each once. */
export function sortPairs(pairs: readonly FeeSchedule[]): readonly FeeSchedule[] {
  const distinct = new Map(pairs.map((pair) => [feeScheduleKey(pair), pair]))
  return [...distinct].sort(compareKeys).map(([, pair]) => pair)
}

const feeSchedulesAdvice = `name 1 to ${maxFeeSchedules} pairs of payer and plan, or plan ids (GET /v1/fee-schedules lists them)`

/** The fields of a request that hold its filters, in the order in which messages name them. */
const filterFields = [...new Set(filterList.map(requestField))]

const fieldNames = [...filterFields, 'fee_schedules', 'as_of', 'columns', 'limit', 'max_bytes', 'summary']

/** Reads the filters of a request, each list sorted and without duplicates. */
function readFilters(body: Readonly<Record<string, unknown>>, faults: Fault[]): FilterLists {
  const providers = readProviders(body['providers'], faults)
  return collectLists((filter) => {
    const [fields, parent] = 'parent' in filter ? [providers, `${filter.parent}.`] : [body, '']
    const values = readList(listOf(fields, filter.name, parent), filter.limit, parserOf(filter), faults)
    if (values === undefined) return undefined
    const numbers = values.filter((value) => typeof value === 'number')
    return numbers.length > 0
      ? [...new Set(numbers)].sort((a, b) => a - b)
      : [...new Set(values.filter((value) => typeof value === 'string'))].sort()
  })
}

/** @returns the lists of `providers`, which are read like the others; none if it has a fault */
function readProviders(value: unknown, faults: Fault[]): Readonly<Record<string, unknown>> {
  if (value === undefined) return {}
  const names = providerLists.map(({ name }) => name)
  if (isRecord(value) && Object.keys(value).length > 0) {
    findUnknownFields(value, names, 'providers.', faults)
    return value
  }
  refuse(faults, 'providers', `must be an object with ${names.join(', ')}, at least one of them`)
  return {}
}

const parsePlanId = parseText(mustBeText, findSearchedPlanIdFault, readSearchedPlanId)
const parseName = parseText('must be a string', findNameFault, normaliseName)

/** @returns a plan id as a text */
function parseFeeSchedule(value: unknown, path: string, faults: Fault[]): FeeSchedule | string | undefined {
  const form = 'must be an object with the strings payer and plan, or plan_id'
  if (!isRecord(value)) return refuse(faults, path, `${form}, not ${showValue(value)}`)
  if (value['plan_id'] !== undefined) return parsePlansOfId(value, `${path}.plan_id`, faults)
  findUnknownFields(value, ['payer', 'plan', 'plan_id'], `${path}.`, faults)
  const payer = parseName(value['payer'], `${path}.payer`, faults)
  const plan = parseName(value['plan'], `${path}.plan`, faults)
  return payer === undefined || plan === undefined ? undefined : { payer, plan }
}

function parsePlansOfId(value: Record<string, unknown>, path: string, faults: Fault[]): string | undefined {
  const fields = Object.keys(value).filter((name) => name !== 'plan_id')
  const names = fields.map((name) => `\`${printable(name)}\``).join(', ')
  if (fields.length > 0) refuse(faults, path, `takes the place of payer and plan: leave out ${names}`)
  return parsePlanId(value['plan_id'], path, faults)
}

/** Orders entries by key; no two keys are the same. */
const compareKeys = ([a]: [string, unknown], [b]: [string, unknown]) => (a < b ? -1 : 1)
