import { LoadRefused } from './load-refused.ts'
import type { PublishedId, PublishedNumber } from './published-number.ts'
import { charactersOf, isNumber } from './published-number.ts'

/**
 * An object of a published file, read field by field. Every reader refuses the file where a field has the wrong type,
 * naming the JSON path. `null`, and the empty string where a text may be missing, count as absent: that is what the
 * payers who write them mean.
 */
export class JsonObject {
  readonly #place: Place
  readonly #fields: Readonly<Record<string, unknown>>

  /** @throws LoadRefused where the value is not an object */
  constructor(value: unknown, place: Place) {
    this.#place = place
    if (!isRecord(value)) {
      throw new LoadRefused(place.file, `${this.path || 'the file'} must be an object, not ${show(value)}`)
    }
    this.#fields = value
  }

  /** Where the object is in its file: `in_network[3].negotiated_rates[0]`; empty for the root. */
  get path(): string {
    return pathOf(this.#place)
  }

  has(field: string): boolean {
    return this.#fields[field] !== undefined && this.#fields[field] !== null
  }

  text(field: string): string {
    if (!this.has(field)) return this.refuse(field, 'must be a string; it is missing')
    return this.#readText(this.#fields[field], field)
  }

  optionalText(field: string): string | undefined {
    const text = this.has(field) ? this.#readText(this.#fields[field], field) : ''
    return text === '' ? undefined : text
  }

  number(field: string): number | PublishedNumber {
    const value = this.#fields[field]
    return isNumber(value) ? value : this.refuse(field, `must be a number, not ${show(value)}`)
  }

  /** An id's own characters; the schema asks for a number, and some payers write it as a string. */
  id(field: string): PublishedId {
    return this.#readId(this.#fields[field], field)
  }

  object(field: string): JsonObject {
    return new JsonObject(this.#fields[field], { file: this.#place.file, parent: this, field })
  }

  /** The objects of an array, one by one; none where the field is absent. */
  *objects(field: string): Generator<JsonObject> {
    const { file } = this.#place
    let index = 0
    for (const value of this.optionalArray(field))
      yield new JsonObject(value, { file, parent: this, field, index: index++ })
  }

  /** The objects of an array that must be there. */
  requiredObjects(field: string): Generator<JsonObject> {
    return this.has(field) ? this.objects(field) : this.refuse(field, 'must be an array; it is missing')
  }

  texts(field: string): readonly string[] {
    const values = this.optionalArray(field)
    if (areTexts(values)) return values
    return values.map((value, index) => this.#readText(value, field, index))
  }

  ids(field: string): readonly PublishedId[] {
    return this.optionalArray(field).map((value, index) => this.#readId(value, field, index))
  }

  /** The path of one of the object's fields. */
  at(field: string, index?: number): string {
    const path = this.path === '' ? field : `${this.path}.${field}`
    return index === undefined ? path : `${path}[${index}]`
  }

  /** Refuses the file for what one of the object's fields holds. */
  refuse(field: string, rule: string, index?: number): never {
    throw new LoadRefused(this.#place.file, `${this.at(field, index)} ${rule}`)
  }

  /** An array of anything; none where the field is absent. */
  optionalArray(field: string): readonly unknown[] {
    if (!this.has(field)) return []
    const value = this.#fields[field]
    return Array.isArray(value) ? value : this.refuse(field, `must be an array, not ${show(value)}`)
  }

  #readText(value: unknown, field: string, index?: number): string {
    if (typeof value === 'string') return value
    return this.refuse(field, `must be a string, not ${show(value)}`, index)
  }

  #readId(value: unknown, field: string, index?: number): PublishedId {
    if (typeof value === 'string') return value
    return isNumber(value) ? value : this.refuse(field, `must be a number, not ${show(value)}`, index)
  }
}

/** Where a value stands in its file. */
export interface Place {
  readonly file: string
  /** Absent for the root. */
  readonly parent?: { readonly path: string }
  readonly field?: string
  readonly index?: number
}

/** The JSON path of a place. */
export function pathOf({ parent, field = '', index }: Place): string {
  const name = index === undefined ? field : `${field}[${index}]`
  return parent === undefined || parent.path === '' ? name : `${parent.path}.${name}`
}

const areTexts = (values: readonly unknown[]): values is readonly string[] =>
  values.every((value) => typeof value === 'string')

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !isNumber(value)

/** A value as it may stand in a message. */
function show(value: unknown): string {
  if (value === undefined) return 'missing'
  if (Array.isArray(value)) return 'an array'
  if (isRecord(value)) return 'an object'
  const text = isNumber(value) ? charactersOf(value) : JSON.stringify(value)
  return text.length > 60 ? `${text.slice(0, 60)}…` : text
}
