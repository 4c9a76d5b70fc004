import type { Call, Contract, Schemas, Success } from '../call.ts'
import { answerHeaders, commonErrors, errorHeaders, pathParameters } from '../calls.ts'
import { type ErrorType, httpStatusOf } from '../errors.ts'
import { entityTagHeader, ifNoneMatchHeader } from '../headers.ts'
import type { AnyRoute } from '../routes.ts'
import { errorBody, errorMeanings, errorTypes } from '../schemas/error.ts'
import { entityTag, ifNoneMatch } from '../schemas/headers.ts'
import { exampleBaseUrl } from '../schemas/values.ts'
import { chooseErrors, chooseExamples, type Example, type NamedExamples } from './examples.ts'
import { describeComponents, describeSchema } from './json-schema.ts'
import type {
  Content,
  HeaderObject,
  OpenApiDocument,
  OperationObject,
  ParameterObject,
  Reference,
  ResponseObject,
} from './openapi-document.ts'
import { describeWebhooks } from './webhooks.ts'

export interface DocumentFacts {
  readonly examples: readonly Example[]
  /** Why searches fail: the words that `error` can begin with, and the meaning of each. */
  readonly failures: Readonly<Record<string, string>>
}

/** Builds the OpenAPI 3.1 document of an API. The only server is the address in the examples. */
export function buildDocument(contract: Contract, { examples, failures }: DocumentFacts): OpenApiDocument {
  const { routes, components } = contract
  const paths: Record<string, Record<string, OperationObject>> = {}
  for (const route of routes) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: describeCall(contract, route, examples) }
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Rate search',
      version: '1',
      summary: 'Asynchronous searches over healthcare reimbursement rates.',
      description: describeService(failures),
    },
    servers: [{ url: exampleBaseUrl }],
    security: [{ apiKey: [] }],
    tags: [
      { name: 'searches', description: 'Create a search, follow it to its end, download its result.' },
      { name: 'estimates', description: 'The files and bytes that a search would read.' },
      { name: 'fee-schedules', description: 'The rates that can be searched.' },
      { name: 'billing-codes', description: 'Codes by words of their names.' },
      { name: 'specialties', description: 'Taxonomy codes of providers by words of their names.' },
      { name: 'providers', description: 'NPIs by names and places of providers.' },
    ],
    paths,
    webhooks: describeWebhooks(contract.webhooks, components),
    components: {
      schemas: describeComponents(components),
      responses: Object.fromEntries(
        errorTypes.map((type) => [
          pascalCase(type),
          describeErrors([type], {}, components, chooseErrors(examples, type)),
        ]),
      ),
      headers: Object.fromEntries(
        Object.entries(answerHeaders).map(([name, schema]) => [name, describeHeader(schema, components, true)]),
      ),
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          description:
            'The API key that your operator gave you, sent as `Authorization: Bearer <API_KEY>`. It belongs to an organization, and sees the searches of that organization only.',
        },
      },
    },
  }
}

function describeService(failures: Readonly<Record<string, string>>): string {
  const words = Object.entries(failures).map(([word, meaning]) => `- \`${word}\`: ${meaning}`)
  return [
    'Create a search with `POST /v1/searches`, ask for it at its `status_url` until `status` is `completed` or `failed`, then download every file of `download_urls`: they are Parquet, share one schema, and are the whole result together.',
    'Every answer has an `X-Request-Id`. Every error has the body `ErrorBody`, also those of the gateway in front of the service, which may have other statuses from 400 to 599. An unknown path is answered with 404, and a method that a path does not have with 405. Fields may be added to answers: ignore those that you do not know.',
    `Reasons why a search fails, by the first word of its \`error\`:\n\n${words.join('\n')}`,
  ].join('\n\n')
}

function describeCall({ calls, components }: Contract, route: AnyRoute, examples: readonly Example[]): OperationObject {
  const { method, path, operation, auth, tagged = false } = route
  const call = calls[operation]
  if (call === undefined) throw new TypeError(`no call is described as ${operation}`)
  const isHead = method === 'HEAD'
  const callExamples = isHead ? [] : examples.filter((example) => example.operation === operation)
  const parameters = describeParameters(route, call, components)
  const { success, body } = call
  const { body: _, ...bodiless } = success
  const [, , tag] = path.split('/')
  if (tag === undefined) throw new TypeError(`the path ${path} does not name a resource`)
  return {
    operationId: isHead ? `${operation}-head` : operation,
    tags: [tag],
    summary: isHead ? `${call.summary}, without the body` : call.summary,
    description: call.description,
    ...(auth === 'none' && { security: [] }),
    ...(parameters.length > 0 && { parameters }),
    ...(body && {
      requestBody: {
        required: true,
        content: describeContent(body, components, chooseExamples(callExamples, success.status, 'request')),
      },
    }),
    responses: {
      [success.status]: describeSuccess(addTag(isHead ? bodiless : success, tagged), components, callExamples),
      ...(tagged && { 304: describeUnchanged(components) }),
      ...Object.fromEntries(
        Object.entries(Object.groupBy(errorsOf(route, call), (type) => httpStatusOf[type])).map(([status, types]) => [
          status,
          describeCallErrors(types, call, isHead, components),
        ]),
      ),
    },
  }
}

