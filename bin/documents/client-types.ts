import type { OpenApiDocument, OperationObject, SchemaObject } from '../../contract/openapi/openapi-document.ts'

/**
 * Generates client/api.ts from the OpenAPI document: an interface for each body, and for each call that takes a key its
 * route, parameters with their greatest numbers, and responses. HEAD is left out, because it is a GET without a body.
 */
export function describeClientTypes(document: OpenApiDocument): string {
  const { components } = document
  const calls = listCalls(document)
  return [
    '// Written by `npm run schema` from docs/openapi.json: change contract/ instead.',
    ...Object.entries(components.schemas).map(([name, schema]) => declare(name, schema)),
    `/** The method and the path of each call. */\nexport const routes = {\n${calls
      .map(({ method, path, operation }) => `  '${operation.operationId}': { method: '${method}', path: '${path}' },`)
      .join('\n')}\n} as const`,
    `/** The greatest numbers that parameters of calls can have. */\nexport const greatest = {\n${calls
      .flatMap(({ operation }) => describeGreatest(operation))
      .join('\n')}\n} as const`,
    nothing,
    `/** The parameters, the body and the answer of each call. */\nexport interface Calls {\n${calls
      .map(
        ({ operation }) =>
          `${docs(operation.summary, '  ')}  readonly '${operation.operationId}': ${describeCall(operation)}`,
      )
      .join('\n')}\n}`,
  ]
    .map((part) => `${part}\n`)
    .join('\n')
}

function declare(name: string, schema: SchemaObject): string {
  const text =
    schema.properties === undefined ? `type ${name} = ${typeOf(schema)}` : `interface ${name} ${typeOf(schema)}`
  return `${docs(schema.description)}export ${text}`
}

function describeGreatest(operation: OperationObject): readonly string[] {
  const numbers = listGreatest(operation).map(({ name, maximum }) => `${name}: ${maximum}`)
  return numbers.length === 0 ? [] : [`  '${operation.operationId}': { ${numbers.join(', ')} },`]
}

/** Writes the numbers that stand behind `greatest['get-search'].wait` and its like in a text. */
export function writeGreatest(text: string, document: OpenApiDocument): string {
  const numbers = listCalls(document).flatMap(({ operation }) =>
    listGreatest(operation).map(
      ({ name, maximum }) => [`greatest['${operation.operationId}'].${name}`, String(maximum)] as const,
    ),
  )
  return numbers.reduce((written, [expression, number]) => written.replaceAll(expression, number), text)
}

const listCalls = ({ paths }: OpenApiDocument) =>
  Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([method, { security }]) => method !== 'head' && security?.length !== 0)
      .map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  )

const listGreatest = ({ parameters = [] }: OperationObject) =>
  parameters.flatMap(({ name, schema: { maximum } }) => (maximum === undefined ? [] : [{ name, maximum }]))

function describeCall({ parameters = [], requestBody, responses }: OperationObject): string {
  const namesIn = (location: string) =>
    parameters
      .filter((parameter) => parameter.in === location)
      // The name of a path's parameter says what it is.
      .map(({ name, required: isRequired, schema, description }) =>
        location === 'path'
          ? field({ name, schema, isRequired }, undefined, '')
          : field({ name, schema, isRequired }, description, '      '),
      )
  const [, success] = Object.entries(responses).find(([status]) => status.startsWith('2')) ?? []
  const answer = success !== undefined && 'content' in success ? success.content : undefined
  const schemaOf = (content: typeof answer) => content?.['application/json'].schema
  const body = schemaOf(requestBody?.content)
  const parts = [
    ...(['path', 'query', 'header'] as const).flatMap((location) => {
      const fields = namesIn(location)
      if (fields.length === 0) return []
      if (location === 'path') return [`    readonly path: { ${fields.join('; ')} }`]
      return [`    readonly ${location === 'header' ? 'headers' : location}: {\n${fields.join('\n')}\n    }`]
    }),
    ...(body === undefined ? [] : [`    readonly body: ${typeOf(body)}`]),
    `    readonly answer: ${typeOrUndefined(schemaOf(answer))}`,
  ]
  return `Call<{\n${parts.join('\n')}\n  }>`
}

const typeOrUndefined = (schema: SchemaObject | undefined) => (schema === undefined ? 'undefined' : typeOf(schema))

/** Types for the parts that a call does not have. */
const nothing = `type Nothing = Readonly<Record<string, never>>
interface NoParts { readonly path: Nothing; readonly query: Nothing; readonly headers: Nothing; readonly body: undefined }
type Call<Parts> = Omit<NoParts, keyof Parts> & Parts`

function typeOf(schema: SchemaObject, indent = ''): string {
  const union = schema.anyOf ?? schema.oneOf
  if (schema.$ref !== undefined) return schema.$ref.replace('#/components/schemas/', '')
  if (union !== undefined) return joinTypes(union.map((each) => typeOf(each, indent)))
  if ('const' in schema) return literal(schema.const)
  if (schema.enum !== undefined) return joinTypes(schema.enum.map(literal))
  const types = [schema.type ?? []].flat()
  if (types.length === 0) throw new TypeError(`a schema has no type: ${JSON.stringify(schema)}`)
  return joinTypes(types.map((type) => typeNamed(type, schema, indent)))
}

function typeNamed(type: string, schema: SchemaObject, indent: string): string {
  switch (type) {
    case 'string':
    case 'boolean':
    case 'null':
      return type
    case 'integer':
    case 'number':
      return 'number'
    case 'array': {
      const item = schema.items === undefined ? 'unknown' : typeOf(schema.items, indent)
      return item.includes(' | ') ? `readonly (${item})[]` : `readonly ${item}[]`
    }
    case 'object':
      if (typeof schema.additionalProperties === 'object')
        return `Readonly<Record<string, ${typeOf(schema.additionalProperties, indent)}>>`
      return objectOf(fieldsOf(schema, indent), indent)
    default:
      throw new TypeError(`a schema has the unknown type ${type}`)
  }
}

const fieldsOf = ({ properties = {}, required = [] }: SchemaObject, indent: string) =>
  Object.entries(properties).map(([name, schema]) =>
    field({ name, schema, isRequired: required.includes(name) }, schema.description, `${indent}  `),
  )

const objectOf = (fields: readonly string[], indent: string) => `{\n${fields.join('\n')}\n${indent}}`

/** A field of an object's type. */
interface Field {
  readonly name: string
  readonly schema: SchemaObject
  readonly isRequired: boolean
}

function field({ name, schema, isRequired }: Field, description: string | undefined, indent: string): string {
  const key = /^[a-z_]+$/i.test(name) ? name : `'${name}'`
  return `${docs(description, indent)}${indent}readonly ${key}${isRequired ? '' : '?'}: ${typeOf(schema, indent)}`
}

/** A literal number adds nothing to `number`. */
function joinTypes(types: readonly string[]): string {
  const distinct = [...new Set(types)]
  return distinct.filter((type) => !(distinct.includes('number') && /^\d+$/.test(type))).join(' | ')
}

const literal = (value: unknown) => (typeof value === 'string' ? `'${value}'` : JSON.stringify(value))

const docs = (text: string | undefined, indent = '') =>
  text === undefined ? '' : `${indent}/** ${text.replaceAll('*/', '*\\/').replaceAll('\n\n', ' ')} */\n`
