import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { createApiGateway } from '../../local/api-gateway/rest-api.ts'
import { listen } from '../../local/http-server.ts'
import { readStackTemplate, type StackTemplate } from '../../local/stack-template.ts'
import { connectEndpoints } from '../endpoints/connect.ts'
import { readResources } from '../templates/test-template.ts'
import { openFunctions, type TestFunction } from './bundles.ts'
import { sendRaw } from './local-s3.ts'

const { assembly } = connectEndpoints()

/** Responds with the event it was called with. */
const echo = `export const handler = async (event) => ({ statusCode: 200, body: JSON.stringify(event) })`

/** Responds with the value in the request body. */
const puppet = `export const handler = async ({ body }) => {
  if (body === 'throw') throw new Error('it broke')
  return JSON.parse(body)
}`

/** Responds once the URL in the request body has answered. */
const patient = `export const handler = async ({ body }) => {
  await fetch(body)
  return { statusCode: 200 }
}`

const resource = (PathPart: string, parent: string) => ({
  Type: 'AWS::ApiGateway::Resource',
  Properties: { PathPart, ParentId: parent === 'root' ? { 'Fn::GetAtt': ['Api', 'RootResourceId'] } : { Ref: parent } },
})

const method = (HttpMethod: string, parent: string, name: string) => ({
  Type: 'AWS::ApiGateway::Method',
  Properties: {
    HttpMethod,
    ResourceId: parent === 'root' ? { 'Fn::GetAtt': ['Api', 'RootResourceId'] } : { Ref: parent },
    Integration: {
      Type: 'AWS_PROXY',
      Uri: { 'Fn::Join': ['', ['arn:aws:apigateway:functions/', { 'Fn::GetAtt': [name, 'Arn'] }, '/invocations']] },
    },
  },
})

const lambda = { Type: 'AWS::Lambda::Function' }

const ownTemplate = readResources({
  Api: { Type: 'AWS::ApiGateway::RestApi' },
  Things: resource('things', 'root'),
  Fixed: resource('fixed', 'Things'),
  Parameter: resource('{thing}', 'Things'),
  Parts: resource('parts', 'Parameter'),
  Part: resource('{part}', 'Parts'),
  Puppet: resource('puppet', 'root'),
  Patient: resource('patient', 'root'),
  Proxy: resource('{proxy+}', 'root'),
  GetFixed: method('GET', 'Fixed', 'FixedFunction'),
  GetParameter: method('GET', 'Parameter', 'ParameterFunction'),
  GetPart: method('GET', 'Part', 'PartFunction'),
  PostPuppet: method('POST', 'Puppet', 'PuppetFunction'),
  PostPatient: method('POST', 'Patient', 'PatientFunction'),
  AnyProxy: method('ANY', 'Proxy', 'ProxyFunction'),
  FixedFunction: lambda,
  ParameterFunction: lambda,
  PartFunction: lambda,
  PuppetFunction: lambda,
  PatientFunction: lambda,
  ProxyFunction: lambda,
  Stage: {
    Type: 'AWS::ApiGateway::Stage',
    Properties: {
      MethodSettings: [
        { HttpMethod: '*', ResourcePath: '/*', ThrottlingBurstLimit: 100 },
        { HttpMethod: 'POST', ResourcePath: '/~1patient', ThrottlingBurstLimit: 2 },
      ],
    },
  },
  Throttled: {
    Type: 'AWS::ApiGateway::GatewayResponse',
    Properties: {
      ResponseType: 'THROTTLED',
      StatusCode: '429',
      ResponseParameters: { 'gatewayresponse.header.Retry-After': "'2'" },
      ResponseTemplates: { 'application/json': '{}' },
    },
  },
})

async function openGateway(template: StackTemplate = ownTemplate) {
  const bundles: Readonly<Record<string, TestFunction>> = {
    FixedFunction: { bundle: echo },
    ParameterFunction: { bundle: echo },
    PartFunction: { bundle: echo },
    PuppetFunction: { bundle: puppet },
    PatientFunction: { bundle: patient },
    ProxyFunction: { bundle: echo },
  }
  const functions = openFunctions(bundles)
  const listener = createApiGateway({ template, functions, now: () => new Date(0), newRequestId: randomUUID })
  const server = await listen(listener)
  return {
    url: server.url,
    /** Sends a request verbatim and returns the event that the function received. */
    event: async (path: string, options?: Parameters<typeof sendRaw>[2]) =>
      JSON.parse((await sendRaw(server.url, path, options)).body),
    send: (path: string, options?: Parameters<typeof sendRaw>[2]) => sendRaw(server.url, path, options),
    /** Makes a function respond with a value. */
    answer: (value: unknown) => fetch(`${server.url}/puppet`, { method: 'POST', body: JSON.stringify(value) }),
    [Symbol.asyncDispose]: async () => {
      await server.close()
      await functions.close()
    },
  }
}

