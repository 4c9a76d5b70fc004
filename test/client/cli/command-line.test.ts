import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { describeDownload } from '../../../client/cli/commands/finish-search.ts'
import { describeFailure } from '../../../client/cli/failures.ts'
import { commands, runCommandLine } from '../../../client/cli/run.ts'
import { nameSearch } from '../../../client/cli/search-request.ts'
import { removeOldStates, SearchStateFile } from '../../../client/cli/search-state.ts'
import { Progress } from '../../../client/command-line/progress.ts'
import { formatBytes, formatTable } from '../../../client/command-line/table.ts'
import { ApiError, SearchFailed } from '../../../client/errors.ts'
import { makeWorld } from './world.ts'

async function run(...args: readonly string[]) {
  const world = makeWorld({ environment: { RATE_SEARCH_URL: 'http://localhost:1', RATE_SEARCH_KEY: 'rates_x' } })
  const exitCode = await runCommandLine(args, world, '1.2.3')
  return { exitCode, ...world.written }
}

describe('the command line', () => {
  it.each([[[]], [['--help']]])('explains itself and lists its commands for %j', async (args) => {
    const { exitCode, output } = await run(...args)
    expect(exitCode).toBe(0)
    for (const { name } of commands) expect(output).toContain(`\n  ${name} `)
  })

  it.each(commands.map(({ name }) => name))('explains %s with examples', async (name) => {
    const { exitCode, output } = await run(name, '--help')
    expect(exitCode).toBe(0)
    expect(output).toMatch(new RegExp(`\\nUsage: rate-search ${name}[^]*\\nExamples:\\n  [^]*rate-search ${name}`))
  })

  it('limits the lines of its help to 120 characters', async () => {
    const helps = await Promise.all(commands.map(({ name }) => run(name, '--help')))
    expect(helps.flatMap(({ output }) => output.split('\n')).filter((line) => line.length > 120)).toEqual([])
  })

  it('prints its version', async () => {
    expect(await run('--version')).toEqual({ exitCode: 0, output: '1.2.3\n', errors: '' })
  })

  it.each([
    [['serach'], 'error: there is no command "serach"; did you mean search? (see rate-search --help)'],
    [['ls'], 'there is no command "ls"; did you mean list? '],
    [['frobnicate'], 'error: there is no command "frobnicate" (see rate-search --help)'],
    [['search', '--kode', '1'], "error: Unknown option '--kode' (see rate-search search --help)"],
    [['search', '--key', 'k'], 'a key is never an argument'],
    [['search', 'Blue'], "error: Unexpected argument 'Blue' (see rate-search search --help)"],
    [['search', '--code', '1'], 'give at least one --payer with a --plan after it'],
    [['search', '--payer', 'A', '--code', '1'], '--payer "A" needs a --plan after it'],
    [['search', '--plan', 'B', '--code', '1'], '--plan "B" needs the --payer that it belongs to before it'],
    [
      ['search', '--payer', 'A', '--plan', 'B'],
      'give at least one of --npi, --tin, --code, --network, --state, --zip and --taxonomy',
    ],
    [['search', '--payer', 'A', '--plan', 'B', '--npi', '-', '--code', '-'], 'only one list can be read from'],
    [['search', '--payer', 'A', '--plan', 'B', '--npi', '12'], '--npi: "12" is not an NPI: ten digits, or 0'],
    [['status'], 'give the id of one search'],
    [['status', 'x'], 'the id of a search is a UUID, not "x"'],
    [
      ['completion', 'bash'],
      'the command "completion" was removed: remove its line from the start-up file of your shell',
    ],
  ])('exits with 2 for %j', async (args, message) => {
    const { exitCode, output, errors } = await run(...args)
    expect(errors).toContain(message)
    expect(errors.trimEnd().split('\n')).toHaveLength(1)
    expect([exitCode, output]).toEqual([2, ''])
  })

  it.each(['RATE_SEARCH_URL', 'RATE_SEARCH_KEY'])('names %s if it is not set', async (name) => {
    const environment = { RATE_SEARCH_URL: 'http://localhost:1', RATE_SEARCH_KEY: 'rates_x', [name]: undefined }
    const world = makeWorld({ environment })
    expect(await runCommandLine(['fee-schedules'], world, '1')).toBe(2)
    expect(world.written.errors).toContain(`set ${name} to`)
  })

  it.each([
    ['npm_config_payer', ['search', 'Blue Harbor Health']],
    ['npm_config_json', ['fee-schedules']],
    ['npm_config_taxonomy', ['search', '207X00000X']],
    ['npm_config_as_of', ['estimate', '2026-10-31']],
    ['npm_config_wait', ['search']],
  ])('says that npm took options for itself, as %s shows', async (name, args) => {
    const world = makeWorld({ environment: { npm_lifecycle_event: 'rate-search', [name]: 'true' } })
    expect(await runCommandLine(args, world, '1')).toBe(2)
    expect(world.written.errors).toContain('npm took the options for itself: write -- before them')
  })

  it('names itself as npm started it, so that its messages can be pasted', async () => {
    const world = makeWorld({ environment: { npm_lifecycle_event: 'rate-search' } })
    await runCommandLine(['search', '--help'], world, '1')
    expect(world.written.output).toContain("npm run rate-search --silent -- search --payer 'Blue Harbor Health'")
    await runCommandLine(['serach'], world, '1')
    expect(world.written.errors).toContain('(see npm run rate-search --silent -- --help)')
    await runCommandLine(['mcp', '--help'], world, '1')
    expect(world.written.output).toMatch(/claude mcp add rate-search .* -- npm run rate-search --silent -- mcp\n/)
  })

  it('reports errors as JSON with --json', async () => {
    const { exitCode, output, errors } = await run('status', 'x', '--json')
    const message = 'the id of a search is a UUID, not "x" (see rate-search status --help)'
    expect([exitCode, output, JSON.parse(errors)]).toEqual([
      2,
      '',
      { error: { type: 'wrong_arguments', message, exit_code: 2 } },
    ])
  })
})

