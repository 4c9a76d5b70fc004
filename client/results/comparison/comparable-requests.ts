import type { CompletedManifest } from '../../api.ts'
import { NotComparable } from './not-comparable.ts'

/** The facts of a completed search that decide whether its result can be compared with another one. */
export type ComparedSearch = Pick<CompletedManifest, 'request' | 'truncated'>

type RequestOf = Pick<ComparedSearch, 'request'>

/** Fields that change neither rows nor medians. */
const fieldsWithoutEffect: readonly string[] = ['max_bytes', 'summary.count_providers']

/** Fields that may differ: days and plans are what is compared, and the sides of a comparison name them. */
const freeFields: readonly string[] = ['as_of', 'fee_schedules', ...fieldsWithoutEffect]

/**
 * Requires that two searches asked for the same, but for days and plans: a price that only one of them asked for would
 * look added or removed, and a median over other prices would look changed.
 *
 * @throws NotComparable naming the fields
 */
export function requireComparable(older: ComparedSearch, newer: ComparedSearch): void {
  const differing = listDifferences(older, newer).filter((field) => !freeFields.includes(field))
  if (differing.length > 0)
    throw new NotComparable(
      `the searches did not ask for the same: their ${differing.join(', ')} ${differing.length === 1 ? 'differs' : 'differ'}. Search again with one request; only days and plans may differ`,
    )
  if (older.truncated || newer.truncated)
    throw new NotComparable(
      'a result is cut by its limit, so prices may be missing in it that did not change: search without limit',
    )
}

/** True if two searches asked for the same rates, on any day: of the same plans, too. */
export const asksForSame = (one: RequestOf, other: RequestOf): boolean =>
  listDifferences(one, other).every((field) => field === 'as_of' || fieldsWithoutEffect.includes(field))

/** Lists the fields of two requests whose values do not mean the same. */
function listDifferences(one: RequestOf, other: RequestOf): readonly string[] {
  const [before, after] = [new Map(listFields(one.request, '')), new Map(listFields(other.request, ''))]
  return [...new Set([...before.keys(), ...after.keys()])].filter((field) => before.get(field) !== after.get(field))
}

/** Lists the fields of a request by their paths, with texts that are equal if the values are. */
function listFields(value: object, prefix: string): readonly (readonly [field: string, value: string])[] {
  return Object.entries(value).flatMap(([name, part]: [string, unknown]) => {
    // A switch that is off is as good as absent.
    if (part === undefined || part === false) return []
    if (Array.isArray(part)) return part.length === 0 ? [] : [[prefix + name, writeList(part)] as const]
    if (typeof part === 'object' && part !== null) return listFields(part, `${prefix}${name}.`)
    return [[prefix + name, JSON.stringify(part)] as const]
  })
}

/** Writes a list as a set: neither order nor repetition matters. */
const writeList = (list: readonly unknown[]) =>
  JSON.stringify([...new Set(list.map((item) => JSON.stringify(item)))].sort())
