import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { service } from '../client.ts'
import { choicePlus, gold, largeSearch, silver } from '../samples.ts'
import { runCli } from './run-cli.ts'

const root = join(import.meta.dirname, '../../..')

let folder: string
let environment: Record<string, string>
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cli-'))
  environment = {
    RATE_SEARCH_URL: service.baseUrl,
    RATE_SEARCH_KEY: service.keys[0],
    RATE_SEARCH_STATE: join(folder, 'state'),
  }
})
afterAll(() => rm(folder, { recursive: true }))

const run = (...args: readonly string[]) => runCli(args, environment)

const largeArgs = [
  ...['search', '--payer', gold.payer, '--plan', gold.plan, '--plan', silver.plan],
  ...['--code', largeSearch.billing_codes.join(',')],
]

describe('rate-search search', () => {
  it('creates a search once, waits for it and downloads every file', async () => {
    const out = join(folder, 'large')
    const first = await run(...largeArgs, '--out', out, '--json')
    expect(first).toMatchObject({ exitCode: 0 })
    const { job_id, files } = JSON.parse(first.output)
    expect(files.length).toBeGreaterThanOrEqual(service.shards)
    const names = files.map(({ path }: { path: string }) => path.slice(out.length + 1))
    expect((await readdir(out)).filter((name) => !name.endsWith('.manifest.json')).sort()).toEqual(names)
    expect(first.errors).toContain(`created search ${job_id}`)
    expect(first.errors).toContain(', verified by checksum')
    const manifest = JSON.parse((await run('manifest', job_id, '--json')).output)
    expect(manifest.shards.map(({ name }: { name: string }) => join(out, name))).toEqual(
      files.map(({ path }: { path: string }) => path),
    )
    const { output } = await run('manifest', job_id)
    expect(output).toMatch(/^FILE +ROWS +BYTES +CHECKSUM$/m)
    expect(output).toContain(`${gold.payer}  ${gold.plan}`)
    const again = await run(...largeArgs, '--out', out, '--json')
    expect(JSON.parse(first.output)).toMatchObject({ reused: false, superseded: false, rows: manifest.rows })
    expect(again).toMatchObject({ exitCode: 0, output: first.output.replace('"reused":false', '"reused":true') })
    expect(again.errors).toContain(`continuing search ${job_id}`)
    const anew = await run(...largeArgs, '--out', out, '--json', '--again')
    expect(JSON.parse(anew.output).job_id).not.toBe(job_id)
  })

  it('keeps no key, and forgets a search that was refused', async () => {
    const args = ['search', '--payer', gold.payer, '--plan', gold.plan, '--code', 'x'.repeat(65)]
    const refused = await run(...args)
    expect([refused.exitCode, refused.errors]).toEqual([2, expect.stringContaining('billing_codes[0]')])
    const states = await readdir(join(folder, 'state'))
    const texts = await Promise.all(states.map((name) => readFile(join(folder, 'state', name), 'utf8')))
    for (const text of texts) expect(JSON.parse(text)).toHaveProperty('job_id')
    for (const key of service.keys) expect(texts.join('')).not.toContain(key)
  })
})

/** Source: util-linux, script(1). */
const hasTerminal = process.platform === 'linux' && existsSync('/usr/bin/script')

describe.runIf(hasTerminal)('rate-search search on a terminal', () => {
  it('shows a live line that is cleared at the end, and leaves the table of files', async () => {
    const words = [
      process.execPath,
      join(root, 'client/cli/main.ts'),
      ...largeArgs,
      '--again',
      '--out',
      join(folder, 'tty'),
    ]
    const command = words.map((word) => `'${word}'`).join(' ')
    const env = { ...process.env, ...environment }
    const { stdout } = await promisify(execFile)('/usr/bin/script', ['-qec', command, '/dev/null'], { env })
    // Return to the start of the line and erase it. Source: ECMA-48, "EL".
    const erasure = '\r\u001b[K'
    expect(stdout.split(erasure)[1]).toMatch(/^waiting for /)
    expect(
      stdout
        .split(erasure)
        .filter((line) => /^waiting, 0 s so far, reads \d+ files?, at most .*: search [0-9a-f-]+$/.test(line)),
    ).not.toEqual([])
    const lines = stdout.split('\n').map((line) => line.split(erasure).at(-1)?.replaceAll('\r', ''))
    const shown = lines.join('\n')
    expect(shown).toMatch(
      /^created search [0-9a-f-]{36}\nFILE +BYTES +ROWS\n(\S+\.parquet +\d+ +\d+\n)+[\d,]+ rows in \d files, /,
    )
  })
})

