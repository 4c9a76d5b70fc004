import { hash } from 'node:crypto'
import { composeText, foldWhiteSpace } from '../../contract/texts/compose-text.ts'
import { maxShownPlanIds } from '../../schema/columns/rates.ts'

/** A plan id, which payers publish with a plan's name. A name is often sold under many ids. */
export interface PlanId {
  readonly type: PlanIdType
  /** Upper case, without spaces and hyphens; leading zeros kept. */
  readonly value: string
}

/** `id` is a plan id whose published type is not one of the two that CMS defines. */
export type PlanIdType = (typeof planIdTypes)[number]

export const planIdTypes = ['ein', 'hios', 'id'] as const

/** Maximum length of a published plan name in code points, which leaves 20 of a name's 200 for the plan id after it. */
export const maxPublishedName = 180

/** The variant of a plan that was published without a plan id. */
const withoutId = 'no plan id'

/** Number of digits in an employer identification number. Source: IRS, "Employer identification number". */
const einDigits = 9

/** Restores the leading zeros of an EIN, which spreadsheets and JSON numbers drop; other texts stay as they are. */
export const restoreEin = (ein: string): string => (/^\d+$/.test(ein) ? ein.padStart(einDigits, '0') : ein)

/**
 * Normalises a published plan id. Without a type, nine digits are an EIN and anything else is a HIOS id; an EIN gets
 * its leading zeros. Source: CMS schema, `plan_id` and `plan_id_type`.
 *
 * @returns undefined if no id was published
 */
export function readPlanId(id: string | undefined, type: string | undefined): PlanId | undefined {
  const value = composeText(foldWhiteSpace(id ?? '').replace(/[ -]+/g, '')).toUpperCase()
  if (value === '') return undefined
  const published = foldWhiteSpace(type ?? '')
    .replace(/[ -]+/g, '')
    .toLowerCase()
  const guessed = /^\d{9}$/.test(value) ? 'ein' : 'hios'
  const idType = planIdTypes.find((each) => each === published) ?? (published === '' ? guessed : 'id')
  return { type: idType, value: idType === 'ein' ? restoreEin(value) : value }
}

/**
 * Normalises the plan id of a request: `123456789`, or `ein|123456789` if the request says its type, which it may write
 * as `EIN 12-3456789`. Without a type, seven or eight digits are an EIN without its zeros: HIOS ids have letters, and
 * those of issuers five digits.
 */
export function readSearchedPlanId(text: string): string {
  const typed = foldWhiteSpace(text).replace(/^(ein|hios) +(?=\d)/i, '$1|')
  const [id = '', type] = typed.split('|').reverse()
  const planId = readPlanId(id, type ?? 'id')
  if (planId !== undefined && type !== undefined) return formatPlanId(planId)
  const value = planId?.value ?? ''
  return /^\d{7,8}$/.test(value) ? restoreEin(value) : value
}

/**
 * True if a formatted plan id (`ein|123456789`) is the one that `readSearchedPlanId` returned, with or without a type.
 */
export const isPlanId = (formatted: string, searched: string) =>
  formatted === searched || formatted.slice(formatted.indexOf('|') + 1) === searched

/** Formats a plan id for rows and lists: `ein|222222222`. */
export function formatPlanId({ type, value }: PlanId): string {
  return `${type}|${value}`
}

/** Equal for equal lists of formatted plan ids. */
export const keyOfPlanIds = (planIds: readonly string[]): string => hash('sha256', JSON.stringify(planIds)).slice(0, 20)

/** Reduces all ids of a plan, sorted and distinct, to what rows and lists show. */
export function showPlanIds(planIds: readonly string[]) {
  return { planIds: planIds.length > maxShownPlanIds ? [] : planIds, planIdCount: planIds.length }
}

/** The name under which searches find a plan with one plan id: `PPO (EIN 222222222)`. */
export function nameVariant(plan: string, planId: PlanId | undefined): string {
  return `${plan} (${planId === undefined ? withoutId : `${planId.type.toUpperCase()} ${planId.value}`})`
}

/** Finds the fault in a plan id that will be part of a name. */
export function findPlanIdFault({ value }: PlanId): string | undefined {
  return /^[\p{L}\p{N}._/|#*]{1,40}$/u.test(value) ? undefined : 'has characters that no plan id has, or more than 40'
}

/** Finds the fault in a plan's published name, beyond the rules of all names (`findNameFault`). */
export function findPublishedNameFault(plan: string): string | undefined {
  if (/ \((?:EIN|HIOS|ID) [^()]*\)$|\(no plan id\)$/iu.test(plan))
    return 'must not end like a name with a plan id, such as "PPO (EIN 222222222)"'
  const length = [...plan].length
  if (length > maxPublishedName) return `must have at most ${maxPublishedName} characters, not ${length}`
  return undefined
}
