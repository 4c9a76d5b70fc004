import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { OpenApiDocument, SchemaObject } from '../../contract/openapi/openapi-document.ts'

const validators = new WeakMap<OpenApiDocument, Ajv2020>()

/**
 * Compiles a JSON Schema of a document, with checks of formats.
 *
 * @throws an error if the schema is faulty: an unknown keyword, a limit on the wrong type, a dangling reference
 */
export function compileSchema(document: OpenApiDocument, schema: SchemaObject): (value: unknown) => boolean {
  let ajv = validators.get(document)
  if (ajv === undefined) {
    ajv = new Ajv2020({ strict: true, strictRequired: false })
    addFormats.default(ajv)
    for (const [name, component] of Object.entries(document.components.schemas))
      ajv.addSchema(absolute(component), `${components}${name}`)
    validators.set(document, ajv)
  }
  const accepts = ajv.compile(absolute(schema))
  return (value) => accepts(value) === true
}

const components = 'https://example.com/components/schemas/'

/** Returns a schema with its references made absolute. */
function absolute(schema: SchemaObject): object {
  return JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#/components/schemas/', `"$ref":"${components}`))
}
