import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { buildFile, buildItem } from '../builders/in-network-builder.ts'
import { buildPlan, buildTableOfContents } from '../builders/table-of-contents-builder.ts'
import { type PayerSite, startPayerSite } from '../doubles/payer-site.ts'
import { covers } from '../least-privilege/policies.ts'
import { type LoadsOnAws, startLoadsOnAws } from './loads-on-aws.ts'

let aws: LoadsOnAws
let site: PayerSite

beforeAll(async () => {
  aws = await startLoadsOnAws()
  // One host for all, because plans of another publisher are left out.
  site = await startPayerSite()
}, 240_000)

afterAll(async () => {
  await site[Symbol.asyncDispose]()
  await aws[Symbol.asyncDispose]()
})

beforeEach(() => {
  site.files.clear()
  site.now = new Date()
})

const packed = (content: unknown) => gzipSync(JSON.stringify(content))

const codes = ['99211', '99212', '99213', '99214', '99215', '99216']

let months = 0

/** A new month of a payer: six plans with a file each, on a site that cuts connections. */
function publish(): void {
  const description = `Visit in month ${++months}`
  const entries = codes.map((code) => {
    const path = `/${code}.json.gz`
    const content = buildFile({ in_network: [buildItem({ billing_code: code, description })] })
    site.files.set(path, { body: packed(content), signed: true, cutAfter: 200 })
    return { plans: [buildPlan(`Plan ${code}`)], files: [site.sign(path, 3600)] }
  })
  site.files.set('/toc.json.gz', { body: packed(buildTableOfContents(...entries)), signed: true })
}

const tocArgs = () => ['--toc', site.sign('/toc.json.gz', 3600), '--allow-private-addresses', '--stage', 'dev']

const load = (...args: readonly string[]) => aws.run('load', ...tocArgs(), '--on', 'aws', ...args)

const loads = (...args: readonly string[]) => aws.run('loads', ...args, '--stage', 'dev')

const idIn = (errors: string) => /the load (\w+) (?:has started|goes on)/.exec(errors)?.[1] ?? ''

/** Returns the log of the last step of a load. */
const finishLines = (id: string): readonly Record<string, unknown>[] =>
  readFileSync(join(aws.dataFolder, 'logs', `load-${id}-finish.log`), 'utf8')
    .split('\n')
    .flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : []))

describe('a load on AWS', () => {
  it('only gets a description from a dry run, with its fit into the quotas of the account', async () => {
    publish()
    const described = await load('--workers', '4', '--dry-run')
    expect(described, described.errors).toMatchObject({ exitCode: 0 })
    expect(described.output).toMatch(/^Would read 6 files: .*Nothing was loaded\.\nOn AWS: 4 workers of 2 vCPUs/s)
    expect(described.output).toContain('3 vCPUs of Spot, 3 On-Demand: 3 of 4 workers fit at a time')
    expect((await loads('list')).output).toBe('no loads\n')
  }, 120_000)

  it('goes through planning, several workers and the switch, and shows its progress, costs and no signature', async () => {
    publish()
    const loaded = await load('--workers', '3')
    expect(loaded, loaded.errors).toMatchObject({ exitCode: 0, output: expect.stringContaining('state: completed') })
    const id = idIn(loaded.errors)
    expect(loaded.errors).toContain(`Come back: npm run loads -- show ${id} --follow --stage dev`)
    const shown = await loads('show', id)
    expect(shown.output).toMatch(/fee schedules: 6 switched/)
    expect(shown.output).toMatch(/on AWS: .*\$\d+\.\d\d \(all on Spot\) to \$\d+\.\d\d \(none\), calculated/)
    const listed = await aws.run('fee-schedules', 'list', '--stage', 'dev')
    for (const code of codes) expect(listed.output).toContain(`Plan ${code}`)
    const logs = readdirSync(join(aws.dataFolder, 'logs')).filter((name) => name.startsWith(`load-${id}-`))
    expect(logs.sort()).toEqual(['finish', 'plan', 'work'].map((step) => `load-${id}-${step}.log`))
    expect(loaded.output + loaded.errors + shown.output).not.toContain('X-Amz')
  }, 240_000)

  it('leaves out plans of missing and broken files, and loads only those again when it is resumed', async () => {
    publish()
    const [lost = '', broken = ''] = codes
    const sound = site.files.get(`/${broken}.json.gz`)
    const gone = site.files.get(`/${lost}.json.gz`)
    if (sound === undefined || gone === undefined) throw new TypeError('the site has no files')
    site.files.delete(`/${lost}.json.gz`)
    site.files.set(`/${broken}.json.gz`, { ...sound, body: sound.body.subarray(0, 100), declared: 100 })
    const loaded = await load('--workers', '2')
    expect(loaded, loaded.errors).toMatchObject({ exitCode: 3, output: expect.stringMatching(/2 left out/) })
    const id = idIn(loaded.errors)
    const numbers = () =>
      finishLines(id).flatMap(({ stage, left_out }) => (left_out === undefined ? [] : [{ stage, left_out }]))
    expect(numbers()).toEqual([{ stage: 'local', left_out: 2 }])
    site.files.set(`/${lost}.json.gz`, gone)
    site.files.set(`/${broken}.json.gz`, sound)
    const before = site.requests.length
    const resumed = await loads('resume', id, '--workers', '2')
    expect(resumed, resumed.errors).toMatchObject({ exitCode: 0, output: expect.stringMatching(/0 left out/) })
    const read = new Set(site.requests.slice(before).map(({ path }) => path))
    expect(numbers().at(-1)).toEqual({ stage: 'local', left_out: 0 })
    for (const code of codes.slice(2)) expect(read).not.toContain(`/${code}.json.gz`)
  }, 240_000)

  it('goes on if its terminal is closed, and ends if it is cancelled', async () => {
    publish()
    const stalled = codes[0] ?? ''
    const file = site.files.get(`/${stalled}.json.gz`)
    if (file === undefined) throw new TypeError('the site has no files')
    const asked = Promise.withResolvers<void>()
    site.files.set(`/${stalled}.json.gz`, { ...file, stalls: true, cutAfter: 10, onRequest: () => asked.resolve() })
    const watching = aws.start('load', ...tocArgs(), '--on', 'aws', '--workers', '2')
    await asked.promise
    watching.kill('SIGINT')
    const left = await watching.ended
    expect(left).toMatchObject({ exitCode: 0, errors: expect.stringMatching(/the load \w+ continues/) })
    const id = left.output.trim()
    expect((await loads('show', id)).output).toMatch(/state: running\n/)
    const cancelled = await loads('cancel', id)
    expect(cancelled, cancelled.errors).toMatchObject({
      exitCode: 0,
      output: expect.stringContaining(`cancelled ${id}`),
    })
    expect((await loads('show', id)).output).toMatch(/state: cancelled\n/)
    expect(await loads('cancel', id)).toMatchObject({
      exitCode: 1,
      errors: expect.stringContaining('is not running (state: cancelled)'),
    })
    site.files.set(`/${stalled}.json.gz`, file)
    expect(await loads('resume', id, '--workers', '2')).toMatchObject({ exitCode: 0 })
  }, 240_000)
})

