import { describe, expect, it } from 'vitest'
import type { Call } from '../../contract/call.ts'
import { calls } from '../../contract/calls.ts'
import { httpStatusOf } from '../../contract/errors.ts'
import { type AnyRoute, methodsOf, operations, queryParameters, routes } from '../../contract/routes.ts'
import { readSources } from '../templates/source-files.ts'

describe('the parameters of a query string', () => {
  it.each(operations)('equal those that the contract describes: %s', (operation) => {
    const { query = {} }: Call = calls[operation]
    expect(queryParameters[operation].toSorted()).toEqual(Object.keys(query).sort())
  })
})

describe('the methods of a path', () => {
  it.each(routes)('include $method for $path', ({ method, path }) => {
    expect(methodsOf(path.replace(/\{\w+\}/, 'something'))).toContain(method)
  })

  it.each([
    ['/v1/searches', ['POST', 'GET', 'HEAD']],
    ['/v1/searches/2a39443a-064f-4d78-b562-c11683209ccf', ['GET', 'HEAD', 'DELETE']],
    ['/v1/searches/{job_id}', ['GET', 'HEAD', 'DELETE']],
    ['/v1/searches/%20', ['GET', 'HEAD', 'DELETE']],
    ['/v1/searches/2a39443a-064f-4d78-b562-c11683209ccf/cancel', ['POST']],
    ['/v1/searches/cancel', ['GET', 'HEAD', 'DELETE']],
    ['/v1/estimates', ['POST']],
    ['/v1/fee-schedules', ['GET']],
  ])('match the routes of %s: %j', (path, methods) => {
    expect(methodsOf(path)).toEqual(methods)
  })

  it.each([
    '',
    '//',
    'v1/searches',
    '/v1',
    '/v1/',
    '/v1/searches/',
    '/v1//searches',
    '//v1/searches',
    '/v1/searches//',
    '/v1/searches/a/',
    '/v1/searches/a/b',
    '/v1/searches//cancel',
    '/v1/searches/a/cancel/',
    '/v1/searches/a/Cancel',
    '/v1/searches/a/cancel/b',
    '/V1/searches',
    '/v1/search',
    '/v1/fee-schedules/',
    '/v1/fee-schedules/a',
    '/dev/v1/searches',
    '/v1/searches?limit=1/a/b',
  ])('exclude every method for the unknown path %j', (path) => {
    expect(methodsOf(path)).toEqual([])
  })
})

describe('the routes', () => {
  it('differ in method or path, and only HEAD shares its function with the GET of the same path', () => {
    const lines = routes.map(({ method, path }) => `${method} ${path}`)
    expect(new Set(lines).size).toBe(routes.length)
    const rows: readonly AnyRoute[] = routes
    const others = rows.filter(({ method }) => method !== 'HEAD')
    expect(new Set(others.map(({ operation }) => operation)).size).toBe(others.length)
    for (const head of rows.filter(({ method }) => method === 'HEAD'))
      expect(rows).toContainEqual({ ...head, method: 'GET' })
    expect(operations.toSorted()).toEqual(others.map(({ operation }) => operation).sort())
  })

  it('begin with /v1, in kebab case, with parameters in snake case', () => {
    for (const { path } of routes) expect(path).toMatch(/^\/v1(\/([a-z]+(-[a-z]+)*|\{[a-z]+(_[a-z]+)*\}))+$/)
  })
})

describe('the table of errors', () => {
  it('contains the documented types and statuses', () => {
    expect(httpStatusOf).toEqual({
      invalid_request: 400,
      unauthorized: 401,
      forbidden: 403,
      not_permitted: 403,
      not_found: 404,
      method_not_allowed: 405,
      conflict: 409,
      payload_too_large: 413,
      unsupported_media_type: 415,
      idempotency_mismatch: 422,
      rate_limited: 429,
      internal_error: 500,
    })
  })

  it('lists one type per status, except for keys that are valid and may not do what they ask for', () => {
    const { not_permitted, ...others } = httpStatusOf
    const statuses = Object.values(others)
    expect(new Set(statuses).size).toBe(statuses.length)
    expect(not_permitted).toBe(others.forbidden)
  })

  it('contains the type of every refusal in the code', () => {
    const core = readSources().filter(({ topLevelFolder }) => topLevelFolder === 'core')
    const refused = core.flatMap(({ text }) =>
      [...text.matchAll(/override readonly type = '(\w+)'/g)].map(([, type]) => type),
    )
    expect(refused.length).toBeGreaterThan(5)
    for (const type of refused) expect(Object.keys(httpStatusOf)).toContain(type)
  })
})
