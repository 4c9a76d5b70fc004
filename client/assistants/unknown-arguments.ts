import { adviseName } from '../../core/search/advise-name.ts'
import { shortText } from './answer.ts'
import { isSchema, type JsonSchema } from './shorten-schema.ts'

/** An argument that a tool does not have, with the names that lead to it. */
export interface UnknownArgument {
  readonly message: string
  readonly path: readonly string[]
}

/**
 * Finds arguments that the JSON Schema of a tool does not have, and the names that may be meant: assistants correct a
 * misspelt argument by themselves once they know the right name.
 */
export function* findUnknownArguments(
  schema: JsonSchema,
  value: unknown,
  path: readonly string[] = [],
): Generator<UnknownArgument> {
  if (Array.isArray(value) && isSchema(schema['items'])) {
    for (const [index, item] of value.entries())
      yield* findUnknownArguments(schema['items'], item, [...path, String(index)])
    return
  }
  const properties = listProperties(schema)
  if (!isSchema(value) || properties.size === 0) return
  for (const [name, part] of Object.entries(value)) {
    const property = properties.get(name)
    const position = [...path, shortText(name)]
    if (property !== undefined) yield* findUnknownArguments(property, part, position)
    else
      yield {
        message: `unknown argument; ${adviseName(shortText(name), [...properties.keys()], 'arguments')}`,
        path: position,
      }
  }
}

/** Lists the properties of an object; of one of several kinds, those of all. */
function listProperties({ properties, anyOf }: JsonSchema): ReadonlyMap<string, JsonSchema> {
  const ofKinds = Array.isArray(anyOf) ? anyOf.filter(isSchema).flatMap((kind) => [...listProperties(kind)]) : []
  const ofObject = isSchema(properties) ? Object.entries(properties) : []
  return new Map([...ofKinds, ...ofObject.flatMap(([name, part]) => (isSchema(part) ? [[name, part] as const] : []))])
}