describe('a route', () => {
  it.each([
    ['/things/fixed', '/things/fixed', null],
    ['/things/other', '/things/{thing}', { thing: 'other' }],
    ['/things/fixed/parts/7', '/things/{thing}/parts/{part}', { thing: 'fixed', part: '7' }],
    ['/things/a/parts', '/{proxy+}', { proxy: 'things/a/parts' }],
    ['/things/', '/{proxy+}', { proxy: 'things/' }],
    ['/elsewhere/at/all', '/{proxy+}', { proxy: 'elsewhere/at/all' }],
    ['/things/a%20b%2Fc', '/things/{thing}', { thing: 'a b/c' }],
    ['/things/%C3%A4', '/things/{thing}', { thing: 'ä' }],
    ['/things/%zz', '/things/{thing}', { thing: '%zz' }],
    ['/things/%C3', '/things/{thing}', { thing: '%C3' }],
  ])('matches %s with %s', async (path, resourcePath, pathParameters) => {
    await using gateway = await openGateway()
    const event = await gateway.event(path)
    expect([event.resource, event.pathParameters]).toEqual([resourcePath, pathParameters])
    expect(event.requestContext).toMatchObject({ resourcePath, httpMethod: 'GET', requestTimeEpoch: 0 })
  })
})

describe('a proxy event', () => {
  it('holds all values of each query parameter and header, and the last one of each', async () => {
    await using gateway = await openGateway()
    const headers = { 'X-Word': 'one', cookie: 'a=1' }
    const event = await gateway.event('/things/fixed?a=1&b=x%20y&a=2&c=', { headers })
    expect(event.queryStringParameters).toEqual({ a: '2', b: 'x y', c: '' })
    expect(event.multiValueQueryStringParameters).toEqual({ a: ['1', '2'], b: ['x y'], c: [''] })
    expect(event.headers).toMatchObject({ 'x-word': 'one', cookie: 'a=1' })
    expect(event.multiValueHeaders).toMatchObject({ 'x-word': ['one'] })
  })

  it('holds both values of a repeated header', async () => {
    await using gateway = await openGateway()
    const outgoing = get(`${gateway.url}/things/fixed`, { headers: { 'X-Word': ['one', 'two'] } })
    const [response]: IncomingMessage[] = await once(outgoing, 'response')
    const event = JSON.parse(response === undefined ? '' : await text(response))
    expect(event.multiValueHeaders['x-word']).toEqual(['one', 'two'])
    expect(event.headers['x-word']).toBe('two')
  })

  it.each(['/elsewhere/../things/fixed', '/elsewhere/%2e%2e/things'])('holds the path %s as sent', async (path) => {
    await using gateway = await openGateway()
    expect(await gateway.event(path)).toMatchObject({ resource: '/{proxy+}', path, requestContext: { path } })
  })

  it('holds null for an absent query, path parameters and body', async () => {
    await using gateway = await openGateway()
    expect(await gateway.event('/things/fixed')).toMatchObject({
      body: null,
      isBase64Encoded: false,
      queryStringParameters: null,
      multiValueQueryStringParameters: null,
      pathParameters: null,
    })
  })

  it('holds the body as text', async () => {
    await using gateway = await openGateway()
    const { body, httpMethod } = await gateway.event('/elsewhere', { method: 'PUT', body: '{"ä": 1}' })
    expect([httpMethod, body]).toEqual(['PUT', '{"ä": 1}'])
  })
})