/** The error types of a call, by status. Every key may make calls that only read. */
export function errorsOf({ auth, effect }: Pick<AnyRoute, 'auth' | 'effect'>, { errors }: Call): readonly ErrorType[] {
  const common = commonErrors.filter((type) => auth === 'key' || (type !== 'unauthorized' && type !== 'forbidden'))
  const ofPermissions: readonly ErrorType[] = auth === 'key' && effect !== 'reads' ? ['not_permitted'] : []
  return [...errors, ...common, ...ofPermissions].sort((one, other) => httpStatusOf[one] - httpStatusOf[other])
}

function describeParameters({ path, tagged }: AnyRoute, call: Call, components: Schemas): readonly ParameterObject[] {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  const { requiredQuery = [] } = call
  const list = (location: ParameterObject['in'], schemas: Schemas): readonly ParameterObject[] =>
    Object.entries(schemas).map(([name, schema]) => {
      const { description = '', ...rest } = describeSchema(schema, components)
      const required = location === 'path' || (location === 'query' && requiredQuery.includes(name))
      return { name, in: location, required, description, schema: rest }
    })
  return [
    ...list('path', Object.fromEntries(Object.entries(pathParameters).filter(([name]) => inPath.includes(name)))),
    ...list('query', call.query ?? {}),
    ...list('header', { ...call.headers, ...(tagged && { [ifNoneMatchHeader]: ifNoneMatch }) }),
  ]
}

/** The success of a route, with a tag if the route has tags. */
export function addTag(success: Success, isTagged: boolean): Success {
  if (!isTagged) return success
  const { headers, requiredHeaders = [] } = success
  return {
    ...success,
    headers: { ...headers, [entityTagHeader]: entityTag },
    requiredHeaders: [...requiredHeaders, entityTagHeader],
  }
}

const describeUnchanged = (components: Schemas): ResponseObject => ({
  description: 'The answer has not changed since one of the tags in `If-None-Match`. There is no body.',
  headers: describeHeaders({ [entityTagHeader]: entityTag }, components, [entityTagHeader]),
})

function describeSuccess(success: Success, components: Schemas, examples: readonly Example[]): ResponseObject {
  const { status, description, body, csv, headers = {}, requiredHeaders = [] } = success
  const inCsv = csv && {
    'text/csv': { schema: { type: 'string', description: csv.description }, example: csv.example },
  }
  return {
    description,
    headers: describeHeaders(headers, components, requiredHeaders),
    ...(body && {
      content: { ...describeContent(body, components, chooseExamples(examples, status, 'body')), ...inCsv },
    }),
  }
}

/** Describes the errors of a call that have the same status. */
function describeCallErrors(types: readonly ErrorType[], call: Call, isHead: boolean, components: Schemas) {
  const { errorHeaders: headersByType = {} } = call
  const [first, ...others] = types
  const callHeaders: Schemas = Object.assign({}, ...types.map((type) => headersByType[type]))
  if (first !== undefined && headersByType[first] === undefined && others.length === 0 && !isHead)
    return { $ref: `#/components/responses/${pascalCase(first)}` }
  const { content, ...rest } = describeErrors(types, callHeaders, components, {})
  return isHead || content === undefined ? rest : { ...rest, content }
}

/** @param headers in addition to those of every error of the types */
function describeErrors(
  types: readonly ErrorType[],
  headers: Schemas,
  components: Schemas,
  examples: NamedExamples,
): ResponseObject {
  const label = (type: ErrorType) => (types.length > 1 ? `\`${type}\`: ` : '')
  return {
    description: types.map((type) => label(type) + errorMeanings[type]).join(' '),
    headers: describeHeaders(Object.assign({}, ...types.map((type) => errorHeaders[type]), headers), components, []),
    content: describeContent(errorBody, components, examples),
  }
}

/** The headers of every answer, and these. */
const describeHeaders = (headers: Schemas, components: Schemas, required: readonly string[]) =>
  Object.fromEntries<HeaderObject | Reference>([
    ...Object.keys(answerHeaders).map((name) => [name, { $ref: `#/components/headers/${name}` }] as const),
    ...Object.entries(headers).map(
      ([name, schema]) => [name, describeHeader(schema, components, required.includes(name))] as const,
    ),
  ])

function describeHeader(schema: Schemas[string], components: Schemas, isRequired: boolean): HeaderObject {
  const { description = '', ...rest } = describeSchema(schema, components)
  return { description, ...(isRequired && { required: true }), schema: rest }
}

/** Describes a body in JSON, with its examples if there are any. */
function describeContent(body: NonNullable<Success['body']>, components: Schemas, examples: NamedExamples): Content {
  const schema = describeSchema(body, components)
  return { 'application/json': { schema, ...(Object.keys(examples).length > 0 && { examples }) } }
}

const pascalCase = (name: string) =>
  name
    .split('_')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')