describe('the name of a search', () => {
  const access = { url: 'https://a', key: `rates_${'a'.repeat(56)}` }
  const request = {
    npis: [2, 1],
    billing_codes: ['B', 'A'],
    fee_schedules: [
      { payer: 'P', plan: 'Q' },
      { payer: 'P', plan: 'R' },
    ],
  }
  const name = nameSearch(access, request)

  it('does not depend on the order of the lists, nor on the key of an organization', () => {
    const reversed = { npis: [1, 2], billing_codes: ['A', 'B'], fee_schedules: request.fee_schedules.toReversed() }
    expect(nameSearch(access, reversed)).toBe(name)
    expect(nameSearch({ url: 'https://a/', key: `rates_${'a'.repeat(12)}${'b'.repeat(44)}` }, request)).toBe(name)
  })

  it.each([
    ['address', { ...access, url: 'https://b' }, request],
    ['organization', { ...access, key: `rates_${'b'.repeat(56)}` }, request],
    ['NPIs', access, { ...request, npis: [1] }],
    ['TINs', access, { ...request, tins: ['12'] }],
    ['codes', access, { billing_codes: ['1', '2'], fee_schedules: request.fee_schedules }],
    ['plans', access, { ...request, fee_schedules: [{ payer: 'P', plan: 'Q' }] }],
  ])('depends on the %s', (_, other, search) => {
    expect(nameSearch(other, search)).not.toBe(name)
  })
})

describe('the state of a search', () => {
  it('comes from the first of two concurrent processes', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'state-'))
    const file = new SearchStateFile(makeWorld({ environment: { RATE_SEARCH_STATE: join(folder, 'new') } }), 'name')
    expect(await file.read()).toBeUndefined()
    const begun = await Promise.all(['a', 'b', 'c'].map((key) => file.begin({ idempotency_key: key })))
    expect(new Set(begun.map(({ idempotency_key: key }) => key)).size).toBe(1)
    expect(await file.read()).toEqual(begun[0])
    await rm(folder, { recursive: true })
  })

  it('disappears once it has not changed for a year, and nothing else does', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'state-'))
    const world = makeWorld({ environment: { RATE_SEARCH_STATE: folder } })
    const daysOld = { [`${'a'.repeat(32)}.json`]: 366, [`${'b'.repeat(32)}.json`]: 364, 'notes.txt': 999 }
    for (const [name, days] of Object.entries(daysOld)) {
      await writeFile(join(folder, name), '{}')
      const changed = new Date(world.today().getTime() - days * 24 * 3600_000)
      await utimes(join(folder, name), changed, changed)
    }
    await removeOldStates(world)
    expect((await readdir(folder)).sort()).toEqual([`${'b'.repeat(32)}.json`, 'notes.txt'])
    await rm(folder, { recursive: true })
    await expect(removeOldStates(world)).resolves.toBeUndefined()
  })

  it('names the variable for another folder if it cannot be stored', async () => {
    const file = new SearchStateFile(makeWorld({ environment: { RATE_SEARCH_STATE: '/dev/null/x' } }), 'name')
    await expect(file.begin({ idempotency_key: 'a' })).rejects.toThrow(/set RATE_SEARCH_STATE to another folder$/)
  })
})

