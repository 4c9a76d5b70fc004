import { describe, expect, it } from 'vitest'
import { toolArguments } from '../../../contract/schemas/tools.ts'
import { json, openTools } from './open-tools.ts'

/** Calls a tool over a service that must not be asked. */
async function call(name: string, args: object): Promise<string> {
  const { send, requests } = openTools(json({}, 500))
  const answer = await send('tools/call', { name, arguments: args })
  expect(requests).toEqual([])
  return answer
}

const argumentNames = Object.entries(toolArguments).flatMap(([tool, { entries }]) =>
  Object.keys(entries).map((name) => ({ tool, name })),
)

/** Misspells a name as people do: two neighbouring letters change places. */
const misspell = (name: string) => `${name.slice(0, -2)}${name.at(-1)}${name.at(-2)}`

describe('a misspelt argument of a tool', () => {
  it.each(argumentNames.filter(({ name }) => name.length > 3))(
    'leads to the right one: $name of $tool',
    async ({ tool, name }) => {
      const answer = await call(tool, { [misspell(name)]: 'x' })
      expect(answer).toContain(misspell(name))
      expect(answer).toContain(`did you mean \`${name}\`?`)
      expect(answer).not.toContain('never')
    },
  )

  it.each([
    [{ providers: { state: ['OK'] } }, 'providers.state', '`states`'],
    [{ summary: { weigth: 'tins' } }, 'summary.weigth', '`weight`'],
    [{ fee_schedules: [{ payer: 'A', plans: 'B' }] }, 'fee_schedules.0.plans', '`plan`'],
    [{ fee_schedules: [{ plan_id: '041234567', payers: 'A' }] }, 'fee_schedules.0.payers', '`payer`'],
  ])('leads to the right one in parts of arguments: %j', async (args, path, meant) => {
    const answer = await call('summarise_rates', args)
    expect(answer).toContain(path)
    expect(answer).toContain(`did you mean ${meant}?`)
  })

  it('leads to all names if it means none of them', async () => {
    expect(await call('get_search', { zzz: 1 })).toContain('the arguments are job_id, wait_seconds')
  })

  it('makes no long answer, however many and long they are', async () => {
    const names = Array.from({ length: 5_000 }, (_, index) => `${index}${'x'.repeat(1_000)}`)
    expect((await call('find_codes', Object.fromEntries(names.map((name) => [name, 1])))).length).toBeLessThan(10_000)
  })
})
