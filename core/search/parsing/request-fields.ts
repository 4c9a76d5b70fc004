import { maxFaults } from '../../../contract/limits.ts'
import type { Fault } from '../../../contract/search-api.ts'
import { OddValue, printable, showValue } from '../../../contract/texts/show-value.ts'
import { adviseName } from '../advise-name.ts'

/** The pieces by which the fields of a request are read. Each adds its faults to those found before. */

/** Refuses fields that the request does not have: ignoring a misspelt filter would widen the search. */
export function findUnknownFields(
  value: Readonly<Record<string, unknown>>,
  known: readonly string[],
  parent: string,
  faults: Fault[],
): void {
  for (const field of Object.keys(value)) {
    if (known.includes(field)) continue
    const name = printable(field)
    // No more faults are shown, so no more advice is worth its cost.
    const advice = faults.length < maxFaults ? `; ${adviseName(field, known, 'fields')}` : ''
    refuse(faults, parent + name, `unknown field \`${name}\`${advice}`)
  }
}

/** A field of the request that should be a list, with its path for faults. */
export interface ListField {
  readonly value: unknown
  readonly path: string
  /** Advice for a list that is empty. */
  readonly advice: string
}

export const listOf = (
  fields: Readonly<Record<string, unknown>>,
  name: string,
  parent = '',
  advice = 'leave the field out to mean all',
): ListField => ({ value: fields[name], path: parent + name, advice })

/** Parses one list of the request. The items are valid only if this adds no faults. */
export function readList<Item>(
  { value, path, advice }: ListField,
  limit: number,
  parseItem: (value: unknown, path: string, faults: Fault[]) => Item | undefined,
  faults: Fault[],
): Item[] | undefined {
  if (value === undefined) return undefined
  if (!Array.isArray(value)) return refuse(faults, path, `must be an array, not ${showValue(value)}`)
  if (value.length === 0) refuse(faults, path, `must not be empty: ${advice}`)
  if (value.length > limit) return refuse(faults, path, `must have at most ${limit} items, not ${value.length}`)
  return value
    .map((item: unknown, index) => parseItem(item, `${path}[${index}]`, faults))
    .filter((item) => item !== undefined)
}

/** Adds a fault. @returns undefined, in place of a value */
export function refuse(faults: Fault[], path: string, message: string): undefined {
  faults.push({ path, message })
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof OddValue)
