import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Validator } from '@seriousme/openapi-schema-validator'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { httpStatusOf } from '../../contract/errors.ts'
import examples from '../../contract/examples.json' with { type: 'json' }
import { failureWords } from '../../contract/failure-words.ts'
import { filterList } from '../../contract/filters.ts'
import { feeSchedulePages, maxFeeSchedules, searchPages } from '../../contract/limits.ts'
import { type AnyRoute, operations, routes } from '../../contract/routes.ts'
import { errorBody } from '../../contract/schemas/error.ts'
import { maxNamedColumns } from '../../contract/schemas/requests/search-request.ts'
import { apiDocument, listNested, listSchemas } from './documents.ts'
import { compileSchema } from './json-schemas.ts'

const docs = join(import.meta.dirname, '../../docs')

describe('docs/openapi.json', () => {
  it('equals the output of `npm run schema`', () => {
    expect(JSON.parse(readFileSync(join(docs, 'openapi.json'), 'utf8'))).toEqual(
      JSON.parse(JSON.stringify(apiDocument)),
    )
  })

  it('describes exactly the calls that the gateway routes', () => {
    const described = Object.entries(apiDocument.paths).flatMap(([path, operations]) =>
      Object.entries(operations).map(([method, { operationId }]) => `${method.toUpperCase()} ${path} ${operationId}`),
    )
    const expected = routes.map((each: AnyRoute) => {
      const { method, path, operation } = each
      return `${method} ${path} ${method === 'HEAD' ? `${operation}-head` : operation}`
    })
    expect(described.sort()).toEqual(expected.sort())
  })

  it('names every word with which the error of a failed search can begin', () => {
    for (const word of Object.keys(failureWords)) expect(apiDocument.info.description).toContain(`- \`${word}\`: `)
  })

  it('describes every kind of error', () => {
    expect(Object.keys(apiDocument.components.responses)).toHaveLength(Object.keys(httpStatusOf).length)
  })

  it('states the limits that the service applies', () => {
    const { properties = {} } = apiDocument.components.schemas['SearchRequest'] ?? {}
    const most = Object.entries(properties).map(([name, { maxItems }]) => [name, maxItems])
    expect(Object.fromEntries(most)).toEqual({
      ...Object.fromEntries(
        filterList.filter((filter) => !('parent' in filter)).map(({ name, limit: most }) => [name, most]),
      ),
      fee_schedules: maxFeeSchedules,
      columns: maxNamedColumns,
    })
    const limit = apiDocument.paths['/v1/fee-schedules']?.['get']?.parameters?.find(({ name }) => name === 'limit')
    expect(limit?.schema).toMatchObject({
      minimum: 1,
      maximum: feeSchedulePages.max,
      default: feeSchedulePages.default,
    })
    const searches = apiDocument.paths['/v1/searches']?.['get']?.parameters?.find(({ name }) => name === 'limit')
    expect(searches?.schema).toMatchObject({
      minimum: 1,
      maximum: searchPages.max,
      default: searchPages.default,
    })
  })
})

