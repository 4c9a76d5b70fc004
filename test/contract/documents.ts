import { describeApi } from '../../bin/documents/api-document.ts'
import type { OpenApiDocument, SchemaObject } from '../../contract/openapi/openapi-document.ts'

/** The document of the API. */
export const apiDocument: OpenApiDocument = describeApi()

/** A schema somewhere in a document. */
export interface PlacedSchema {
  /** JSON pointer. */
  readonly place: string
  readonly schema: SchemaObject
}

/** Every top-level schema of a document: components, and those of parameters, headers and bodies. */
export function listSchemas(document: OpenApiDocument): readonly PlacedSchema[] {
  const { schemas, responses, headers } = document.components
  const found: PlacedSchema[] = [
    ...Object.entries(schemas).map(([name, schema]) => ({ place: `/components/schemas/${name}`, schema })),
  ]
  const add = (place: string, schema: SchemaObject | undefined) => schema && found.push({ place, schema })
  const addResponse = (place: string, response: (typeof responses)[string] | { $ref: string }) => {
    if ('$ref' in response) return
    add(`${place}/content`, response.content?.['application/json'].schema)
    for (const [name, header] of Object.entries(response.headers))
      if (!('$ref' in header)) add(`${place}/headers/${name}`, header.schema)
  }
  for (const [name, header] of Object.entries(headers)) add(`/components/headers/${name}`, header.schema)
  for (const [name, response] of Object.entries(responses)) addResponse(`/components/responses/${name}`, response)
  for (const [path, operations] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      const place = `${method} ${path}`
      for (const { name, schema } of operation.parameters ?? []) add(`${place}/parameters/${name}`, schema)
      add(`${place}/requestBody`, operation.requestBody?.content['application/json'].schema)
      for (const [status, response] of Object.entries(operation.responses)) addResponse(`${place}/${status}`, response)
    }
  }
  return found
}

/** A schema and all nested schemas; references are not followed. */
export function listNested({ place, schema }: PlacedSchema): readonly PlacedSchema[] {
  const nested: PlacedSchema[] = [
    ...Object.entries(schema.properties ?? {}).map(([name, each]) => ({ place: `${place}.${name}`, schema: each })),
    ...[...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].map((each, index) => ({
      place: `${place}|${index}`,
      schema: each,
    })),
    ...(schema.items ? [{ place: `${place}[]`, schema: schema.items }] : []),
  ]
  return [{ place, schema }, ...nested.flatMap(listNested)]
}