describe('rate-search', () => {
  it('shows, downloads, cancels and deletes a search by its id', async () => {
    const created = await run(...largeArgs, '--again', '--no-wait', '--json')
    const { job_id } = JSON.parse(created.output)
    expect(await run('download', job_id, '--out', join(folder, 'by-id'), '-q')).toMatchObject({
      exitCode: 0,
      errors: '',
    })
    expect((await run('status', job_id)).output).toMatch(new RegExp(`^search +${job_id}\nstatus +completed\n`))
    expect(await run('cancel', job_id)).toMatchObject({ exitCode: 1, output: '' })
    expect(await run('delete', job_id)).toMatchObject({ exitCode: 0 })
    const gone = await run('status', job_id)
    expect([gone.exitCode, gone.errors]).toEqual([1, expect.stringMatching(/^error: Not found\./)])
  })

  it('lists searches, newest first, and can filter by status', async () => {
    const { job_id } = JSON.parse((await run(...largeArgs, '--again', '--json', '--out', join(folder, 'list'))).output)
    const [heading, ...rows] = (await run('list', '--limit', '100')).output.trim().split('\n')
    expect(heading).toMatch(/^SEARCH +STATUS +CREATED /)
    // Other tests create searches meanwhile, of which some are newer.
    expect(rows).toContainEqual(expect.stringMatching(new RegExp(`^${job_id} +completed `)))
    const times = rows.map((row) => /\d{4}-\d\d-\d\dT\S+/.exec(row)?.[0])
    expect(times).toEqual(times.toSorted().toReversed())
    const { searches } = JSON.parse((await run('list', '--status', 'failed', '--json')).output)
    expect(searches.map(({ status }: { status: string }) => status)).not.toContain('completed')
  })

  it('estimates a search, and suggests corrections of wrong names', async () => {
    const estimate = await run('estimate', '--payer', gold.payer, '--plan', gold.plan, '--code', '99213')
    expect(estimate).toMatchObject({
      exitCode: 0,
      output: expect.stringMatching(/^FEE SCHEDULE +EXISTS +NEAREST\n.* yes/),
    })
    const absent = await run('estimate', '--payer', gold.payer, '--plan', `${gold.plan}en`, '--code', '99213')
    expect(absent).toMatchObject({ exitCode: 2, output: '' })
    expect(absent.errors).toContain(
      `there is no fee schedule "${gold.payer}" / "${gold.plan}en" (nearest: "${gold.payer}" / "${gold.plan}"`,
    )
  })

  it('lists fee schedules as a table and as JSON', async () => {
    const { output } = await run('fee-schedules', '--payer', gold.payer)
    const lines = [choicePlus, silver, gold].map(({ payer, plan }) => `${payer} +${plan} .*\n`)
    expect(output).toMatch(new RegExp(`^PAYER +PLAN .*\n${lines.join('')}$`))
    const { fee_schedules } = JSON.parse((await run('fee-schedules', '--json')).output)
    expect(fee_schedules).toHaveLength(6)
  })

  it('finds billing codes by words of their names', async () => {
    const { output } = await run('billing-codes', 'knee', 'repl', '--type', 'cpt')
    expect(output).toMatch(/^TYPE {2}CODE {3}NAME +PUBLISHERS\nCPT {3}27447 {2}Knee replacement +2\n$/)
    const { errors } = await run('billing-codes', 'elephant')
    expect(errors).toContain('nothing matches: use fewer words')
  })

  it('names the variable to check if the key is wrong, and the address if nothing answers', async () => {
    const wrongKey = await runCli(['fee-schedules'], { ...environment, RATE_SEARCH_KEY: 'rates_wrong' })
    expect([wrongKey.exitCode, wrongKey.errors]).toEqual([1, expect.stringMatching(/Check RATE_SEARCH_KEY\.\n$/)])
    expect(wrongKey.errors).not.toContain('rates_wrong')
    const wrongUrl = await runCli(['fee-schedules'], { ...environment, RATE_SEARCH_URL: `${service.baseUrl}/nowhere` })
    expect([wrongUrl.exitCode, wrongUrl.errors]).toEqual([1, expect.stringMatching(/^error: Not found\./)])
  })
})

