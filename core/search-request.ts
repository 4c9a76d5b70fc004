import { createHash } from 'node:crypto'
import type { Fault } from '../contract/errors.ts'
import { longestBillingCode, normaliseBillingCode } from './billing-code.ts'
import { InvalidRequest } from './errors.ts'
import type { FeeSchedule } from './fee-schedule.ts'
import { feeScheduleKey, findNameFault, findTextFault, normaliseName } from './fee-schedule.ts'
import { printable, showValue } from './show-value.ts'

/**
 * What a client searches for, in canonical form: names and codes normalised, duplicates dropped, every list sorted, so
 * that two requests that mean the same are the same. A list left out means all.
 */
export interface SearchRequest {
  readonly npis?: readonly number[]
  readonly billingCodes?: readonly string[]
  readonly feeSchedules: readonly FeeSchedule[]
}

/** How long each list of a request may be. */
export const requestLimits = { npis: 10_000, billing_codes: 2_000, fee_schedules: 200 } as const

/** One text for a request, the same for every request that means the same. */
export function canonicalRequest(request: SearchRequest): string {
  return JSON.stringify(request, ['npis', 'billingCodes', 'feeSchedules', 'payer', 'plan'])
}

/** The name of a request: the SHA-256 of its canonical form, in hex. What runs is read under it and cannot be changed. */
export function hashRequest(request: SearchRequest): string {
  return createHash('sha256').update(canonicalRequest(request)).digest('hex')
}

type ListName = keyof typeof requestLimits

/** NPIs have ten digits; 0 asks for rates agreed for a whole TIN (CMS schema, `provider_groups[].npi`). */
export const isNpi = (value: number) => value === 0 || (Number.isInteger(value) && value >= 1e9 && value < 1e10)

/**
 * Reads the body of `POST /v1/searches`.
 *
 * @param body parsed JSON of unknown shape
 * @param known faults that the request has beside its body
 * @throws InvalidRequest naming every field, value and rule that is broken
 */
export function parseSearchRequest(body: unknown, known: readonly Fault[] = []): SearchRequest {
  if (!isRecord(body))
    throw new InvalidRequest([
      ...known,
      { path: '', message: `the body must be a JSON object, not ${showValue(body)}` },
    ])
  const faults = [...known]
  for (const field of Object.keys(body)) {
    if (Object.hasOwn(requestLimits, field)) continue
    faults.push({ path: printable(field), message: 'is not a field of a search: a misspelt filter must not widen it' })
  }
  const npis = readList(body, 'npis', faults, parseNpi)
  const billingCodes = readList(body, 'billing_codes', faults, parseBillingCode)
  const feeSchedules = readList(body, 'fee_schedules', faults, parseFeeSchedule)
  if (body['fee_schedules'] === undefined)
    faults.push({ path: 'fee_schedules', message: 'is required: name 1 to 200 pairs of payer and plan' })
  if (body['npis'] === undefined && body['billing_codes'] === undefined) {
    faults.push({
      path: 'npis',
      message: 'at least one of npis and billing_codes is required; the one left out means all',
    })
  }
  if (faults.length > 0) throw new InvalidRequest(faults)
  return {
    ...(npis && { npis: [...new Set(npis)].sort((a, b) => a - b) }),
    ...(billingCodes && { billingCodes: [...new Set(billingCodes)].sort() }),
    feeSchedules: [...new Map(feeSchedules?.map((pair) => [feeScheduleKey(pair), pair])).entries()]
      .sort(byKey)
      .map(([, pair]) => pair),
  }
}

/** Reads one list of the request; what its items break goes to `faults`, so the result only counts when there are none. */
function readList<Item>(
  body: Readonly<Record<string, unknown>>,
  name: ListName,
  faults: Fault[],
  parseItem: (value: unknown, path: string, faults: Fault[]) => Item | undefined,
): Item[] | undefined {
  const value = body[name]
  if (value === undefined) return undefined
  if (!Array.isArray(value)) {
    faults.push({ path: name, message: `must be an array, not ${showValue(value)}` })
    return undefined
  }
  const limit = requestLimits[name]
  if (value.length === 0) {
    faults.push({ path: name, message: 'must not be empty: leave the field out to mean all' })
  } else if (value.length > limit) {
    faults.push({ path: name, message: `must have at most ${limit} items, not ${value.length}` })
    return undefined
  }
  return value
    .map((item: unknown, index) => parseItem(item, `${name}[${index}]`, faults))
    .filter((item) => item !== undefined)
}

function parseNpi(value: unknown, path: string, faults: Fault[]): number | undefined {
  // -0 equals 0 but prints as 0 only by luck of the serialiser.
  if (typeof value === 'number' && isNpi(value)) return value + 0
  faults.push({
    path,
    message: `must be an NPI, an integer of ten digits, or 0 for rates of a whole TIN; not ${showValue(value)}`,
  })
  return undefined
}

function parseBillingCode(value: unknown, path: string, faults: Fault[]): string | undefined {
  const fault =
    typeof value === 'string' ? findBillingCodeFault(value) : 'must be a string (leading zeros carry meaning)'
  if (typeof value === 'string' && fault === undefined) return normaliseBillingCode(value)
  faults.push({ path, message: `${fault}; got ${showValue(value)}` })
  return undefined
}

function findBillingCodeFault(code: string): string | undefined {
  const textFault = findTextFault(code)
  if (textFault !== undefined) return textFault
  const { length } = normaliseBillingCode(code)
  return length >= 1 && length <= longestBillingCode ? undefined : `must have 1 to ${longestBillingCode} characters`
}

function parseFeeSchedule(value: unknown, path: string, faults: Fault[]): FeeSchedule | undefined {
  if (!isRecord(value)) {
    faults.push({ path, message: `must be an object with the strings payer and plan, not ${showValue(value)}` })
    return undefined
  }
  for (const field of Object.keys(value)) {
    if (field === 'payer' || field === 'plan') continue
    faults.push({ path: `${path}.${printable(field)}`, message: 'is not a field of a fee schedule' })
  }
  const payer = parseName(value['payer'], `${path}.payer`, faults)
  const plan = parseName(value['plan'], `${path}.plan`, faults)
  return payer === undefined || plan === undefined ? undefined : { payer, plan }
}

function parseName(value: unknown, path: string, faults: Fault[]): string | undefined {
  const fault = typeof value === 'string' ? findNameFault(value) : 'must be a string'
  if (typeof value === 'string' && fault === undefined) return normaliseName(value)
  faults.push({ path, message: value === undefined ? 'is required' : `${fault}; got ${showValue(value)}` })
  return undefined
}

const byKey = ([a]: [string, unknown], [b]: [string, unknown]) => (a < b ? -1 : a > b ? 1 : 0)

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
