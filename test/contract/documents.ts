import { describeApi } from '../../bin/documents/api-document.ts'
import type { OpenApiDocument, SchemaObject } from '../../contract/openapi/openapi-document.ts'

/** The document of the API. */
export const apiDocument: OpenApiDocument = describeApi()

/** A schema and its position in a document. */
export interface PlacedSchema {
  /** JSON pointer, or the call and the part of it that has the schema. */
  readonly position: string
  readonly schema: SchemaObject
}

/** Returns every top-level schema of a document: components, and the schemas of parameters, headers and bodies. */
export function listSchemas(document: OpenApiDocument): readonly PlacedSchema[] {
  const { schemas, responses, headers } = document.components
  const placedSchemas: PlacedSchema[] = [
    ...Object.entries(schemas).map(([name, schema]) => ({ position: `/components/schemas/${name}`, schema })),
  ]
  const add = (position: string, schema: SchemaObject | undefined) => schema && placedSchemas.push({ position, schema })
  const addResponse = (position: string, response: (typeof responses)[string] | { $ref: string }) => {
    if ('$ref' in response) return
    add(`${position}/content`, response.content?.['application/json'].schema)
    for (const [name, header] of Object.entries(response.headers))
      if (!('$ref' in header)) add(`${position}/headers/${name}`, header.schema)
  }
  for (const [name, header] of Object.entries(headers)) add(`/components/headers/${name}`, header.schema)
  for (const [name, response] of Object.entries(responses)) addResponse(`/components/responses/${name}`, response)
  for (const [path, operations] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      const position = `${method} ${path}`
      for (const { name, schema } of operation.parameters ?? []) add(`${position}/parameters/${name}`, schema)
      add(`${position}/requestBody`, operation.requestBody?.content['application/json'].schema)
      for (const [status, response] of Object.entries(operation.responses))
        addResponse(`${position}/${status}`, response)
    }
  }
  return placedSchemas
}

/** Returns a schema and all nested schemas, without following references. */
export function listNested({ position, schema }: PlacedSchema): readonly PlacedSchema[] {
  const nested: PlacedSchema[] = [
    ...Object.entries(schema.properties ?? {}).map(([name, field]) => ({
      position: `${position}.${name}`,
      schema: field,
    })),
    ...[...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].map((variant, index) => ({
      position: `${position}|${index}`,
      schema: variant,
    })),
    ...(schema.items ? [{ position: `${position}[]`, schema: schema.items }] : []),
  ]
  return [{ position, schema }, ...nested.flatMap(listNested)]
}
