import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { service } from '../client.ts'
import { choicePlus } from '../samples.ts'
import { connectByHttp, mcpUrl } from './connect.ts'

const listTools = { jsonrpc: '2.0', id: 1, method: 'tools/list' }

interface Sent {
  readonly method?: string
  readonly key?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** Sends a message as a client of the protocol of 2025 does. */
async function send({ method = 'POST', key = service.keys[0], headers, body = JSON.stringify(listTools) }: Sent = {}) {
  const response = await fetch(mcpUrl, {
    method,
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      ...(key !== '' && { Authorization: `Bearer ${key}` }),
      ...headers,
    },
    ...(method === 'POST' && { body }),
  })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

describe('POST /v1/mcp', () => {
  it('answers a message without a session, and forbids to store the answer', async () => {
    const { status, headers, text } = await send()
    expect(status).toBe(200)
    expect(text).toContain('find_plans')
    expect(headers.get('mcp-session-id')).toBeNull()
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('x-request-id')).not.toBeNull()
  })

  it.each([
    ['no key', ''],
    ['a malformed key', 'rates_nobody'],
  ])('asks for a key if there is %s', async (_, key) => {
    const { status, headers } = await send({ key })
    // API Gateway gives this header of a function another name.
    const challenge = headers.get('www-authenticate') ?? headers.get('x-amzn-remapped-www-authenticate')
    expect([status, challenge]).toEqual([401, 'Bearer'])
  })

  it.skipIf(service.refusedKeys.length === 0)('refuses revoked keys and inactive organizations', async () => {
    for (const key of service.refusedKeys) expect(await send({ key })).toMatchObject({ status: 403 })
  })

  it('refuses web pages of other origins, and serves its own', async () => {
    expect(await send({ headers: { Origin: 'https://evil.example' } })).toMatchObject({ status: 403 })
    expect(await send({ headers: { Origin: 'null' } })).toMatchObject({ status: 403 })
    const { origin } = new URL(service.publicBaseUrl)
    expect(await send({ headers: { Origin: origin } })).toMatchObject({ status: 200 })
  })

  it.each(['GET', 'DELETE'])('refuses %s, because there are no sessions', async (method) => {
    const { status, headers } = await send({ method })
    expect([status, headers.get('allow')]).toEqual([405, 'POST'])
  })

  it.each([
    ['not JSON', { body: '{' }, 400],
    ['no message', { body: '{}' }, 400],
    ['an empty body', { body: '' }, 400],
    ['a form', { headers: { 'Content-Type': 'application/x-www-form-urlencoded' } }, 415],
    ['too large', { body: JSON.stringify({ ...listTools, params: { pad: 'x'.repeat(1_100_000) } }) }, 413],
    ['a client that takes no JSON', { headers: { Accept: 'text/html' } }, 406],
  ])('refuses a message that is %s', async (_, sent, status) => {
    expect(await send(sent)).toMatchObject({ status })
  })

  it('refuses subscriptions, which have no end', async () => {
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    }
    const { text } = await send({
      headers: { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'subscriptions/listen' },
      body: JSON.stringify({
        ...listTools,
        method: 'subscriptions/listen',
        params: { _meta, notifications: { toolsListChanged: true } },
      }),
    })
    expect(text).toContain('Subscription limit reached')
  })

  it('keeps the searches of organizations apart', async () => {
    await using own = await connectByHttp('2026-07-28')
    await using other = await connectByHttp('2026-07-28', service.keys[1])
    const { data } = await own.call('start_search', { fee_schedules: [choicePlus], billing_codes: ['73721'] })
    const { job_id } = v.parse(v.object({ job_id: v.string() }), data)
    expect((await other.call('read_rows', { job_id })).text).toMatch(/^not_found: /)
    expect((await own.call('read_rows', { job_id })).data).toMatchObject({ job_id })
  })

  it('answers many assistants at the same time', async () => {
    const answers = await Promise.all(Array.from({ length: service.searchesAtOnce }, () => send()))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
  })
})
