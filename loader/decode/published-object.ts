import type { FindingRule, Findings } from './findings.ts'
import { isRecord, type Position, pathOf } from './json/json-object.ts'
import { digitsOf, isNumber, type PublishedNumber, parseNumber } from './json/published-number.ts'

/**
 * An object of a published file whose values may have any type. Readers never refuse the file: they convert unambiguous
 * values, drop the rest, and count both as findings. `null` and the empty string are read as absent.
 */
export class PublishedObject {
  readonly #fields: Readonly<Record<string, unknown>>
  readonly #position: Position
  readonly #findings: Findings

  private constructor(fields: Readonly<Record<string, unknown>>, position: Position, findings: Findings) {
    this.#fields = fields
    this.#position = position
    this.#findings = findings
  }

  /** Returns the value as an object; undefined, without counting a finding, if it is not an object. */
  static read(value: unknown, position: Position, findings: Findings): PublishedObject | undefined {
    return isRecord(value) ? new PublishedObject(value, position, findings) : undefined
  }

  /** Returns the value as an object; if it is not an object, counts a finding and returns undefined. */
  static readCounting(
    value: unknown,
    position: Position,
    findings: Findings,
    rule: FindingRule,
  ): PublishedObject | undefined {
    const object = PublishedObject.read(value, position, findings)
    if (object === undefined) findings.count(rule, { path: pathOf(position) })
    return object
  }

  /** JSON path of the object in its file, such as `in_network[3].negotiated_rates[0]`. */
  get path(): string {
    return pathOf(this.#position)
  }

  /** Counts a finding. Returns undefined, in place of the value that is lost. */
  count(rule: FindingRule, field?: string, index?: number): undefined {
    this.#findings.count(rule, this, field, index)
  }

  /** Counts the fields whose names are not in the set. */
  countUnknown(knownNames: ReadonlySet<string>): void {
    for (const name of Object.keys(this.#fields))
      if (!knownNames.has(name)) this.#findings.countUnknown(this.path, name)
  }

  has(field: string): boolean {
    const value = this.#fields[field]
    return value !== undefined && value !== null && value !== ''
  }

  /** The value as it was parsed. */
  value(field: string): unknown {
    return this.#fields[field]
  }

  /** A string; undefined, without a finding, if the value is anything else or blank. */
  text(field: string): string | undefined {
    const value = this.#fields[field]
    return typeof value === 'string' && value.trim() !== '' ? value : undefined
  }

  /** An optional string. An integer is converted to its digits, and any value but a string is counted. */
  optionalText(field: string): string | undefined {
    return this.#convert(this.#fields[field], field)
  }

  /** The digits of an integer where a string is expected, which is counted; undefined if it is not an integer. */
  digits(field: string): string | undefined {
    const value = this.#fields[field]
    const digits = isNumber(value) ? digitsOf(value) : undefined
    if (digits !== undefined) this.count('number-for-text', field)
    return digits
  }

  /**
   * A number. A string that is a number in JSON's grammar is converted and counted. Any other value is undefined, and
   * not counted.
   */
  number(field: string): number | PublishedNumber | undefined {
    const value = this.#fields[field]
    if (isNumber(value)) return value
    const number = typeof value === 'string' ? parseNumber(value) : undefined
    if (number !== undefined) this.count('text-for-number', field)
    return number
  }

  /** The object in a field; undefined, without a finding, if the value is anything else. */
  object(field: string): PublishedObject | undefined {
    const position = { parent: this, field }
    return PublishedObject.read(this.#fields[field], position, this.#findings)
  }

  /** The elements of an array; undefined, without a finding, if the value is anything else. */
  array(field: string): readonly unknown[] | undefined {
    const value = this.#fields[field]
    return Array.isArray(value) ? value : undefined
  }

  /**
   * The elements of an optional array. A string or number is counted, and read as an array of one; other values are
   * counted.
   */
  list(field: string): readonly unknown[] {
    const value = this.#fields[field]
    if (Array.isArray(value)) return value
    if (value === undefined || value === null) return []
    if (typeof value !== 'string' && !isNumber(value)) {
      this.count('unreadable-value', field)
      return []
    }
    this.count('text-for-list', field)
    return [value]
  }

  /** The strings of an optional array, which is read as by `list` and each element as by `optionalText`. */
  texts(field: string): readonly string[] {
    if (!this.has(field)) return []
    const values = this.list(field)
    if (values.every((value): value is string => typeof value === 'string' && value !== '')) return values
    return values.flatMap((value, index) => this.#convert(value, field, index) ?? [])
  }

  /**
   * Yields the elements of one of this object's arrays. For an element that is not an object it counts and yields
   * undefined.
   */
  *objects(field: string, values: readonly unknown[], rule: FindingRule): Generator<PublishedObject | undefined> {
    for (let index = 0; index < values.length; index++) {
      const position = { parent: this, field, index }
      yield PublishedObject.readCounting(values[index], position, this.#findings, rule)
    }
  }

  /** As `objects`, for an optional array. A value of another type is counted and has no elements. */
  optionalObjects(field: string, rule: FindingRule): Generator<PublishedObject | undefined> {
    const values = this.array(field)
    if (values === undefined && this.has(field)) this.count('unreadable-value', field)
    return this.objects(field, values ?? [], rule)
  }

  #convert(value: unknown, field: string, index?: number): string | undefined {
    if (typeof value === 'string') return value === '' ? undefined : value
    if (value === undefined || value === null) return undefined
    const digits = isNumber(value) ? digitsOf(value) : undefined
    this.#findings.count(digits === undefined ? 'unreadable-value' : 'number-for-text', this, field, index)
    return digits
  }
}
