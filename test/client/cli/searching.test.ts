import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { describeRetry } from '../../../client/cli/command.ts'
import { runCommandLine } from '../../../client/cli/run.ts'
import { ConnectionFailed } from '../../../client/errors.ts'
import { feeScheduleWith, openScriptedService, type ScriptedService } from './scripted-service.ts'
import { makeWorld } from './world.ts'

let service: ScriptedService
let folder: string
let ids: number
beforeEach(async () => {
  service = await openScriptedService()
  folder = await mkdtemp(join(tmpdir(), 'searching-'))
  ids = 0
})
afterEach(async () => {
  await service[Symbol.asyncDispose]()
  await rm(folder, { recursive: true })
})

const run = (...args: readonly string[]) => runIn({}, ...args)

async function runIn(given: { readonly isTTY?: boolean }, ...args: readonly string[]) {
  const environment = {
    RATE_SEARCH_URL: service.url,
    RATE_SEARCH_KEY: 'rates_x',
    RATE_SEARCH_STATE: join(folder, 'state'),
  }
  const world = { ...makeWorld({ environment, ...given }), newId: () => `id-${ids++}` }
  const exitCode = await runCommandLine(args, world, '1')
  return { exitCode, ...world.written }
}

const filters = ['--payer', 'Blue Harbor Health', '--plan', 'Harbor PPO Gold', '--code', '99213,nothing']
const search = (...more: readonly string[]) => run('search', ...filters, '--out', join(folder, 'rates'), ...more)
const jobOf = ({ output }: { readonly output: string }): unknown => JSON.parse(output).job_id
const stateNames = () => readdir(join(folder, 'state'))

const superseded = { fee_schedules: [feeScheduleWith({ superseded: true })] }
const unknown = { fee_schedules: [feeScheduleWith({ superseded: null, last_updated_on: null })] }

describe('a search on a terminal', () => {
  it('shows a live line before the first answer, which may be the last one', async () => {
    const { errors } = await runIn({ isTTY: true }, 'search', ...filters, '--out', join(folder, 'rates'))
    expect(errors).toContain('waiting for 127.0.0.1\r\u001b[Kcreated')
    expect(errors).toContain(
      'created search 00000000-0000-4000-8000-000000000001\n\r\u001b[Kwaiting, 0 s so far, reads 1 file, at most 5 kB: search ',
    )
  })
})

