import { FileFault } from '../../../fetch/load-refused.ts'
import { charactersOf, isId, isNumber, type PublishedId } from './published-number.ts'

/**
 * An object of a published file whose structure must be right: a field of the wrong type refuses the file, with the
 * JSON path in the message. `null`, and the empty string if a text is optional, are read as absent. Objects whose
 * values may be wrong are read as `PublishedObject`.
 */
export class JsonObject {
  readonly #position: Position
  readonly #fields: Readonly<Record<string, unknown>>

  /** @throws FileFault if the value is not an object */
  constructor(value: unknown, position: Position) {
    this.#position = position
    if (!isRecord(value)) {
      throw new FileFault(`${this.path || 'the file'} must be an object, not ${show(value)}`)
    }
    this.#fields = value
  }

  /** JSON path of the object in its file: `in_network[3].negotiated_rates[0]`; empty for the root. */
  get path(): string {
    return pathOf(this.#position)
  }

  has(field: string): boolean {
    return this.#fields[field] !== undefined && this.#fields[field] !== null
  }

  text(field: string): string {
    if (!this.has(field)) return this.refuse(field, 'must be a string; it is missing')
    const value = this.#fields[field]
    return typeof value === 'string' ? value : this.refuse(field, `must be a string, not ${show(value)}`)
  }

  optionalText(field: string): string | undefined {
    return this.has(field) ? this.text(field) || undefined : undefined
  }

  /** A text that nothing depends on: a value of another type is read as absent. */
  looseText(field: string): string | undefined {
    const value = this.#fields[field]
    return typeof value === 'string' ? value : undefined
  }

  /** An id as published. The schema requires a number, but some payers publish a string. */
  id(field: string): PublishedId {
    const value = this.#fields[field]
    return isId(value) || value === '' ? value : this.refuse(field, `must be a number, not ${show(value)}`)
  }

  /** Refuses the file because of a field's value. */
  refuse(field: string, rule: string): never {
    throw new FileFault(`${pathOf({ parent: this, field })} ${rule}`)
  }

  /** The elements of an optional array, of any type. */
  optionalArray(field: string): readonly unknown[] {
    if (!this.has(field)) return []
    const value = this.#fields[field]
    return Array.isArray(value) ? value : this.refuse(field, `must be an array, not ${show(value)}`)
  }
}

/** The position of a value in its file. */
export interface Position {
  /** Absent for the root. */
  readonly parent?: { readonly path: string }
  readonly field?: string
  readonly index?: number
}

/** The JSON path of a position. */
export function pathOf({ parent, field = '', index }: Position): string {
  const name = index === undefined ? field : `${field}[${index}]`
  return parent === undefined || parent.path === '' ? name : `${parent.path}.${name}`
}

/** True if a parsed value is an object of the file. */
export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !isNumber(value)

/** Formats a value for a message. */
function show(value: unknown): string {
  if (value === undefined) return 'missing'
  if (Array.isArray(value)) return 'an array'
  if (isRecord(value)) return 'an object'
  const text = isNumber(value) ? charactersOf(value) : JSON.stringify(value)
  return text.length > 60 ? `${text.slice(0, 60)}…` : text
}
