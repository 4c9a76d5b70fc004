import { createHash } from 'node:crypto'
import { maxBillingCodeLength, requestLimits } from '../../contract/limits.ts'
import { isNpi, writtenTin } from '../../contract/provider-ids.ts'
import type { Fault } from '../../contract/search-api.ts'
import type { FeeSchedule } from '../catalogue/fee-schedule.ts'
import { feeScheduleKey, findNameFault, findTextFault, normaliseName } from '../catalogue/fee-schedule.ts'
import { findNearestName } from '../catalogue/nearest-name.ts'
import { findSearchedPlanIdFault, readSearchedPlanId } from '../catalogue/plan-id.ts'
import { InvalidRequest } from '../errors.ts'
import { isoDay } from '../time.ts'
import { normaliseBillingCode } from './billing-code.ts'
import { printable, showValue } from './show-value.ts'
import { OddValue } from './strict-json.ts'

/**
 * A search in canonical form: names and codes normalized, duplicates dropped, every list sorted, so that equivalent
 * requests are equal. An absent list means all.
 */
export interface SearchRequest {
  readonly npis?: readonly number[]
  /** TINs as digits only; rates agreed for a whole TIN (NPI 0) are among theirs. */
  readonly tins?: readonly string[]
  readonly billingCodes?: readonly string[]
  readonly feeSchedules: readonly FeeSchedule[]
  /**
   * As `readSearchedPlanId` returns them: all fee schedules that have one when the search begins. Not looked up before, so
   * that a repeated request is the same whatever was loaded in between.
   */
  readonly planIds?: readonly string[]
  /** `YYYY-MM-DD`: reads what was active at the end of this day, in UTC. */
  readonly asOf?: string
}

/** Number of fee schedules that a request names, each plan id once. */
export const countNamed = ({ feeSchedules, planIds = [] }: SearchRequest) => feeSchedules.length + planIds.length

/**
 * Serializes a request; equivalent requests give the same text. It names no field, so that none is left out of the hash
 * under which the request is stored.
 */
export function canonicalRequest(request: SearchRequest): string {
  return JSON.stringify(request, (_, value: unknown) =>
    isRecord(value) ? Object.fromEntries(Object.entries(value).sort(byKey)) : value,
  )
}

/** SHA-256 of the canonical form, in hex. The request is stored under it, so what runs cannot change. */
export function hashRequest(request: SearchRequest): string {
  return createHash('sha256').update(canonicalRequest(request)).digest('hex')
}

type ListName = keyof typeof requestLimits

/** The digits of a TIN, as searches compare them. */
export const isTin = (value: string) => /^\d{2,20}$/.test(value)

/**
 * Parses the body of `POST /v1/searches`.
 *
 * @param body JSON of unknown shape, as `parseStrictJson` returns it
 * @param known faults already found outside the body
 * @param now as_of may not name a later day @default - it may be any
 * @throws InvalidRequest listing every fault with field, value and rule
 */
export function parseSearchRequest(body: unknown, known: readonly Fault[] = [], now?: Date): SearchRequest {
  if (!isRecord(body))
    throw new InvalidRequest([
      ...known,
      { path: '', message: `the body must be a JSON object, not ${showValue(body)}` },
    ])
  const faults = [...known]
  // Ignoring a misspelt filter would widen the search.
  findUnknownFields(body, [...Object.keys(requestLimits), 'as_of'], '', faults)
  const npis = readList(body, 'npis', faults, parseNpi)
  const tins = readList(body, 'tins', faults, parseTin)
  const billingCodes = readList(body, 'billing_codes', faults, parseBillingCode)
  const feeSchedules = readList(body, 'fee_schedules', faults, parseFeeSchedule)
  const asOf = readDay(body['as_of'], now, faults)
  if (body['fee_schedules'] === undefined)
    faults.push({ path: 'fee_schedules', message: `is required: ${feeSchedulesAdvice}` })
  if (['npis', 'tins', 'billing_codes'].every((name) => body[name] === undefined)) {
    faults.push({
      path: 'npis',
      message: 'at least one of npis, tins and billing_codes is required; those left out mean all',
    })
  }
  if (faults.length > 0) throw new InvalidRequest(faults)
  const named = feeSchedules?.flatMap((each) => (typeof each === 'string' ? [] : each))
  const planIds = feeSchedules?.filter((each) => typeof each === 'string') ?? []
  return {
    ...(npis && { npis: [...new Set(npis)].sort((a, b) => a - b) }),
    ...(tins && { tins: [...new Set(tins)].sort() }),
    ...(billingCodes && { billingCodes: [...new Set(billingCodes)].sort() }),
    feeSchedules: sortPairs(named ?? []),
    ...(planIds.length > 0 && { planIds: [...new Set(planIds)].sort() }),
    ...(asOf !== undefined && { asOf }),
  }
}

function readDay(value: unknown, now: Date | undefined, faults: Fault[]): string | undefined {
  if (value === undefined) return undefined
  const time = typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value) ? new Date(value) : undefined
  if (time === undefined || Number.isNaN(time.getTime()) || isoDay(time) !== value)
    faults.push({ path: 'as_of', message: `must be a day, YYYY-MM-DD; got ${showValue(value)}` })
  else if (now !== undefined && value > isoDay(now))
    faults.push({ path: 'as_of', message: `must not be after today, ${isoDay(now)} in UTC; got ${showValue(value)}` })
  else return value
  return undefined
}

