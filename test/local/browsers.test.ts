import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { discardLocalS3, type LocalS3, openLocalS3, presignGet, sendRaw } from './local-s3.ts'

const { environment, tables } = inject('endpoints')

/** Every endpoint that functions call, by its SDK variable. */
const endpoints = Object.entries(environment).filter(([name]) => name.startsWith('AWS_ENDPOINT_URL_'))

const preflight = {
  origin: 'https://foreign.example',
  'access-control-request-method': 'POST',
  'access-control-request-headers': 'authorization,content-type,x-amz-target',
}

describe.each(endpoints)('%s', (_, url) => {
  const isServed = async (method: string, headers: Record<string, string>) => {
    const answer = await sendRaw(url, '/', { method, headers, body: method === 'POST' ? '{}' : '' })
    const allows = Object.keys(answer.headers).filter((name) => name.startsWith('access-control-'))
    expect(allows).toEqual([])
    return !(answer.status === 403 && answer.body.includes('not for web pages'))
  }

  it('refuses a preflight request and allows no origin', async () => {
    expect(await isServed('OPTIONS', preflight)).toBe(false)
  })

  it.each(['https://foreign.example', 'null', 'http://127.0.0.1:3000'])(
    'refuses a call from origin %s',
    async (origin) => {
      expect(await isServed('POST', { origin, 'content-type': 'text/plain' })).toBe(false)
    },
  )

  it.each(['foreign.example', 'foreign.example:80', '127.0.0.1.foreign.example', 'localhost.foreign.example'])(
    'refuses a call to host %s',
    async (host) => {
      expect(await isServed('POST', { host })).toBe(false)
    },
  )

  it('serves a call to its own host', async () => {
    expect(await isServed('POST', { host: new URL(url).host })).toBe(true)
  })

  it.each(['localhost:4567', 'LOCALHOST', '10.0.0.7:80'])('serves a call to host %s', async (host) => {
    expect(await isServed('POST', { host })).toBe(true)
  })
})

describe('the local tables', () => {
  const call = async (operation: string, input: object, headers: Record<string, string> = {}) =>
    sendRaw(environment['AWS_ENDPOINT_URL_DYNAMODB'] ?? '', '/', {
      method: 'POST',
      headers: {
        'content-type': 'application/x-amz-json-1.0',
        'x-amz-target': `DynamoDB_20120810.${operation}`,
        'x-amz-date': '20260101T000000Z',
        authorization:
          'AWS4-HMAC-SHA256 Credential=a/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=a, Signature=0',
        ...headers,
      },
      body: JSON.stringify({ TableName: tables.access, ...input }),
    })

  it('refuse an item written by a web page', async () => {
    const { body } = await call('DescribeTable', {})
    const names: { AttributeName: string }[] = JSON.parse(body).Table.KeySchema
    const Key = Object.fromEntries(names.map(({ AttributeName }) => [AttributeName, { S: randomUUID() }]))
    const written = await call('PutItem', { Item: Key }, { origin: 'https://foreign.example' })
    expect(written.status).toBe(403)
    expect(JSON.parse((await call('GetItem', { Key })).body)).toEqual({})
    await call('PutItem', { Item: Key })
    expect(JSON.parse((await call('GetItem', { Key })).body)).toEqual({ Item: Key })
  })
})

describe('a pre-signed URL', () => {
  let s3: LocalS3
  beforeAll(async () => {
    s3 = await openLocalS3()
    await s3.put('shard', 'rows')
  })
  afterAll(() => discardLocalS3(s3))

  it('opens for a web page if its signature is right', async () => {
    const url = await presignGet(s3, { Key: 'shard' })
    const headers = { origin: 'https://foreign.example' }
    const answer = await fetch(url, { headers })
    expect([answer.status, await answer.text()]).toEqual([200, 'rows'])
    const forged = await fetch(url.replace(/X-Amz-Signature=./, 'X-Amz-Signature=x'), { headers })
    expect(forged.status).toBe(403)
  })

  it.each(['PUT', 'POST', 'DELETE'])('refuses the method %s of a web page', async (method) => {
    const url = await presignGet(s3, { Key: 'shard' })
    const answer = await fetch(url, { method, headers: { origin: 'https://foreign.example' } })
    expect([answer.status, await answer.text()]).toEqual([403, expect.stringContaining('not for web pages')])
  })
})
