import * as v from 'valibot'

/** An item of a table: its attributes, by name. */
export type Item = Record<string, unknown>

/** An attribute is named as its field, with underscores: `createdAt` is stored as `created_at`, and a time as text. */

type FieldName<Name> = Name extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<FieldName<Tail>>}` : Name

type Fields<Stored> = Stored extends unknown ? { [Name in keyof Stored as FieldName<Name>]: Stored[Name] } : never

export const storedTime = v.pipe(
  v.string(),
  v.transform((text) => new Date(text)),
)

/** Formats the time from which DynamoDB may remove an item, in seconds since 1970. */
export const epochSeconds = (time: Date): number => Math.ceil(time.getTime() / 1000)

/** Bytes stored per item, which may have 400 KB. */
const partBytes = 300_000

/** Splits bytes that are too long for one item. */
export const splitBytes = (bytes: Uint8Array): readonly Uint8Array[] =>
  Array.from({ length: Math.ceil(bytes.length / partBytes) }, (_, part) =>
    bytes.subarray(part * partBytes, (part + 1) * partBytes),
  )

/** The fields of a parsed item; those of objects inside it keep their names. */
export function readFields<Stored extends object>(stored: Stored): Fields<Stored> {
  const fieldOf = (name: string) => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
  return Object.fromEntries(Object.entries(stored).map(([name, value]) => [fieldOf(name), value])) as Fields<Stored>
}

export const attributeOf = (field: string): string => field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** The attributes of fields, without those that are undefined. */
export function writeFields(fields: object): Item {
  const defined = Object.entries(fields).filter(([, value]) => value !== undefined)
  return Object.fromEntries(
    defined.map(([field, value]) => [attributeOf(field), value instanceof Date ? value.toISOString() : value]),
  )
}

/**
 * Returns the names and values that expressions use: `#name` is the attribute `name` (many are reserved words) unless a
 * value is given as `#name`, and `:name` the value of that attribute's field.
 */
export function express(expressions: readonly string[], values: object) {
  const attributes = writeFields(values)
  const tokens = [...new Set(expressions.join(' ').match(/[#:]\w+/g))]
  const names = tokens
    .filter((name) => name.startsWith('#'))
    .map((name) => [name, String(attributes[name] ?? name.slice(1))])
  const used = tokens.filter((name) => name.startsWith(':')).map((name) => [name, attributes[name.slice(1)]])
  return {
    ...(names.length > 0 && { ExpressionAttributeNames: Object.fromEntries(names) }),
    ...(used.length > 0 && { ExpressionAttributeValues: Object.fromEntries(used) }),
  }
}
