import { type ConversionConfig, toJsonSchema, toJsonSchemaDefs } from '@valibot/to-json-schema'
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
  // The converter's output is JSON Schema; its type is wider than what this project reads.
  return toJsonSchemaDefs({ ...components }, rest) as Readonly<Record<string, SchemaObject>>
}

/** Describes one schema: as a reference if it is a component, else in full. */
export function describeSchema(schema: v.GenericSchema, components: Schemas): SchemaObject {
  const name = Object.entries(components).find(([, component]) => component === schema)?.[0]
  if (name !== undefined) return { $ref: `#/components/schemas/${name}` }
  const { $schema: _, $defs: __, ...described } = toJsonSchema(schema, config(components))
  return described as SchemaObject
}