describe("a function's response", () => {
  it('reaches the client with its status, headers and body', async () => {
    await using gateway = await openGateway()
    const multiValueHeaders = { 'Set-Cookie': ['a=1', 'b=2'] }
    const headers = { 'X-Word': 'one', 'X-Count': 7, 'X-Yes': true }
    const response = await gateway.answer({ statusCode: 418, headers, multiValueHeaders, body: 'ä' })
    expect([response.status, await response.text()]).toEqual([418, 'ä'])
    const sent = ['X-Word', 'X-Count', 'X-Yes'].map((name) => response.headers.get(name))
    expect(sent).toEqual(['one', '7', 'true'])
    expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2'])
  })

  it('reaches the client as bytes if it is in Base64', async () => {
    await using gateway = await openGateway()
    const body = Buffer.from([0, 255, 128]).toString('base64')
    const response = await gateway.answer({ statusCode: 200, body, isBase64Encoded: true })
    expect(Buffer.from(await response.arrayBuffer())).toEqual(Buffer.from([0, 255, 128]))
  })

  it('carries WWW-Authenticate under its name in REST APIs', async () => {
    await using gateway = await openGateway()
    const { headers } = await gateway.answer({ statusCode: 401, headers: { 'WWW-Authenticate': 'Bearer' } })
    expect(headers.get('x-amzn-remapped-www-authenticate')).toBe('Bearer')
    expect(headers.has('www-authenticate')).toBe(false)
  })

  it.each([
    null,
    'text',
    {},
    { statusCode: '200' },
    { statusCode: 200.5 },
    { statusCode: 99 },
    { statusCode: 1000 },
    { statusCode: 200, body: { not: 'text' } },
    { statusCode: 200, headers: { 'X-Word': 'two\nlines' } },
    { statusCode: 200, headers: { 'not a name': 'x' } },
  ])('becomes a 502 if it is malformed: %j', async (value) => {
    await using gateway = await openGateway()
    expect((await gateway.answer(value)).status).toBe(502)
  })

  it('becomes a 502 without details of the error if the function throws', async () => {
    await using gateway = await openGateway()
    const response = await fetch(`${gateway.url}/puppet`, { method: 'POST', body: 'throw' })
    expect(response.status).toBe(502)
    expect(await response.text()).not.toContain('broke')
  })
})

describe("the service's own gateway", () => {
  const open = () => openGateway(readStackTemplate(assembly, 'SearchService'))
  const envelope = (type: string) => ({
    error: { type, message: expect.stringMatching(/\.$/), request_id: expect.stringMatching(/^[0-9a-f-]{36}$/) },
  })

  it('answers a body over ten megabytes with 413 in the error envelope', async () => {
    await using gateway = await open()
    const body = Buffer.alloc(10 * 1024 * 1024 + 1, ' ')
    const response = await fetch(`${gateway.url}/v1/searches`, { method: 'POST', body })
    const answer = JSON.parse(await response.text())
    expect([response.status, answer]).toEqual([413, envelope('payload_too_large')])
    expect(response.headers.get('x-request-id')).toBe(answer.error.request_id)
    expect(response.headers.get('cache-control')).toBe('no-store')
  })

  it.each(['//', '//elsewhere/x', '*', 'http://elsewhere/v1/searches'])(
    'answers the unusual target %s with 404 in the error envelope',
    async (path) => {
      await using gateway = await open()
      const { status, body } = await gateway.send(path)
      expect([status, JSON.parse(body)]).toEqual([404, envelope('not_found')])
    },
  )

  it('answers with a 5xx in the error envelope if a function cannot run', async () => {
    await using gateway = await open()
    const { status, body, headers } = await gateway.send('/v1/fee-schedules')
    expect(status).toBeGreaterThanOrEqual(500)
    expect(JSON.parse(body)).toEqual(envelope('internal_error'))
    expect(headers['x-request-id']).toBe(JSON.parse(body).error.request_id)
  })
})

describe('a method whose burst of requests is in progress', () => {
  it('answers further requests with 429 at once, and serves again when one has ended', async () => {
    await using gateway = await openGateway()
    const arrivals: (() => void)[] = []
    const bothArrived = Promise.withResolvers<void>()
    const gate = await listen((_, response) => {
      arrivals.push(() => response.end())
      if (arrivals.length === 2) bothArrived.resolve()
    })
    const send = () => fetch(`${gateway.url}/patient`, { method: 'POST', body: gate.url })
    try {
      const first = [send(), send()]
      await bothArrived.promise
      const refused = await send()
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '2'])
      expect((await gateway.send('/things/fixed')).status).toBe(200)
      for (const open of arrivals) open()
      expect((await Promise.all(first)).map(({ status }) => status)).toEqual([200, 200])
      const again = send()
      await expect.poll(() => arrivals.length).toBe(3)
      arrivals[2]?.()
      expect((await again).status).toBe(200)
    } finally {
      await gate.close()
    }
  })
})
