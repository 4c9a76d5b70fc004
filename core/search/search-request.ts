import { createHash } from 'node:crypto'
import type { FilterLists } from '../../contract/filters.ts'
import type { SummaryRequest } from '../../contract/summaries.ts'
import type { ColumnName } from '../../schema/columns/rates.ts'
import type { FeeSchedule } from '../catalogue/fee-schedule.ts'
import { feeScheduleKey } from '../catalogue/fee-schedule.ts'

/**
 * A search in canonical form: names and codes normalized, duplicates dropped, every list sorted, so that equivalent
 * requests are equal. An absent list means all.
 */
export interface SearchRequest extends FilterLists {
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
  /** Some columns of a result, in its order. */
  readonly columns?: readonly ColumnName[]
  /** The most rows of the result. */
  readonly limit?: number
  /** The most bytes that the search may read, as it is estimated when it is created. */
  readonly maxBytes?: number
}

/** Number of fee schedules that a request names, each plan id once. */
export const countNamed = ({ feeSchedules, planIds = [] }: SearchRequest) => feeSchedules.length + planIds.length

/**
 * Serializes a request; equivalent requests give the same text. It names no field, so that none is left out of the hash
 * under which the request is stored.
 */
export function canonicalRequest(request: SearchRequest): string {
  return JSON.stringify(request, (_, value: unknown) =>
    isObject(value) ? Object.fromEntries(Object.entries(value).sort(compareKeys)) : value,
  )
}

/** SHA-256 of the canonical form, in hex. The request is stored under it, so what runs cannot change. */
export function hashRequest(request: SearchRequest): string {
  return createHash('sha256').update(canonicalRequest(request)).digest('hex')
}

/** True for the digits of a TIN, as rows have them. */
export const isTin = (value: string) => /^\d{2,20}$/.test(value)

/** Fee schedules in canonical order, each once. */
export function sortPairs(pairs: readonly FeeSchedule[]): readonly FeeSchedule[] {
  const distinct = new Map(pairs.map((pair) => [feeScheduleKey(pair), pair]))
  return [...distinct].sort(compareKeys).map(([, pair]) => pair)
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Orders entries by key; no two keys are the same. */
const compareKeys = ([a]: [string, unknown], [b]: [string, unknown]) => (a < b ? -1 : 1)
