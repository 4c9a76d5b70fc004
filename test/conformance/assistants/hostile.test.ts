import { describe, expect, it } from 'vitest'
import { service } from '../client.ts'
import { issueKey, operateKeys, orgId } from '../keys.ts'
import { choicePlus } from '../samples.ts'
import { type Assistant, connectByHttp, connectByPipes, type ToolAnswer } from './connect.ts'
import { observeRequests } from './observe-requests.ts'

const mri = { fee_schedules: [choicePlus], billing_codes: ['73721'] }

const nested: unknown = JSON.parse(`${'['.repeat(2_000)}${']'.repeat(2_000)}`)

/** Values that are right for no argument of a search. */
const hostileValues: readonly (readonly [string, unknown])[] = [
  ['a text of 100,000 characters', 'x'.repeat(100_000)],
  ['lists in lists', nested],
  ['a list of 20,000 values', Array(20_000).fill('0')],
  ['an object with a prototype', JSON.parse('{"__proto__": {"payer": "x"}, "constructor": 1}')],
  ['an object in place of a text', { toString: null, length: 1 }],
  ['a name of the prototype', '__proto__'],
  ['characters that nobody sees', '\u202e\u200b\u0000'],
  ['half of a character', '\ud800'],
  ['a negative fraction', -1.5],
  ['null', null],
]

/** Names that no tool has as an argument, of which every object has two. */
const strangeNames = ['', 'x'.repeat(10_000), 'constructor', 'toString']

/** Arguments of a search with one more, or with one replaced. */
const withArgument = (name: string, value: unknown): Readonly<Record<string, unknown>> =>
  JSON.parse(JSON.stringify(Object.fromEntries([...Object.entries(mri), [name, value]])))

/** Calls a tool with each of its arguments replaced by a value, and with an argument that it does not have. */
async function replaceEach({ client, call }: Assistant, tool: string, value: unknown) {
  const { tools } = await client.listTools()
  const names = Object.keys(tools.find(({ name }) => name === tool)?.inputSchema.properties ?? {})
  // The service refuses a message by its status, which the client of the protocol throws.
  const refuse = (error: unknown): ToolAnswer => ({ isError: true, data: {}, text: String(error) })
  return await Promise.all(
    [...strangeNames, ...names].map((name) => call(tool, withArgument(name, value)).catch(refuse)),
  )
}

const otherTools = ['find_plans', 'find_codes', 'get_search', 'read_rows', 'compare_summaries']

/** A deployed service would throttle the many messages. */
const transports = [
  ['rate-search mcp', connectByPipes],
  ...(service.isLocal ? [['POST /v1/mcp', connectByHttp] as const] : []),
] as const

describe.each(transports)('every tool of %s', (_, connect) => {
  it.each(hostileValues)('refuses %s', async (_name, value) => {
    await using assistant = await connect('2026-07-28')
    for (const tool of ['summarise_rates', 'start_search', ...otherTools])
      for (const { isError, text } of await replaceEach(assistant, tool, value)) {
        expect(isError).toBe(true)
        expect(text).not.toContain('Internal error')
        expect(text.length).toBeLessThan(5_000)
      }
    expect((await assistant.call('find_plans', { q: 'choice plus' })).isError).toBe(false)
  })
})

describe('hostile arguments', () => {
  it('start no search', async () => {
    await using observer = await observeRequests()
    await using assistant = await connectByPipes('2025-11-25', service.keys[0], observer.url)
    for (const tool of ['summarise_rates', 'start_search'])
      for (const [, value] of hostileValues) await replaceEach(assistant, tool, value)
    expect(observer.requests).toEqual([])
    await assistant.call('start_search', mri)
    expect(observer.requests).toContain('POST /v1/searches')
  })
})

describe('a prototype among arguments', () => {
  it('changes nothing', async () => {
    await using assistant = await connectByPipes('2026-07-28')
    const question = { q: 'choice plus' }
    const answer = await assistant.call('find_plans', question)
    const args = JSON.parse('{"q": "choice plus", "__proto__": {"q": "gold", "payer": "x"}}')
    expect(await assistant.call('find_plans', args)).toEqual(answer)
    expect(await assistant.call('find_plans', question)).toEqual(answer)
  })
})

describe.skipIf(service.operator.length === 0)('a key that is revoked between two calls', () => {
  it('ends the answers of a program, and of the service', async () => {
    const { api_key: key, key_id: keyId } = await issueKey()
    await using program = await connectByPipes('2026-07-28', key)
    await using assistant = await connectByHttp('2026-07-28', key)
    const question = { q: 'choice plus' }
    for (const each of [program, assistant])
      expect((await each.call('find_plans', question)).data).toMatchObject({ plans: [choicePlus] })
    await operateKeys('revoke', orgId, keyId)
    const { isError, text } = await program.call('find_plans', question)
    expect([isError, text]).toEqual([true, expect.stringMatching(/^(forbidden|unauthorized): /)])
    await expect(assistant.call('find_plans', question)).rejects.toThrow(/40[13]|forbidden|unauthorized/i)
  })
})
