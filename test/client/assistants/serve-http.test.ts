import { describe, expect, it } from 'vitest'
import { json, openTools } from './open-tools.ts'

const page = { fee_schedules: [], provider_lists: [], next_cursor: null }
const listing = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }
const call = {
  ...listing,
  method: 'tools/call',
  params: { name: 'find_plans', arguments: { q: 'gold' } },
}

describe('a batch of messages', () => {
  it.each([
    ['an empty one', []],
    ['one message', [call]],
    ['several messages', [call, call, listing]],
    ['a hundred messages', Array.from({ length: 100 }, () => call)],
    ['no messages at all', [1, null, [call]]],
  ])('gets status 400 before anything runs: %s', async (_, batch) => {
    const { post, requests, faults, reports } = openTools(json(page))
    const { status, contentType, body } = await post(batch)
    expect([status, contentType]).toEqual([400, 'application/json'])
    expect(JSON.parse(body)).toEqual({
      jsonrpc: '2.0',
      id: null,
      error: { code: -32600, message: expect.stringContaining('send each message by itself') },
    })
    expect(requests).toEqual([])
    expect([faults, reports]).toEqual([['a batch of messages'], []])
  })
})

describe('a message that is refused', () => {
  const headers = (others: Readonly<Record<string, string>>) =>
    new Map([
      ['accept', 'application/json, text/event-stream'],
      ['content-type', 'application/json'],
      ...Object.entries(others),
    ])

  it.each([
    ['an object without fields', {}, {}, 400],
    ['a text', 'tools/list', {}, 400],
    ['null', null, {}, 400],
    ['an unknown version of JSON-RPC', { ...listing, jsonrpc: '1.0' }, {}, 400],
    ['an unknown version of the protocol', listing, { 'mcp-protocol-version': '1999-01-01' }, 400],
    ['a client that takes no JSON', listing, { accept: 'text/html' }, 406],
  ])('leaves no fault of the operator in the log: %s', async (_, message, others, expected) => {
    const { post, faults, reports } = openTools(json(page))
    const { status } = await post(message, headers(others))
    expect(status).toBe(expected)
    expect(reports).toEqual([])
    for (const fault of faults) expect(fault.length).toBeLessThan(200)
  })

  it('differs from a tool that breaks, which the operator must know', async () => {
    const { send, faults, reports } = openTools(() => {
      throw new TypeError('no service')
    })
    // The client of the service reports that; a broken answer is a fault of our own.
    expect(await send('tools/call', call.params)).toContain('isError')
    const broken = openTools(json({ fee_schedules: 'none' }))
    expect(await broken.send('tools/call', call.params)).toContain('Internal error')
    expect([faults, reports, broken.faults, broken.reports.length]).toEqual([[], [], [], 1])
  })
})
