import type { APIGatewayProxyResult } from 'aws-lambda'
import { describe, expect, it } from 'vitest'
import { pagePaths } from '../../../contract/pages.ts'
import { getPageHandler } from '../../../lambdas/get-page/handler.ts'
import { makeContext, makeProxyEvent, type Request } from '../../builders/proxy-event.ts'

const files: Readonly<Record<string, string>> = {
  'build.txt': 'b1',
  'index.html': '<base href="{base}">',
  'docs.html': 'reference of {url}/v1',
  'openapi.json': '{"servers":[{"url":"{url}"}]}',
}
const handler = getPageHandler({
  read: (file) => files[file] ?? `the content of ${file}`,
  publicBaseUrl: 'https://api.example/prod',
  storageOrigin: 'https://results.example',
  log: () => undefined,
})

function get(path: string, request: Pick<Request, 'headers' | 'query'> = {}): Promise<APIGatewayProxyResult> {
  const event = makeProxyEvent({ path: `/prod${path}`, resource: path, ...request }, 'request')
  return handler(event, makeContext('request'))
}

describe('the page', () => {
  it('consists of files with their types and a policy that admits nothing foreign', async () => {
    const types = []
    for (const path of pagePaths) {
      const { statusCode, headers = {} } = await get(path)
      expect(statusCode).toBe(200)
      types.push(headers['Content-Type'])
      const policy = String(headers['Content-Security-Policy'])
      expect(policy).toMatch(/^default-src 'none'; /)
      expect(policy).not.toMatch(/unsafe|\*|data:/)
      expect(policy.match(/https?:[^ ;]+/g)).toEqual(['https://results.example'])
      expect(headers).toMatchObject({
        'Cache-Control': 'no-cache',
        'Referrer-Policy': 'no-referrer',
        'X-Content-Type-Options': 'nosniff',
      })
    }
    expect(types.map((type) => String(type).split(';')[0])).toEqual([
      'text/html',
      ...Array.from({ length: 6 }, () => 'text/javascript'),
      'text/css',
      'text/html',
      'text/css',
      'application/json',
      'text/plain',
    ])
  })

  it('tells browsers to keep a file for a year only under an address with its build', async () => {
    const cacheControlOf = async (query: Readonly<Record<string, string>>) =>
      (await get('/app.js', { query })).headers?.['Cache-Control']
    expect(await cacheControlOf({ build: 'b1' })).toBe('public, max-age=31536000, immutable')
    for (const query of [{}, { build: 'b0' }, { build: '' }]) expect(await cacheControlOf(query)).toBe('no-cache')
  })

  it('answers 404 to any other path', async () => {
    expect((await get('/app.css.map')).statusCode).toBe(404)
  })

  it('bases its links on the path of the public base URL', async () => {
    expect((await get('/')).body).toBe('<base href="/prod/">')
  })

  it('writes the deployment’s address into the API’s document and its reference', async () => {
    expect(JSON.parse((await get('/openapi.json')).body)).toEqual({ servers: [{ url: 'https://api.example/prod' }] })
    expect((await get('/docs')).body).toBe('reference of https://api.example/prod/v1')
  })

  it.each([
    ['unchanged', (tag: string) => tag],
    ['made weak by compression', (tag: string) => `W/${tag}`],
  ])('answers 304 to a browser that has the file, for the tag %s', async (_, change) => {
    const { headers = {} } = await get('/app.js')
    const answer = await get('/app.js', { headers: { 'If-None-Match': change(String(headers['ETag'])) } })
    expect([answer.statusCode, answer.body]).toEqual([304, ''])
    expect((await get('/app.css', { headers: { 'If-None-Match': String(headers['ETag']) } })).statusCode).toBe(200)
    const otherTag = String(headers['ETag']).replace(/^.{5}/, '$&W/')
    expect((await get('/app.js', { headers: { 'If-None-Match': otherTag } })).statusCode).toBe(200)
  })
})