describe('rate-search search with --columns and --limit', () => {
  it('downloads three rows with these columns, and warns that there are more', async () => {
    const parts = ['--columns', 'billing_code,tin_value', '--columns', 'negotiated_rate', '--limit', '3']
    const out = join(folder, 'sample')
    const { exitCode, output, errors } = await run(...largeArgs, ...parts, '--out', out, '--json')
    expect([exitCode, errors]).toEqual([
      0,
      expect.stringContaining('the search has more rows than its limit: these are any 3 of them, in no order'),
    ])
    const { job_id, rows, truncated } = JSON.parse(output)
    expect({ rows, truncated }).toEqual({ rows: 3, truncated: true })
    const csv = join(folder, 'sample.csv')
    expect((await run('csv', out, '--out', csv)).exitCode).toBe(0)
    const [head, ...lines] = (await readFile(csv, 'utf8')).trim().split(/\r?\n/)
    expect([head?.replace(/^\ufeff/, ''), lines.length]).toEqual(['billing_code,negotiated_rate,tin_value', 3])
    expect((await run('list', '--json')).output).toContain(`"job_id":"${job_id}"`)
    expect((await run('status', job_id)).output).toMatch(/truncated +yes/)
    expect(await run('diff', out, out)).toMatchObject({
      exitCode: 1,
      errors: expect.stringContaining('search without limit'),
    })
  })

  it('refuses a limit or names that cannot be meant, before it creates a search', async () => {
    for (const wrong of [
      ['--limit', '0'],
      ['--limit', '10k'],
      ['--columns', 'plan,,npi'],
    ])
      expect(await run(...largeArgs, ...wrong)).toMatchObject({ exitCode: 2 })
  })
})

describe('rate-search rows', () => {
  it('prints rows as a table, as CSV with exact amounts, and as the service answers', async () => {
    const created = await run(...largeArgs, '--out', join(folder, 'whole'), '--json')
    const { job_id: jobId, rows: total } = JSON.parse(created.output)
    const table = await run('rows', jobId, '--limit', '3')
    const [head = '', ...lines] = table.output.trimEnd().split('\n')
    expect([head, lines.length]).toEqual([
      expect.stringMatching(/^PLAN +BILLING_CODE .* NEGOTIATED_RATE +RATE_UNIT/),
      3,
    ])
    expect(table.errors).toContain(
      `3 rows of ${total.toLocaleString('en-US')}, in no order; rate-search download ${jobId}`,
    )
    const columns = ['--columns', 'plan,negotiated_rate', '--limit', '2']
    const { rows } = JSON.parse((await run('rows', jobId, ...columns, '--json')).output)
    const lineOf = (row: Record<string, string>) => `${row['plan']},${row['negotiated_rate']}`
    const csv = await run('rows', jobId, ...columns, '--csv')
    expect(csv.output).toBe(['plan,negotiated_rate', ...rows.map(lineOf), ''].join('\n'))
    expect(await run('rows', jobId, '--csv', '--json')).toMatchObject({ exitCode: 2 })
    expect(await run('rows', jobId, '--limit', '1001')).toMatchObject({ exitCode: 2 })
  })
})

describe('rate-search search with --max-bytes', () => {
  it('exits with 2 and the figure, and reads nothing, if the search would read more', async () => {
    const { exitCode, errors } = await run(
      ...largeArgs,
      '--max-bytes',
      '1kB',
      '--out',
      join(folder, 'bounded'),
      '--again',
    )
    expect([exitCode, errors]).toEqual([2, expect.stringMatching(/max_bytes: is less than the \d+ bytes that/)])
  })
})

