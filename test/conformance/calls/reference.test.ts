import { describe, expect, it } from 'vitest'
import { service } from '../client.ts'

/** A document without a key. */
const get = (path: string) => fetch(service.baseUrl + path)

describe('the description of the API', () => {
  it('contains the service’s address, and needs no key', async () => {
    const answer = await get('/openapi.json')
    expect([answer.status, answer.headers.get('Content-Type')]).toEqual([200, 'application/json; charset=utf-8'])
    const { servers, paths }: { servers: unknown; paths: object } = JSON.parse(await answer.text())
    expect(servers).toEqual([{ url: service.publicBaseUrl }])
    expect(Object.keys(paths)).toContain('/v1/searches/{job_id}')
  })

  it('comes with a reference page that loads only its own style sheet', async () => {
    const page = await get('/docs')
    expect([page.status, page.headers.get('Content-Type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect(page.headers.get('Content-Security-Policy')).toMatch(/^default-src 'none'; /)
    const text = await page.text()
    expect(text.match(/<link [^>]*>/g)).toEqual(['<link rel="stylesheet" href="docs.css">'])
    expect(text).not.toMatch(/<script|style="/)
    expect((await get('/docs.css')).headers.get('Content-Type')).toBe('text/css; charset=utf-8')
  })

  it('answers 405 to other methods', async () => {
    const answer = await fetch(`${service.baseUrl}/openapi.json`, { method: 'POST' })
    expect([answer.status, answer.headers.get('Allow')]).toEqual([405, 'GET'])
  })
})
