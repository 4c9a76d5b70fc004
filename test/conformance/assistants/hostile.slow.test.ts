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

/** Tools that start searches, with arguments that are right for them; no argument of the others is right. */
const searchTools = ['summarise_rates', 'start_search']

/** An answer to hostile arguments. */
interface HostileAnswer extends ToolAnswer {
  readonly tool: string
}

/** Calls tools with each of their arguments replaced by each value, and with arguments that they do not have. */
async function sendHostile({ client, call }: Assistant, hasTool: (name: string) => boolean) {
  const { tools } = await client.listTools()
  const answers: HostileAnswer[] = []
  for (const { name: tool, inputSchema } of tools.filter(({ name }) => hasTool(name)))
    for (const [, value] of hostileValues) {
      const names = [...strangeNames, ...Object.keys(inputSchema.properties ?? {})]
      const others = searchTools.includes(tool) ? Object.entries(mri) : []
      const calls = names.map(async (name) => {
        const args = JSON.parse(JSON.stringify(Object.fromEntries([...others, [name, value]])))
        // The service refuses a message by its status, which the client of the protocol throws.
        const refuse = (error: unknown): ToolAnswer => ({ isError: true, data: {}, text: String(error) })
        return { tool, ...(await call(tool, args).catch(refuse)) }
      })
      answers.push(...(await Promise.all(calls)))
    }
  return answers
}

function expectRefusals(answers: readonly HostileAnswer[]): void {
  expect(answers.length).toBeGreaterThan(100)
  for (const { tool, isError, text } of answers) {
    if (searchTools.includes(tool)) expect(isError).toBe(true)
    expect([tool, text]).toEqual([tool, expect.not.stringContaining('Internal error')])
    expect(text.length).toBeLessThan(7_000)
  }
}

describe('hostile arguments', () => {
  it('start no search, and get short answers from every tool of a program', async () => {
    await using observer = await observeRequests()
    await using assistant = await connectByPipes('2025-11-25', service.keys[0], observer.url)
    expectRefusals(await sendHostile(assistant, () => true))
    expect(observer.requests).not.toContain('POST /v1/searches')
    await assistant.call('start_search', mri)
    expect(observer.requests).toContain('POST /v1/searches')
  })

  // A deployed service throttles as many messages.
  it.skipIf(!service.isLocal)('get short answers over HTTP, and do no harm to the next message', async () => {
    await using assistant = await connectByHttp('2026-07-28')
    expectRefusals(await sendHostile(assistant, (name) => name === 'start_search'))
    expect((await assistant.call('find_plans', { q: 'choice plus' })).data).toMatchObject({ plans: [choicePlus] })
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
