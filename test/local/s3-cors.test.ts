import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bucket, discardLocalS3, type LocalS3, openLocalS3, presignGet } from './local-s3.ts'

const pageOrigin = 'https://rates.example'
const foreign = 'https://foreign.example'
const rule = {
  origins: [pageOrigin, 'http://127.0.0.1:3000'],
  methods: ['GET'],
  headers: ['range'],
  exposedHeaders: ['Content-Range', 'Content-Length', 'ETag'],
}

let s3: LocalS3
let url: string

beforeAll(async () => {
  s3 = await openLocalS3(undefined, { corsRules: new Map([[bucket, [rule]]]) })
  await s3.put('shard', 'rows')
  url = await presignGet(s3, { Key: 'shard' })
})
afterAll(() => discardLocalS3(s3))

const ask = (origin: string, method: string, headers: string) =>
  fetch(url, {
    method: 'OPTIONS',
    headers: { Origin: origin, 'Access-Control-Request-Method': method, 'Access-Control-Request-Headers': headers },
  })

const allowances = ({ headers }: Response) => [...headers].filter(([name]) => name.startsWith('access-control-'))

describe('the rules of a bucket for web pages', () => {
  it('let the page read a range, with the headers that it needs', async () => {
    const answer = await fetch(url, { headers: { Origin: pageOrigin, Range: 'bytes=1-2' } })
    expect([answer.status, await answer.text()]).toEqual([206, 'ow'])
    expect(Object.fromEntries(allowances(answer))).toEqual({
      'access-control-allow-origin': pageOrigin,
      'access-control-expose-headers': 'Content-Range, Content-Length, ETag',
    })
    expect(answer.headers.get('Vary')).toContain('Origin')
  })

  it('let the page read why a URL is refused', async () => {
    const answer = await fetch(url.replace(/X-Amz-Signature=./, 'X-Amz-Signature=x'), {
      headers: { Origin: pageOrigin },
    })
    expect([answer.status, answer.headers.get('Access-Control-Allow-Origin')]).toEqual([403, pageOrigin])
  })

  it('allow localhost if they allow 127.0.0.1, which is the same machine', async () => {
    const origin = 'http://localhost:3000'
    const answer = await fetch(url, { headers: { Origin: origin } })
    expect(answer.headers.get('access-control-allow-origin')).toBe(origin)
    expect((await ask(origin, 'GET', 'range')).status).toBe(200)
    expect((await ask('http://localhost:3001', 'GET', 'range')).status).toBe(403)
  })

  it('allow no other origin', async () => {
    const answers = [await fetch(url, { headers: { Origin: foreign } }), await ask(foreign, 'GET', 'range')]
    expect(answers.flatMap(allowances)).toEqual([])
    expect(answers[1]?.status).toBe(403)
  })

  it('answer the preflight request of a range', async () => {
    const answer = await ask(pageOrigin, 'GET', 'Range')
    expect(answer.status).toBe(200)
    expect(Object.fromEntries(allowances(answer))).toEqual({
      'access-control-allow-origin': pageOrigin,
      'access-control-allow-methods': 'GET',
      'access-control-allow-headers': 'range',
    })
  })

  it.each([
    ['PUT', 'range'],
    ['GET', 'range, x-amz-date'],
  ])('refuse the preflight request of %s with %s', async (method, headers) => {
    const answer = await ask(pageOrigin, method, headers)
    expect([answer.status, allowances(answer)]).toEqual([403, []])
  })
})
