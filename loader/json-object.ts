import { LoadRefused } from './load-refused.ts'
import { charactersOf } from './published-number.ts'

/**
 * An object of a published file, read field by field. Every reader refuses the file where a field has the wrong type,
 * naming the JSON path. `null`, and the empty string where a text may be missing, count as absent: that is what the
 * payers who write them mean. Strings come out as well-formed Unicode, since a lone surrogate has no form in Parquet.
 */
export class JsonObject {
  /** Where the object is in its file: `in_network[3].negotiated_rates[0]`; empty for the root. */
  readonly path: string
  readonly #file: string
  readonly #fields: Readonly<Record<string, unknown>>

  /** @throws LoadRefused where the value is not an object */
  constructor(value: unknown, file: string, path = '') {
    if (!isRecord(value)) throw new LoadRefused(file, `${path || 'the file'} must be an object, not ${show(value)}`)
    this.path = path
    this.#file = file
    this.#fields = value
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

  /** A number's own characters. */
  number(field: string): string {
    const value = this.#fields[field]
    return charactersOf(value) ?? this.refuse(field, `must be a number, not ${show(value)}`)
  }

  /** An id's own characters; the schema asks for a number, and some payers write it as a string. */
  id(field: string): string {
    return this.#readId(this.#fields[field], field)
  }

  object(field: string): JsonObject {
    return new JsonObject(this.#fields[field], this.#file, this.at(field))
  }

  /** The objects of an array, one by one; none where the field is absent. */
  *objects(field: string): Generator<JsonObject> {
    const path = this.at(field)
    for (const [index, value] of this.#array(field).entries()) {
      yield new JsonObject(value, this.#file, `${path}[${index}]`)
    }
  }

  /** The objects of an array that must be there. */
  requiredObjects(field: string): Generator<JsonObject> {
    return this.has(field) ? this.objects(field) : this.refuse(field, 'must be an array; it is missing')
  }

  texts(field: string): string[] {
    return this.#array(field).map((value, index) => this.#readText(value, field, index))
  }

  /** The ids of an array, each as its own characters. */
  ids(field: string): string[] {
    return this.#array(field).map((value, index) => this.#readId(value, field, index))
  }

  /** The path of one of the object's fields. */
  at(field: string, index?: number): string {
    const path = this.path === '' ? field : `${this.path}.${field}`
    return index === undefined ? path : `${path}[${index}]`
  }

  /** Refuses the file for what one of the object's fields holds. */
  refuse(field: string, rule: string, index?: number): never {
    throw new LoadRefused(this.#file, `${this.at(field, index)} ${rule}`)
  }

  #array(field: string): readonly unknown[] {
    if (!this.has(field)) return []
    const value = this.#fields[field]
    return Array.isArray(value) ? value : this.refuse(field, `must be an array, not ${show(value)}`)
  }

  #readText(value: unknown, field: string, index?: number): string {
    if (typeof value === 'string') return value.toWellFormed()
    return this.refuse(field, `must be a string, not ${show(value)}`, index)
  }

  #readId(value: unknown, field: string, index?: number): string {
    if (typeof value === 'string') return value.toWellFormed()
    return charactersOf(value) ?? this.refuse(field, `must be a number, not ${show(value)}`, index)
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && charactersOf(value) === undefined

/** A value as it may stand in a message. */
function show(value: unknown): string {
  if (value === undefined) return 'missing'
  if (Array.isArray(value)) return 'an array'
  if (isRecord(value)) return 'an object'
  const text = charactersOf(value) ?? JSON.stringify(value)
  return text.length > 60 ? `${text.slice(0, 60)}…` : text
}
