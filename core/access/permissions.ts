import type { Effect } from '../../contract/routes.ts'
import { Refusal } from '../errors.ts'
import type { SearchRequest } from '../search/search-request.ts'

/** The rules of a permission. */
interface PermissionRules {
  /** Effects of the calls that the key may make. */
  readonly effects: readonly Effect[]
  /** True if the key may create only searches with `summary`. */
  readonly summariesOnly: boolean
  /** Continues "This API key may …". */
  readonly may: string
}

/** The permissions, from most to least. A key has one of them. */
export const permissions = {
  everything: { effects: ['reads', 'creates', 'ends'], summariesOnly: false, may: 'make every call' },
  summaries: {
    effects: ['reads', 'creates'],
    summariesOnly: true,
    may: 'only read, estimate, and create searches with a summary',
  },
  reading: { effects: ['reads'], summariesOnly: false, may: 'only read and estimate' },
} as const satisfies Readonly<Record<string, PermissionRules>>

export type Permission = keyof typeof permissions

/** Limits of a key, which an operator sets. */
export interface KeyLimits {
  /** @default everything */
  readonly permission?: Permission
  /** Bytes that the key's searches may read on a day (UTC), by their estimates. @default - no limit */
  readonly bytesPerDay?: number
}

export const isPermission = (name: string): name is Permission => Object.hasOwn(permissions, name)

export const permissionNames: readonly Permission[] = Object.keys(permissions).filter(isPermission)

/** Continues "It may not …", for each effect of a call. */
const refused: Readonly<Record<Effect, string>> = {
  reads: 'read',
  creates: 'create searches',
  ends: 'cancel or delete searches',
}

/** The key is valid, but its permission or its limit of bytes per day does not allow the request. */
export class NotPermitted extends Refusal {
  override readonly type = 'not_permitted'
  /** @param facts one or two sentences: what the key may do, and what it may not */
  constructor(facts: string) {
    super(`${facts} The operator of the service can change this.`)
  }
}

/** @throws NotPermitted if the key may not make calls with this effect */
export function requireEffect(key: Pick<KeyLimits, 'permission'>, effect: Effect): void {
  const { effects, may } = rulesOf(key)
  if (!effects.includes(effect)) throw new NotPermitted(describe(may, refused[effect]))
}

/** @throws NotPermitted if this is a search for rows, and the key may only create searches with a summary */
export function requireSummary(key: Pick<KeyLimits, 'permission'>, { summary }: Pick<SearchRequest, 'summary'>): void {
  const { summariesOnly, may } = rulesOf(key)
  if (summariesOnly && summary === undefined) throw new NotPermitted(describe(may, 'create searches for rows'))
}

const rulesOf = ({ permission = 'everything' }: Pick<KeyLimits, 'permission'>): PermissionRules =>
  permissions[permission]

const describe = (may: string, mayNot: string) => `This API key may ${may}; it may not ${mayNot}.`