describe('a repeated search', () => {
  it('gives the same result, and says since when it is there', async () => {
    const first = await search('--json')
    expect(JSON.parse(first.output)).toMatchObject({ reused: false, superseded: false, rows: 4 })
    const second = await search('--json')
    expect(JSON.parse(second.output)).toMatchObject({
      job_id: jobOf(first),
      created_at: '2026-11-16T06:00:00.000+00:00',
      reused: true,
      superseded: false,
      rows: 4,
      fee_schedules: [{ last_updated_on: '2026-11-01', partial: false, superseded: false }],
    })
    expect(second.errors).toContain('created 2026-11-16T06:00:00.000+00:00; use --again to run it again')
    expect(service.created).toEqual(['id-0'])
  })

  it('warns if rates were replaced or removed, even if it is quiet', async () => {
    await search('-q')
    service.manifest = superseded
    const { exitCode, errors } = await search('-q')
    expect(exitCode).toBe(0)
    expect(errors).toMatch(
      /^warning: search \S+, created 2026-11-16T\S+, has earlier rates of Blue Harbor Health \/ Harbor PPO Gold, which have been replaced or removed since; use --if-newer to search the current rates\n$/,
    )
    expect(JSON.parse((await search('--json')).output)).toMatchObject({ reused: true, superseded: true })
  })

  it('does not know whether it is old if the service does not', async () => {
    await search()
    service.manifest = unknown
    expect(JSON.parse((await search('--json')).output)).toMatchObject({ reused: true, superseded: null })
  })

  it('continues with --if-newer while no newer rates have been loaded', async () => {
    const first = await search('--json', '--if-newer')
    expect(jobOf(await search('--json', '--if-newer'))).toBe(jobOf(first))
  })

  it.each([
    ['newer rates were loaded', superseded],
    ['the service cannot tell', unknown],
  ])('runs again with --if-newer if %s', async (_, manifest) => {
    const first = await search('--json')
    service.manifest = manifest
    const second = await search('--json', '--if-newer')
    expect(jobOf(second)).not.toBe(jobOf(first))
    expect(JSON.parse(second.output)).toMatchObject({ reused: false })
  })

  it('runs again with --if-newer if its plan id belongs to other plans now, and only then', async () => {
    const searchId = (id: string, ...more: readonly string[]) =>
      run('search', '--plan-id', id, '--code', '99213', '--out', join(folder, 'rates'), '--json', ...more)
    const first = await searchId('12-3456789')
    // However the id is written.
    expect(jobOf(await searchId('123456789', '--if-newer'))).toBe(jobOf(first))
    const pair = { payer: 'Blue Harbor Health', plan: 'Harbor PPO Gold', exists: true, nearest: [] }
    service.estimate = { fee_schedules: [pair, { ...pair, plan: 'Harbor HMO' }] }
    expect(jobOf(await searchId('123456789'))).toBe(jobOf(first))
    expect(jobOf(await searchId('123456789', '--if-newer'))).not.toBe(jobOf(first))
    expect(service.created).toHaveLength(2)
  })

  it.each([500, 429, 404])(
    'returns the same job for a plan id with --if-newer if the service gives no estimate (%d)',
    async (status) => {
      const searchId = () =>
        run(
          'search',
          '--plan-id',
          '123456789',
          '--code',
          '99213',
          '--out',
          join(folder, 'rates'),
          '--json',
          '--if-newer',
        )
      const first = await searchId()
      service.estimate = status
      const second = await searchId()
      expect([second.exitCode, jobOf(second)]).toEqual([0, jobOf(first)])
      expect(second.errors).toContain('warning: the service did not say which plans have the plan ids now')
      expect(service.created).toHaveLength(1)
    },
  )

  it('refuses a plan id that no plan has before the search is created', async () => {
    service.estimate = { fee_schedules: [], files: 0 }
    const refused = await run('search', '--plan-id', '99-9999999', '--code', '99213', '--out', join(folder, 'rates'))
    expect(refused.exitCode).toBe(2)
    expect(refused.errors).toContain('no fee schedule has this --plan-id')
    expect(service.created).toEqual([])
  })

  it('keeps its result after --if-newer was refused, for example because the plan was removed', async () => {
    const first = await search('--json')
    service.manifest = superseded
    const gone = { payer: 'Blue Harbor Health', plan: 'Harbor PPO Gold', exists: false, nearest: [] }
    service.estimate = { fee_schedules: [gone] }
    expect(await search('--if-newer')).toMatchObject({ exitCode: 2 })
    expect(JSON.parse((await search('--json')).output)).toMatchObject({ job_id: jobOf(first), reused: true })
  })

  it('creates one search in two concurrent runs with --if-newer', async () => {
    await search()
    service.manifest = superseded
    const runs = await Promise.all([search('--json', '--if-newer'), search('--json', '--if-newer')])
    expect(new Set(runs.map(jobOf)).size).toBe(1)
  })

  it('continues a running search, newer rates or not', async () => {
    service.search = { status: 'processing' }
    service.manifest = superseded
    const first = await search('--json', '--no-wait')
    expect(await search('--json', '--no-wait', '--if-newer')).toMatchObject({
      output: `${JSON.stringify({ job_id: jobOf(first), reused: true })}\n`,
    })
  })

  it('runs a failed search again only with --if-newer or --again', async () => {
    const first = await search('--json')
    service.search = { status: 'failed', error: 'cancelled: it was cancelled.' }
    const second = await search('--json')
    expect(second).toMatchObject({ exitCode: 3, output: '' })
    expect(second.errors).toContain('use --again or --if-newer to run it again')
    expect(service.created).toHaveLength(1)
    service.search = {}
    expect(jobOf(await search('--json', '--again'))).not.toBe(jobOf(first))
    service.search = { status: 'failed', error: 'cancelled: it was cancelled.' }
    await search('--if-newer')
    expect(service.created).toHaveLength(3)
  })

  it('runs again, and says why, if the service has deleted the earlier search', async () => {
    await search()
    service.forget()
    const { exitCode, errors } = await search()
    expect([exitCode, errors]).toEqual([0, expect.stringContaining('no longer exists: it was deleted')])
    expect(service.created).toHaveLength(2)
  })

  it('warns of files of another search in its folder', async () => {
    await search()
    const { errors } = await search('--again', '-q')
    expect(errors).toMatch(
      /^warning: \S+rates also has 1 Parquet file of other searches: \S+-000000000001-0001\.parquet\n$/,
    )
  })
})

