import type { Fault } from '../../../contract/search-api.ts'
import { defaultWeight, type SummaryRequest, summaryDimensions, summaryWeights } from '../../../contract/summaries.ts'
import { showValue } from '../../../contract/texts/show-value.ts'
import { findUnknownFields, isRecord, listOf, readList, refuse } from './request-fields.ts'

/** Reads what a summary is asked for. Fields that mean the default are left out, so that equal summaries are equal. */
export function readSummary(value: unknown, faults: Fault[]): SummaryRequest | undefined {
  if (value === undefined) return undefined
  if (!isRecord(value))
    return refuse(faults, 'summary', `must be an object, {} for all defaults; got ${showValue(value)}`)
  findUnknownFields(value, ['by', 'weight', 'include_doubtful', 'count_providers'], 'summary.', faults)
  const by = isEmpty(value['by'])
    ? []
    : readList(listOf(value, 'by', 'summary.'), summaryDimensions.length, parseDimension, faults)
  const weight =
    value['weight'] === undefined ? defaultWeight : parseWord(summaryWeights)(value['weight'], 'summary.weight', faults)
  const includeDoubtful = readSwitch(value, 'include_doubtful', faults)
  const countProviders = readSwitch(value, 'count_providers', faults)
  if (by === undefined || weight === undefined) return undefined
  return {
    weight,
    by: summaryDimensions.filter((dimension) => by.includes(dimension)),
    ...(includeDoubtful && { includeDoubtful }),
    ...(countProviders && { countProviders }),
  }
}

/** True if a list is absent or has nothing, which means the same here. */
const isEmpty = (list: unknown) => list === undefined || (Array.isArray(list) && list.length === 0)

const parseWord =
  <const Word extends string>(words: readonly Word[]) =>
  (value: unknown, path: string, faults: Fault[]): Word | undefined =>
    words.find((word) => word === value) ??
    refuse(faults, path, `must be one of ${words.join(', ')}; got ${showValue(value)}`)

function readSwitch(fields: Readonly<Record<string, unknown>>, name: string, faults: Fault[]): boolean {
  const value = fields[name]
  if (value === undefined || typeof value === 'boolean') return value === true
  refuse(faults, `summary.${name}`, `must be true or false; got ${showValue(value)}`)
  return false
}

const parseDimension = parseWord(summaryDimensions)
