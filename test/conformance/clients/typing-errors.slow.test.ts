import { describe, expect, it } from 'vitest'
import { useAssistant } from '../assistants/connect.ts'
import { call, service } from '../client.ts'
import { runCli } from './run-cli.ts'

const { ask } = useAssistant()

const environment = { RATE_SEARCH_URL: service.baseUrl, RATE_SEARCH_KEY: service.keys[0] }
const run = async (...args: readonly string[]) => (await runCli([...args, '--json'], environment)).output
const read = async (path: string, query: Readonly<Record<string, string>>) =>
  (await call(`/v1/${path}?${new URLSearchParams(query)}`)).text

/** Surfaces that find by words: right words, the same with typing errors, and the way to ask. */
const surfaces: readonly (readonly [string, string, string, (q: string) => Promise<unknown>])[] = [
  ['GET /v1/fee-schedules?q=', 'harbor gold', 'harbr glod', (q) => read('fee-schedules', { q })],
  ['GET /v1/fee-schedules?sponsor=', 'harbor foods', 'Harbor Fods', (sponsor) => read('fee-schedules', { sponsor })],
  ['GET /v1/billing-codes', 'knee replacement', 'knee relpacement', (q) => read('billing-codes', { q })],
  ['GET /v1/specialties', 'radiology practice', 'radiolgy practcie', (q) => read('specialties', { q })],
  ['GET /v1/providers', 'grace jankowski', 'grace jankovski', (q) => read('providers', { q, state: 'OR' })],
  ['rate-search fee-schedules', 'harbor gold', 'harbor goldd', (q) => run('fee-schedules', '--query', q)],
  ['rate-search billing-codes', 'knee replacement', 'knee replacemnt', (q) => run('billing-codes', q)],
  ['rate-search specialties', 'radiology practice', 'radiolojy practice', (q) => run('specialties', q)],
  ['rate-search providers', 'grace jankowski', 'grcae jankowski', (q) => run('providers', q, '--state', 'OR')],
  ['find_plans', 'harbor gold', 'hrabor gold', (q) => ask('find_plans', { q })],
  ['find_codes', 'knee replacement', 'knee replacemend', (q) => ask('find_codes', { q })],
  ['find_providers', 'grace jankowski', 'grace jankowsky', (q) => ask('find_providers', { q, state: 'OR' })],
]

describe('the words of a query', () => {
  it.each(surfaces)('may have typing errors in %s', async (_, words, mistyped, find) => {
    const [found, foundMistyped, foundNothing] = [await find(words), await find(mistyped), await find('zzzz')]
    expect(foundMistyped).toEqual(found)
    expect(found).not.toEqual(foundNothing)
  })
})