describe('the document', () => {
  const document = apiDocument
  const schemas = listSchemas(document)
  const nested = schemas.flatMap(listNested)

  it('passes the validator of OpenAPI 3.1', async () => {
    const { valid, errors } = await new Validator().validate({ ...structuredClone(document) })
    expect([valid, errors]).toEqual([true, undefined])
  })

  it('contains no dangling references', () => {
    const targets = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, target = '']) => target)
    expect(targets.length).toBeGreaterThan(20)
    const missing = targets.filter((target) => {
      const [, kind = '', ...key] = target.split('/')
      return !Object.entries(document.components).some(([name, all]) => name === kind && key.join('/') in all)
    })
    expect(missing).toEqual([])
  })

  it('contains valid JSON Schemas', () => {
    for (const { schema } of schemas) expect(compileSchema(document, schema)).toBeTypeOf('function')
  })

  it('gives examples that match their schemas', () => {
    const schemasWithExamples = nested.filter(({ schema }) => schema.examples !== undefined)
    expect(schemasWithExamples.length).toBeGreaterThan(20)
    const misfits = schemasWithExamples.filter(({ schema }) => !schema.examples?.every(compileSchema(document, schema)))
    expect(misfits.map(({ position }) => position)).toEqual([])
  })

  it('describes every field, and gives an example of each field without nested ones', () => {
    const fields = nested.filter(({ position }) => /\.\w+$/.test(position))
    const bare = fields.filter(
      ({ schema: { description, examples, $ref, properties, items, anyOf } }) =>
        !($ref ?? description) || !($ref ?? examples ?? properties ?? items ?? anyOf),
    )
    expect(bare.map(({ position }) => position)).toEqual([])
  })

  it('names every object, so that no generator has to make up a name', () => {
    const components = new Set(Object.keys(document.components.schemas).map((name) => `/components/schemas/${name}`))
    const anonymous = nested.filter(
      ({ position, schema }) => schema.properties !== undefined && !components.has(position),
    )
    expect(anonymous.map(({ position }) => position)).toEqual([])
  })

  it('allows new fields in answers but not in request bodies', () => {
    const closed = nested.filter(({ schema }) => schema.additionalProperties === false)
    expect([...new Set(closed.map(({ position }) => position))]).toEqual([
      '/components/schemas/SearchRequest',
      '/components/schemas/FeeSchedule',
      '/components/schemas/PlansOfId',
      '/components/schemas/Providers',
      '/components/schemas/Summary',
    ])
    const answers = JSON.stringify([document.components.responses, document.paths]).replace(
      /"requestBody":\{.*?"\$ref":"[^"]+"/g,
      '',
    )
    expect(answers).not.toContain('schemas/SearchRequest"')
  })

  it('gives every operation a name of its own', () => {
    const ids = Object.values(document.paths).flatMap((each) => Object.values(each).map((it) => it.operationId))
    expect(new Set(ids).size).toBe(ids.length)
  })

  it('uses only the Markdown that the reference page renders: paragraphs, lists and code', () => {
    const texts = [...JSON.stringify(document).matchAll(/"(?:description|summary)":("(?:[^"\\]|\\.)*")/g)]
    expect(texts.length).toBeGreaterThan(50)
    const others = texts.map(([, text = '']) => String(JSON.parse(text)).replace(/`[^`\n]+`/g, ''))
    expect(others.filter((text) => /[*#[\]`<>]|\b_|__/.test(text))).toEqual([])
  })
})

describe('the examples', () => {
  it.each(examples)('match their schema: "$name" of $operation', ({ operation, status, request, body }) => {
    const route = routes.find((each) => each.operation === operation)
    const call = apiDocument.paths[route?.path ?? '']?.[route?.method.toLowerCase() ?? '']
    if (status !== 405) expect(Object.keys(call?.responses ?? {})).toContain(String(status))
    const answer = call?.responses[status] ?? apiDocument.components.responses['MethodNotAllowed'] ?? { $ref: '' }
    const response = '$ref' in answer ? apiDocument.components.responses[answer.$ref.split('/').at(-1) ?? ''] : answer
    const schema = response?.content?.['application/json'].schema
    expect(schema === undefined).toBe(body === undefined)
    if (schema) expect(compileSchema(apiDocument, schema)(body)).toBe(true)
    const requestSchema = call?.requestBody?.content['application/json'].schema
    if (request && requestSchema) expect(compileSchema(apiDocument, requestSchema)(request)).toBe(status !== 400)
  })

  it('include a success of every call', () => {
    const successes = examples.filter(({ status }) => status < 300).map(({ operation }) => operation)
    expect([...new Set(successes)].sort()).toEqual(operations.toSorted())
  })

  it('include every kind of error that a request can cause', () => {
    const types = examples.flatMap(({ body }) => (v.is(errorBody, body) ? [body.error.type] : []))
    const missing = Object.keys(httpStatusOf).filter((type) => !types.some((each) => each === type))
    expect(missing).toEqual(['rate_limited', 'internal_error'])
  })
})