describe('rate-search summary', () => {
  const args = ['summary', '--payer', choicePlus.payer, '--plan', choicePlus.plan, '--code', '73721,99213']

  it('prints a row for each code and place, with the statistics that the service computed', async () => {
    const { exitCode, output, errors } = await run(...args)
    expect([exitCode, errors]).toEqual([0, expect.stringContaining('counted by tins')])
    const [head = '', ...rows] = output.trim().split('\n')
    expect(head).toMatch(/^PLAN +BILLING_CODE .*VALUE_COUNT +MINIMUM +P10 +P25 +MEDIAN +P75 +P90 +MAXIMUM/)
    expect(rows.length).toBeGreaterThan(1)
    expect(rows.every((row) => row.startsWith(choicePlus.plan))).toBe(true)
  })

  it('prints one row for places with equal statistics, and a row for each place as JSON and CSV', async () => {
    const mri = [...args.slice(0, -1), '73721', '--weight', 'prices']
    const { output, errors } = await run(...mri)
    const [, ...lines] = output.trim().split('\n')
    const { rows } = JSON.parse((await run(...mri, '--json')).output)
    expect(lines.filter((line) => line.includes('Office, On-campus outpatient hospital (11, 22)'))).toHaveLength(
      rows.filter((row: Record<string, unknown>) => row['place_of_service'] === '11').length,
    )
    expect(errors).toContain(`--csv prints ${rows.length - lines.length} more`)
    expect((await run(...mri, '--csv')).output.trim().split('\n')).toHaveLength(rows.length + 1)
  })

  it('prints the same numbers as JSON and CSV, with every column, and continues the same search', async () => {
    const { output } = await run(...args, '--by', 'network,tin', '--weight', 'prices', '--json')
    const { job_id, summary, rows } = JSON.parse(output)
    expect(summary).toEqual({ weight: 'prices', by: ['network', 'tin'] })
    expect(
      rows.every(({ weight, value_count }: Record<string, unknown>) => weight === 'prices' && value_count !== null),
    ).toBe(true)
    const csv = await run(...args, '--by', 'tin,network', '--weight', 'prices', '--csv')
    expect(csv.errors).toContain(`continuing search ${job_id}`)
    const [head = '', ...lines] = csv.output.trim().split('\n')
    expect(head.split(',')).toHaveLength(Object.keys(rows[0]).length)
    expect(lines).toHaveLength(rows.length)
  })

  it('prints who is paid most, all ties at the cut included, and says if there are more', async () => {
    const { output, errors } = await run(...args, '--by', 'tin', '--highest', '3', '--json')
    const { rows } = JSON.parse(output)
    expect(errors).toContain('more rows than those with the first 3 ranks')
    type Ranked = {
      readonly billing_code: string
      readonly billing_code_modifier: unknown
      readonly billing_class: string
    } & {
      readonly [column in 'rank' | 'ranked_count' | 'median']: number
    }
    const ofCode = rows.filter((row: Ranked) => row.billing_code === '73721' && row.billing_class === 'professional')
    const whole: readonly Ranked[] = ofCode.filter((row: Ranked) => row.billing_code_modifier === null)
    expect(whole.length).toBeGreaterThanOrEqual(3)
    expect(whole.map(({ rank }) => rank)).toEqual(whole.map(({ rank }) => rank).toSorted((a, b) => a - b))
    expect(whole.every(({ rank, ranked_count: all }) => rank <= 3 && all > 3)).toBe(true)
    const { output: unranked } = await run(...args, '--by', 'tin', '--json')
    const medians: readonly number[] = JSON.parse(unranked)
      .rows.filter((row: Ranked) => row.billing_code === '73721' && row.billing_class === 'professional')
      .filter((row: Ranked) => row.billing_code_modifier === null)
      .map(({ median }: Ranked) => median)
    expect(whole[0]?.median).toBe(Math.max(...medians))
  })

  it('prints the same table again by the rows of the summary', async () => {
    const { job_id: jobId } = JSON.parse((await run(...args, '--json')).output)
    expect((await run('rows', jobId, '--limit', '1000')).output).toBe((await run(...args)).output)
  })

  it('keeps its files in the folder of --out for a comparison, and warns if files of other searches are there', async () => {
    const out = join(folder, 'summary')
    const { output, errors } = await run(...args, '--out', out, '--json')
    const { files, rows } = JSON.parse(output)
    const names = files.map(({ path }: { path: string }) => path)
    expect(names.length).toBeGreaterThan(0)
    expect(errors).toContain(`saved as ${names[0]}`)
    expect(errors).not.toContain('of other searches')
    const { output: compared } = await run('diff', out, out, '--json')
    expect(JSON.parse(compared)).toMatchObject({ total: { changed: 0, added: 0, removed: 0 }, changes: [] })
    expect(JSON.parse(compared).total.unchanged).toBe(rows.length)
    const second = await run(...args, '--weight', 'prices', '--out', out)
    expect(second.errors).toMatch(/also has \d+ Parquet files? of other searches/)
  })

  it('exits with 3 for no rows if they are required, and with 2 for an unknown weight or dimension', async () => {
    const absent = await run(...args.slice(0, -1), '0000X', '--fail-if-empty')
    expect([absent.exitCode, absent.errors]).toEqual([3, expect.stringContaining('found no rows')])
    for (const wrong of [
      ['--weight', 'tin'],
      ['--by', 'state,city'],
      ['--csv', '--json'],
      ['--highest', '0'],
      ['--highest', '3', '--lowest', '3'],
    ])
      expect((await run(...args, ...wrong)).exitCode).toBe(2)
  })
})
