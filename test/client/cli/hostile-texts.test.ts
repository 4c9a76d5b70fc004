import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runCommandLine } from '../../../client/cli/run.ts'
import { printable } from '../../../client/command-line/printable.ts'
import { openScriptedService, type ScriptedService } from './scripted-service.ts'
import { makeWorld } from './world.ts'

/**
 * Sets a title, clears the screen, overwrites a line and turns text around; with C0 and C1 controls and format
 * characters.
 */
const hostile = '\u001b]0;pwned\u0007\u001b[2J\r\u009b31m\u202egnp\u2066\u200b\u2028\u0085é\n\ttail'

let service: ScriptedService
let folder: string
beforeEach(async () => {
  service = await openScriptedService()
  folder = await mkdtemp(join(tmpdir(), 'hostile-texts-'))
})
afterEach(async () => {
  await service[Symbol.asyncDispose]()
  await rm(folder, { recursive: true })
})

async function run(args: readonly string[], isTTY = false) {
  const environment = {
    RATE_SEARCH_URL: service.url,
    RATE_SEARCH_KEY: 'rates_x',
    RATE_SEARCH_STATE: join(folder, 'state'),
  }
  const world = makeWorld({ environment, isTTY })
  const exitCode = await runCommandLine(args, world, '1')
  return { exitCode, ...world.written }
}

const job = '00000000-0000-4000-8000-000000000001'
const filters = ['--payer', 'P', '--plan', 'Q', '--code', '1']
const calls = [
  ['search', ...filters],
  ['search', ...filters, '--no-wait'],
  ['status', job],
  ['list'],
  ['manifest', job],
  ['download', job],
  ['cancel', job],
  ['delete', job],
  ['estimate', ...filters],
  ['fee-schedules'],
  ['billing-codes', 'knee'],
  ['specialties'],
  ['providers', 'knee', '--zip', '97205'],
]

/** Every text that an answer of the service can have. */
const feeSchedule = { payer: hostile, plan: hostile, last_updated_on: hostile, plan_ids: [hostile], exists: false }
const facts = {
  job_id: hostile,
  created_at: hostile,
  processing_at: hostile,
  completed_at: hostile,
  status: 'completed',
  rows: 0,
  bytes: 1,
  download_urls: [hostile],
  results_until: hostile,
  attempts: [{ outcome: hostile }],
  request: { billing_codes: [hostile], npis: [hostile], tins: [hostile], fee_schedules: [feeSchedule] },
  without_rows: { billing_codes: [hostile], npis: [hostile], tins: [hostile] },
  fee_schedules: [{ ...feeSchedule, superseded: true, nearest: [{ payer: hostile, plan: hostile }] }],
  shards: [{ name: hostile, rows: 1, bytes: 1, checksum: { algorithm: hostile, value: hostile } }],
  searches: [
    {
      job_id: hostile,
      status: hostile,
      created_at: hostile,
      fee_schedule_count: 1,
      first_fee_schedule: feeSchedule,
      filters: [{ name: hostile, count: 9, first: [hostile] }],
    },
  ],
  billing_codes: [{ billing_code_type: hostile, billing_code: hostile, name: hostile, publisher_count: 1 }],
  specialties: [{ code: hostile, name: hostile, grouping: hostile }],
  providers: [{ npi: 1, name: hostile, taxonomy: hostile, specialty: hostile, city: hostile, state: hostile, zip: '' }],
  nppes_month: hostile,
  complete: true,
  stopped_by: null,
  warnings: [{ path: hostile, message: hostile }],
  files: 1,
  next_cursor: null,
}
const details = [1, 2].map(() => ({ path: hostile, message: hostile }))
const refusal = { error: { type: 'internal_error', message: hostile, request_id: hostile, details } }

/** Characters that a terminal would obey or hide, other than line ends. */
const obeyed = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu
const obeyedIn = (text: string) => text.replaceAll('\n', '').match(obeyed) ?? []