/** Fee schedules in canonical order, each once. */
export function sortPairs(pairs: readonly FeeSchedule[]): readonly FeeSchedule[] {
  const distinct = new Map(pairs.map((pair) => [feeScheduleKey(pair), pair]))
  return [...distinct].sort(byKey).map(([, pair]) => pair)
}

const feeSchedulesAdvice = `name 1 to ${requestLimits.fee_schedules} pairs of payer and plan, or plan ids (GET /v1/fee-schedules lists them)`

function findUnknownFields(
  value: Readonly<Record<string, unknown>>,
  known: readonly string[],
  parent: string,
  faults: Fault[],
): void {
  for (const field of Object.keys(value)) {
    if (known.includes(field)) continue
    const name = printable(field)
    const meant = findNearestName(field, known)
    const advice = meant === undefined ? `the fields are ${known.join(', ')}` : `did you mean \`${meant}\`?`
    faults.push({ path: parent + name, message: `unknown field \`${name}\`; ${advice}` })
  }
}

/** Parses one list of the request. The items are valid only if this adds no faults. */
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
    const advice = name === 'fee_schedules' ? feeSchedulesAdvice : 'leave the field out to mean all'
    faults.push({ path: name, message: `must not be empty: ${advice}` })
  } else if (value.length > limit) {
    faults.push({ path: name, message: `must have at most ${limit} items, not ${value.length}` })
    return undefined
  }
  return value
    .map((item: unknown, index) => parseItem(item, `${name}[${index}]`, faults))
    .filter((item) => item !== undefined)
}

function parseNpi(value: unknown, path: string, faults: Fault[]): number | undefined {
  if (typeof value === 'number' && isNpi(value)) return value
  faults.push({
    path,
    message: `must be an NPI, an integer of ten digits, or 0 for rates of a whole TIN; not ${showValue(value)}`,
  })
  return undefined
}

/** TINs are compared as their digits; publishers write an EIN with its hyphen and without. */
function parseTin(value: unknown, path: string, faults: Fault[]): string | undefined {
  if (typeof value === 'string' && writtenTin.test(value)) return value.replaceAll('-', '')
  const rule = typeof value === 'string' ? 'a TIN of 2 to 20 digits and hyphens' : 'a string'
  faults.push({ path, message: `must be ${rule} (leading zeros carry meaning); got ${showValue(value)}` })
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
  const normal = normaliseBillingCode(code)
  if (normal.length < 1 || normal.length > maxBillingCodeLength)
    return `must have 1 to ${maxBillingCodeLength} characters`
  const [, bare] = typedCode.exec(normal) ?? []
  return bare === undefined ? undefined : `must be a code without its type: send ${showValue(bare)}`
}

/**
 * A code prefixed with its type, as people write it (`CPT 99213`). Files have no such codes, so it would match nothing.
 */
const typedCode =
  /^(?:CPT|HCPCS|CDT|NDC|RC|REV|HIPPS|APC|EAPG|ICD(?:-?10)?(?:-?(?:CM|PCS))?|(?:(?:MS|R|S|APS|AP|APR)-?)?DRG)[\s:#-]+([A-Z0-9.-]*\d[A-Z0-9.-]*)$/

/** @returns a plan id as a text */
function parseFeeSchedule(value: unknown, path: string, faults: Fault[]): FeeSchedule | string | undefined {
  if (!isRecord(value)) {
    const message = `must be an object with the strings payer and plan, or plan_id, not ${showValue(value)}`
    faults.push({ path, message })
    return undefined
  }
  if (value['plan_id'] !== undefined) return parsePlanId(value, path, faults)
  findUnknownFields(value, ['payer', 'plan', 'plan_id'], `${path}.`, faults)
  const payer = parseName(value['payer'], `${path}.payer`, faults)
  const plan = parseName(value['plan'], `${path}.plan`, faults)
  return payer === undefined || plan === undefined ? undefined : { payer, plan }
}

function parsePlanId(value: Record<string, unknown>, path: string, faults: Fault[]): string | undefined {
  const others = Object.keys(value).filter((name) => name !== 'plan_id')
  if (others.length > 0) {
    const message = `takes the place of payer and plan: leave out ${others.map((name) => `\`${printable(name)}\``).join(', ')}`
    faults.push({ path: `${path}.plan_id`, message })
  }
  const planId = value['plan_id']
  const fault =
    typeof planId === 'string' ? findSearchedPlanIdFault(planId) : 'must be a string (leading zeros carry meaning)'
  if (typeof planId === 'string' && fault === undefined) return readSearchedPlanId(planId)
  faults.push({ path: `${path}.plan_id`, message: `${fault}; got ${showValue(planId)}` })
  return undefined
}

function parseName(value: unknown, path: string, faults: Fault[]): string | undefined {
  const fault = typeof value === 'string' ? findNameFault(value) : 'must be a string'
  if (typeof value === 'string' && fault === undefined) return normaliseName(value)
  faults.push({ path, message: value === undefined ? 'is required' : `${fault}; got ${showValue(value)}` })
  return undefined
}

/** No two keys are the same. */
const byKey = ([a]: [string, unknown], [b]: [string, unknown]) => (a < b ? -1 : 1)

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof OddValue)
