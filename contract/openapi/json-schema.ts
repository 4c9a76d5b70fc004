import type { ConversionConfig } from '@valibot/to-json-schema'
import { toJsonSchema, toJsonSchemaDefs } from '@valibot/to-json-schema'
import type * as v from 'valibot'
import type { Schemas } from '../call.ts'
import type { SchemaObject } from './openapi-document.ts'

const config = (components: Schemas): ConversionConfig => ({
  target: 'draft-2020-12',
  definitions: { ...components },
  overrideRef: ({ referenceId }) => `#/components/schemas/${referenceId}`,
})

/** The components of a document as JSON Schema, by name. */
export function describeComponents(components: Schemas): Readonly<Record<string, SchemaObject>> {
  const { definitions: _, ...rest } = config(components)
  // What the converter makes is JSON Schema; its type allows more of it than this project reads.
  return toJsonSchemaDefs({ ...components }, rest) as Readonly<Record<string, SchemaObject>>
}

/** One schema: a reference to the component that it is, or the whole of it. */
export function describeSchema(schema: v.GenericSchema, components: Schemas): SchemaObject {
  const name = Object.entries(components).find(([, component]) => component === schema)?.[0]
  if (name !== undefined) return { $ref: `#/components/schemas/${name}` }
  const { $schema: _, $defs: __, ...described } = toJsonSchema(schema, config(components))
  return described as SchemaObject
}