describe('the result of a search', () => {
  it('states its number of rows and the age of its rates', async () => {
    service.manifest = { fee_schedules: [feeScheduleWith({ partial: true })] }
    const { output, errors } = await search()
    expect(output).toMatch(/^FILE +BYTES +ROWS\n\S+\.parquet +1008 +4\n$/)
    expect(errors).toContain('4 rows in 1 file, 1.01 kB\n')
    expect(errors).toContain('rates of Blue Harbor Health / Harbor PPO Gold of 2026-11-01, partial\n')
  })

  it('names what was asked for and has no row', async () => {
    const asked = { billing_codes: ['1', '2', '3', '4', '5', '6', '99213'], npis: [1], tins: ['12'] }
    const without_rows = { billing_codes: asked.billing_codes.slice(0, 6), npis: [1], tins: [] }
    service.manifest = { request: asked, without_rows }
    const { exitCode, output, errors } = await search('-q', '--json')
    expect(errors).toBe(
      'warning: no rows for 6 of 7 billing codes: 1, 2, 3, 4, 5 and 1 more\nwarning: no rows for 1 of 1 NPI: 1\n',
    )
    expect([exitCode, JSON.parse(output).without_rows]).toEqual([0, without_rows])
  })

  it('without rows is a warning, and an exit code of 3 if asked for', async () => {
    service.manifest = { rows: 0, without_rows: null }
    const fine = await search('-q')
    expect([fine.exitCode, fine.errors]).toEqual([0, 'warning: the result has no rows: no rate matches all lists\n'])
    const empty = await search('-q', '--fail-if-empty')
    expect([empty.exitCode, empty.errors]).toEqual([3, expect.stringMatching(/error: search \S+ found no rows\n$/)])
    expect(empty.output).toContain('.parquet')
    const job = String(jobOf(await search('--json')))
    const download = await run('download', job, '--out', join(folder, 'rates'), '--fail-if-empty')
    expect(download.exitCode).toBe(3)
  })
})

describe('a service that does not answer', () => {
  it('gets another request, announced with its reason and its number', async () => {
    service.failures.push(503)
    const { exitCode, errors } = await run('estimate', ...filters)
    expect([exitCode, errors]).toEqual([
      0,
      'the service answered 503 (unexpected_answer); trying again in 1 s (1 of 4)\n',
    ])
  })

  it('gets another request silently if the command is quiet', async () => {
    service.failures.push(503)
    expect(await run('estimate', ...filters, '-q')).toMatchObject({ exitCode: 0, errors: '' })
  })

  it('appears in the error with the reason if there is no connection', () => {
    const error = new ConnectionFailed('no answer from http://localhost:1: connect ECONNREFUSED')
    expect(describeRetry({ error, retry: 2, retries: 4, seconds: 0.7 })).toBe(
      'no answer from http://localhost:1: connect ECONNREFUSED; trying again in 1 s (2 of 4)',
    )
  })
})

