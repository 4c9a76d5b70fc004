/** A JSON Schema, or a part of one. */
export type JsonSchema = Readonly<Record<string, unknown>>

/** Keywords that tell an assistant how to write a value. The service checks values by all others. */
const shownKeywords = new Set([
  ...['type', 'properties', 'required', 'items', 'anyOf', 'enum', 'const'],
  ...['format', 'minimum', 'maximum', 'description'],
])

/** Options of a shortened schema. */
interface Shortening {
  /** False to leave out descriptions, because the list has them at another tool. */
  readonly isDescribed: boolean
}

/**
 * Shortens a JSON Schema to what an assistant needs in order to write arguments: of a description the first sentence,
 * and no patterns, examples and lengths. An assistant reads the schemas of all tools with every question, and learns
 * from the service's faults what else a value must be.
 */
export const shortenSchema = (schema: JsonSchema, shortening: Shortening): JsonSchema => ({
  ...shortenObject(schema, shortening),
  additionalProperties: false,
})

const shortenPart = (part: unknown, shortening: Shortening) => (isSchema(part) ? shortenObject(part, shortening) : part)

function shortenObject(schema: JsonSchema, shortening: Shortening): JsonSchema {
  return Object.fromEntries(
    Object.entries(schema).flatMap(([keyword, value]) => {
      const shown = shownKeywords.has(keyword) ? shortenKeyword(keyword, value, shortening) : undefined
      return shown === undefined ? [] : [[keyword, shown]]
    }),
  )
}

/** @returns undefined if the keyword says nothing */
function shortenKeyword(keyword: string, value: unknown, shortening: Shortening): unknown {
  switch (keyword) {
    case 'description':
      return shortening.isDescribed && typeof value === 'string' ? firstSentence(value) : undefined
    case 'properties':
      return isSchema(value)
        ? Object.fromEntries(Object.entries(value).map(([name, part]) => [name, shortenPart(part, shortening)]))
        : value
    case 'items':
      return shortenPart(value, shortening)
    case 'anyOf':
      return Array.isArray(value) ? value.map((part) => shortenPart(part, shortening)) : value
    case 'required':
      return Array.isArray(value) && value.length > 0 ? value : undefined
    default:
      return value
  }
}

export const isSchema = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns a text up to its first full stop. */
export const firstSentence = (text: string): string => /^.*?\.(?=\s|$)/su.exec(text)?.[0] ?? text