/** Rights in DynamoDB that these loads do not exercise. */
const unseen = [
  // A plan that fails forgets that its load is open.
  /^LoadsPlanRole\w+ dynamodb:DeleteItem TablesContents/,
  // Only names that were removed over a day before are deleted from the catalogue.
  /^LoadsFinishRole\w+ dynamodb:DeleteItem TablesFeeSchedules/,
  // It reads the catalogue as any step does, and what it asks for depends on the plans that vanish.
  /^LoadsPlanRole\w+ dynamodb:(BatchGetItem|Query) TablesFeeSchedules/,
]

describe('the roles of the steps', () => {
  it('allow every call that the steps made, and nothing more in DynamoDB', () => {
    const { calls, rights } = aws
    expect(new Set(calls.map(({ role }) => role.replace(/[0-9A-F]{8}$/, '')))).toEqual(
      new Set(['LoadsPlanRole', 'LoadsWorkRole', 'LoadsFinishRole']),
    )
    const refused = calls.filter((call) => !rights.some((right) => right.role === call.role && covers(right, call)))
    expect(refused).toEqual([])
    const idle = rights
      .filter(({ action }) => action.startsWith('dynamodb:'))
      .filter((right) => !calls.some((call) => call.role === right.role && covers(right, call)))
      .map(({ role, action, resources }) => `${role} ${action} ${resources}`)
    expect(idle.filter((right) => !unseen.some((pattern) => pattern.test(right)))).toEqual([])
  })
})

describe('--on aws', () => {
  it.each([
    [
      'local files',
      ['README.md', '--files', 'map.json', '--on', 'aws', '--stage', 'dev'],
      2,
      /workers cannot read README\.md of this machine; --files only applies/,
    ],
    ['no stage', ['https://payer.example/a.json', '--on', 'aws'], 2, /--on aws needs --stage/],
    [
      'another place',
      ['https://payer.example/a.json', '--on', 'gcp', '--stage', 'dev'],
      2,
      /--on can only be aws, not "gcp"/,
    ],
    [
      'too many workers',
      ['https://payer.example/a.json', '--on', 'aws', '--stage', 'dev', '--workers', '5'],
      2,
      /from 2 to 4 \(loads\.maxWorkers/,
    ],
    [
      'a stage without loads',
      ['https://payer.example/a.json', '--on', 'aws', '--stage', 'prod'],
      1,
      /the stage prod has no loads on AWS: add "loads": \{\}/,
    ],
  ])('fails with one line for %s', async (_, args, exitCode, message) => {
    const refused = await aws.run('load', ...args)
    expect(refused).toMatchObject({ exitCode, errors: expect.stringMatching(message) })
    expect(refused.errors.trim().split('\n')).toHaveLength(1)
  })
})