describe('an estimate', () => {
  const near = { payer: 'Blue Harbor Health', plan: 'Harbor PPO Gold' }
  const wrong = { fee_schedules: [{ payer: 'Blue', plan: 'Gold', exists: false, nearest: [near] }], files: 0, bytes: 0 }

  it('says how much a search would read', async () => {
    const { exitCode, output } = await run('estimate', ...filters)
    expect([exitCode, output]).toEqual([0, expect.stringContaining('It reads 1 file, at most 5 kB.')])
  })

  it('names the nearest of a missing fee schedule, without figures, and exits with 2', async () => {
    service.estimate = wrong
    const { exitCode, output, errors } = await run('estimate', ...filters)
    expect([exitCode, output]).toEqual([2, ''])
    expect(errors).toContain(
      'there is no fee schedule "Blue" / "Gold" (nearest: "Blue Harbor Health" / "Harbor PPO Gold"); list what exists',
    )
  })

  it('describes a missing fee schedule as JSON for programs, and exits with 2', async () => {
    service.estimate = wrong
    const { exitCode, output, errors } = await run('estimate', ...filters, '--json')
    expect(exitCode).toBe(2)
    expect(JSON.parse(output)).toMatchObject({ fee_schedules: [{ exists: false, nearest: [near] }] })
    expect(JSON.parse(errors)).toMatchObject({ error: { type: 'wrong_arguments', exit_code: 2 } })
  })
})

describe('the estimate before a search is created', () => {
  it('passes its warnings to the user', async () => {
    service.estimate = { warnings: [{ path: 'npis', message: '1 NPI has a wrong check digit: 1' }] }
    const { exitCode, errors } = await search('-q')
    expect([exitCode, errors]).toEqual([0, 'warning: npis: 1 NPI has a wrong check digit: 1\n'])
    expect(service.asked.slice(0, 2)).toEqual(['POST /v1/estimates', 'POST /v1/searches'])
  })

  it.each([500, 429, 404])('changes nothing if it fails with %d, and is requested once', async (status) => {
    service.estimate = status
    expect(await search()).toMatchObject({ exitCode: 0 })
    expect(service.asked.filter((call) => call.endsWith('/estimates'))).toHaveLength(1)
  })

  it('refuses a fee schedule that does not exist, with the nearest names', async () => {
    const near = { payer: 'Blue Harbor Health', plan: 'Harbor PPO Gold' }
    service.estimate = { fee_schedules: [{ payer: 'Blue', plan: 'Gold', exists: false, nearest: [near] }] }
    const { exitCode, errors } = await search()
    expect([exitCode, errors]).toEqual([
      2,
      expect.stringContaining(
        'there is no fee schedule "Blue" / "Gold" (nearest: "Blue Harbor Health" / "Harbor PPO Gold"); list what exists with rate-search fee-schedules',
      ),
    ])
    expect([service.created, await stateNames()]).toEqual([[], []])
  })

  it('blames the requested day, not the present, for a fee schedule that did not exist then', async () => {
    service.estimate = { fee_schedules: [{ payer: 'Blue', plan: 'Gold', exists: false, nearest: [] }] }
    const { exitCode, errors } = await search('--as-of', '2026-10-31')
    expect([exitCode, errors]).toEqual([
      2,
      expect.stringContaining('as of 2026-10-31 there is no fee schedule "Blue" / "Gold" to search; name another day'),
    ])
  })

  it('accepts unknown names over an own relation, which may be newer than the catalogue', async () => {
    service.estimate = { files: null, fee_schedules: [{ payer: 'B', plan: 'G', exists: false, nearest: [] }] }
    expect(await search()).toMatchObject({ exitCode: 0 })
  })

  it.each(['taken', 'taken/below'])('comes after the check of the folder, which refuses %s', async (out) => {
    await writeFile(join(folder, 'taken'), '')
    const { exitCode, errors } = await run('search', ...filters, '--out', join(folder, out))
    expect([exitCode, errors]).toEqual([2, expect.stringMatching(/^error: --out: the folder .*taken is not a folder/)])
    expect(service.asked).toEqual([])
  })

  it.runIf(process.platform === 'linux')(
    'comes after the check of the folder, which does not hang in /proc',
    async () => {
      const { exitCode, errors } = await run('search', ...filters, '--out', '/proc/nope/below')
      expect([exitCode, errors]).toEqual([2, expect.stringContaining('cannot be made or written to: ENOENT')])
    },
  )
})