describe.each(calls.map((args) => [args]))('rate-search %j', (args) => {
  it.each([
    ['facts', 200, facts],
    ['failure', 200, { ...facts, status: 'failed', failed_at: hostile, error: `${hostile}: ${hostile}` }],
    ['refusal', 400, refusal],
    ['text', 418, hostile],
  ])('prints no escape sequence of a hostile %s', async (_, status, body) => {
    service.answer = { status, body: JSON.stringify(body) }
    for (const more of [[], ['--json']]) {
      const out = args[0] === 'search' || args[0] === 'download' ? ['--out', join(folder, 'rates')] : []
      const { output, errors } = await run([...args, ...more, ...out])
      expect(output + errors).not.toBe('')
      expect([obeyedIn(output), obeyedIn(errors)]).toEqual([[], []])
    }
  })
})

describe('the output of the command line', () => {
  it('contains the same text in JSON', async () => {
    service.answer = { status: 200, body: JSON.stringify({ ...facts, fee_schedules: [feeSchedule] }) }
    expect(JSON.parse((await run(['fee-schedules', '--json'])).output)).toEqual({ fee_schedules: [feeSchedule] })
  })

  it('takes one line for each row of a table and each warning', async () => {
    service.answer = { status: 200, body: JSON.stringify({ ...facts, warnings: facts.warnings }) }
    expect((await run(['fee-schedules'])).output.trimEnd().split('\n')).toHaveLength(2)
    const existing = { ...feeSchedule, exists: true, nearest: [] }
    service.answer = { status: 200, body: JSON.stringify({ ...facts, fee_schedules: [existing] }) }
    expect((await run(['estimate', ...filters])).output).toContain('\nwarning: \\u001b]0;pwned\\u0007')
  })

  it('controls a terminal only by clearing lines', async () => {
    service.search = { status: 'failed', error: `x: ${hostile}` }
    service.answer = { status: 200, body: JSON.stringify({ ...facts, job_id: hostile, status: 'queued' }) }
    const { errors } = await run(['list'], true)
    expect(obeyedIn(errors.replaceAll('\r\u001b[K', ''))).toEqual([])
  })

  it('keeps letters of all scripts, and escapes half characters and tags', () => {
    expect(printable('Ünïcødé 漢字 🙂 Ж')).toBe('Ünïcødé 漢字 🙂 Ж')
    expect(printable('\ud800 \u{e0041}')).toBe('\\ud800 \\udb40\\udc41')
  })
})

describe('the address of the service', () => {
  it.each([
    ['http://rates.example', true],
    ['http://10.0.0.1:3000', true],
    ['http://localhost.example', true],
    ['http://127.0.0.1.example', true],
    ['https://rates.example', false],
    ['http://localhost:1', false],
    ['http://127.0.0.1:1', false],
    ['http://[::1]:1', false],
  ])('%s: a warning that the key can be read: %s', async (url, isWarned) => {
    const before = globalThis.fetch
    globalThis.fetch = async () => Response.json({ searches: [], next_cursor: null })
    const world = makeWorld({ environment: { RATE_SEARCH_URL: url, RATE_SEARCH_KEY: 'rates_x' } })
    const exitCode = await runCommandLine(['list', '-q'], world, '1').finally(() => {
      globalThis.fetch = before
    })
    expect([exitCode, world.written.errors.includes('is not encrypted: others on the network')]).toEqual([0, isWarned])
  })

  it.each(['https://user:geheim@rates.example', 'ftp://user:geheim@rates.example', 'https://geheim@rates.example/v1'])(
    'must not have a user or password, which the message does not repeat: %s',
    async (url) => {
      const world = makeWorld({ environment: { RATE_SEARCH_URL: url, RATE_SEARCH_KEY: 'rates_x' } })
      expect(await runCommandLine(['list'], world, '1')).toBe(2)
      expect(world.written.errors).not.toContain('geheim')
    },
  )
})