describe('progress', () => {
  it('on a terminal is one line that changes and is cleared at the end', () => {
    const world = makeWorld({ isTTY: true })
    const progress = new Progress(world, false)
    progress.show(() => 'half of it')
    progress.end()
    expect(world.written.errors).toBe('\r\u001b[Khalf of it\r\u001b[K')
  })

  it('cuts its line to the width of the terminal', () => {
    const world = makeWorld({ isTTY: true })
    new Progress(world, false).show(() => 'x'.repeat(99))
    expect(world.written.errors).toBe(`\r\u001b[K${'x'.repeat(59)}`)
  })

  it('shows how long a step takes whose length is not known', () => {
    const world = makeWorld()
    let time = 0
    const progress = new Progress({ ...world, now: () => time }, false)
    progress.begin('unpacking')
    time = 61_000
    world.tick()
    expect(world.written.errors).toBe('unpacking\n  1 min 1 s so far\n')
  })

  it('takes one line each interval in a pipe', () => {
    const world = makeWorld()
    const progress = new Progress(world, false)
    progress.show(() => 'half of it')
    expect(world.written.errors).toBe('')
    world.tick()
    expect(world.written.errors).toBe('half of it\n')
  })

  it('stays silent if the command is quiet', () => {
    const world = makeWorld({ isTTY: true })
    const progress = new Progress(world, true)
    progress.say('begun')
    progress.show(() => 'half of it')
    world.tick()
    progress.end()
    expect(world.written.errors).toBe('')
  })

  it('shows a bar for a download', () => {
    const describe = describeDownload(() => 0)
    const files = { files: 1, totalFiles: 4 }
    expect(describe({ bytes: 1000, totalBytes: 4000, ...files })).toBe(
      '[#####...............] 25 %  1 kB of 4 kB  1 of 4 files',
    )
  })
})

describe('a failure', () => {
  it('shows the sentence of a failed search, followed by the word for programs', () => {
    const error = 'unsupported_fee_schedule: there is no plan "Golden", nearest is "Gold".'
    const failed = new SearchFailed({ job_id: 'x', created_at: '', status_url: '', status: 'failed', error })
    const message = 'The search failed: there is no plan "Golden", nearest is "Gold". [unsupported_fee_schedule]'
    expect(describeFailure(failed, 'search')).toEqual({ exitCode: 3, type: 'unsupported_fee_schedule', message })
  })

  it('tells users of commands of no HTTP path', () => {
    const error =
      'unsupported_fee_schedule: no such plan. List what is supported with GET /v1/fee-schedules?payer=A%20B.'
    const failed = new SearchFailed({ job_id: 'x', created_at: '', status_url: '', status: 'failed', error })
    const { message } = describeFailure(failed, 'search')
    expect(message).toContain('List what is supported with rate-search fee-schedules. [')
  })

  it('lists every fault of a request on its own line', () => {
    const details = [1, 2].map((index) => ({ path: `npis[${index}]`, message: 'must be an integer' }))
    const refused = new ApiError(400, { type: 'invalid_request', message: 'npis[1]: must be …; 1 more', details })
    expect(describeFailure(refused, 'search').message.split('\n')).toHaveLength(3)
  })

  it('names the request to quote for a failure of the service', () => {
    const refused = new ApiError(500, { type: 'internal_error', message: 'Something failed.', request_id: 'r-1' })
    expect(describeFailure(refused, 'search')).toEqual({
      exitCode: 1,
      type: 'internal_error',
      message: 'error: Something failed. (request r-1)',
    })
  })
})

describe('tables', () => {
  it('align numbers to the right and escape control characters', () => {
    const rows = [
      ['a\u001b[2J', 5],
      ['bcd', 1000],
    ]
    expect(formatTable(['NAME', 'BYTES'], rows)).toBe('NAME        BYTES\na\\u001b[2J      5\nbcd          1000')
  })

  it.each([
    [0, '0 bytes'],
    [999, '999 bytes'],
    [999_600, '1 MB'],
    [1_234_567, '1.23 MB'],
    [260_000_000_000, '260 GB'],
  ])('write %d bytes as %s', (bytes, text) => {
    expect(formatBytes(bytes)).toBe(text)
  })
})
