import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { connectEndpoints } from '../endpoints/connect.ts'
import { runCommandLine } from './run-command-line.ts'

const { environment, tables } = connectEndpoints()

const keys = (...args: readonly string[]) => runCommandLine('keys', [...args, '--table', tables.access], environment)

let name: string
let orgId: string

beforeEach(async () => {
  name = `Organization ${randomUUID()}`
  orgId = (await keys('create-organization', name)).output.trim()
})

describe('npm run keys', () => {
  it('prints only the key to standard output, and the table to standard error', async () => {
    const { output, errors, exitCode } = await keys('create', orgId)
    expect(output).toMatch(/^\S+\n$/)
    expect(errors).toBe(`Written to the table ${tables.access}\n`)
    expect(exitCode).toBe(0)
  })

  it('refuses to create a key for an inactive organization', async () => {
    await keys('deactivate', orgId)
    const { output, errors, exitCode } = await keys('create', orgId)
    expect({ output, exitCode }).toEqual({ output: '', exitCode: 1 })
    expect(errors).toBe(`error: organization ${orgId} is inactive: the service would refuse the key\n`)
  })

  it("lists keys by creation date, with the API's timestamps and without hashes", async () => {
    const made = JSON.parse((await keys('create', orgId, 'laptop', '--json')).output)
    await keys('create', orgId, 'server')
    await keys('revoke', orgId, made.key_id)
    const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/)
    const unlimited = { permission: 'everything', bytes_per_day: 'unlimited', created_at: timestamp }
    expect(JSON.parse((await keys('list', orgId, '--json')).output)).toEqual({
      access_table: tables.access,
      org_id: orgId,
      keys: [
        { ...unlimited, key_id: made.key_id, state: 'revoked', label: 'laptop', revoked_at: timestamp },
        { ...unlimited, key_id: expect.any(String), state: 'active', label: 'server' },
      ],
    })
    const [heading, , first] = (await keys('list', orgId)).output.split('\n')
    expect(heading).toMatch(/^key id +state +may +bytes a day +created at +last used +ends at +revoked at +label$/)
    expect(first).toMatch(
      new RegExp(`^${made.key_id} +revoked +everything +unlimited +\\S+\\+00:00 +– +– +\\S+\\+00:00 +laptop$`),
    )
  })

  it('rotates a key: its successor has its label, and the key gets its end', async () => {
    const made = JSON.parse((await keys('create', orgId, 'laptop', '--json')).output)
    const ends = new Date(Date.now() + 3_600_000).toISOString()
    const rotated = JSON.parse((await keys('rotate', orgId, made.key_id, '--ends', ends, '--json')).output)
    const expires_at = ends.replace('Z', '+00:00')
    expect(rotated).toMatchObject({ label: 'laptop', replaces: { key_id: made.key_id, expires_at } })
    expect(rotated.api_key).not.toBe(made.api_key)
    const { keys: listed } = JSON.parse((await keys('list', orgId, '--json')).output)
    expect(listed).toMatchObject([
      { key_id: made.key_id, state: 'active', expires_at },
      { key_id: rotated.key_id, state: 'active', label: 'laptop' },
    ])
    const again = await keys('rotate', orgId, made.key_id)
    expect({ output: again.output, exitCode: again.exitCode }).toEqual({ output: '', exitCode: 1 })
    expect(again.errors).toBe(
      `error: key ${made.key_id} was rotated before and ends at ${expires_at}: create a new key instead\n`,
    )
  })

  it('limits a new key and one that exists, and its successor too', async () => {
    const options = ['--allow', 'summaries', '--bytes-per-day', '10GB', '--json']
    const made = JSON.parse((await keys('create', orgId, 'assistant', ...options)).output)
    expect(made).toMatchObject({ label: 'assistant', permission: 'summaries', bytes_per_day: 1e10 })
    expect((await keys('limit', orgId, made.key_id, '--allow', 'reading')).output).toBe(
      `${made.key_id}: permission reading, bytes per day 10,000,000,000\n`,
    )
    await keys('rotate', orgId, made.key_id)
    await keys('limit', orgId, made.key_id, '--bytes-per-day', 'unlimited')
    const { keys: listed } = JSON.parse((await keys('list', orgId, '--json')).output)
    expect(listed).toMatchObject([
      { permission: 'reading', bytes_per_day: 'unlimited' },
      { permission: 'reading', bytes_per_day: 1e10 },
    ])
  })

  it.each([
    [['create', 'some', '--allow', 'reads'], '--allow must be one of everything, summaries, reading, not "reads"'],
    [['limit', 'some', 'key'], 'limit needs --allow, --bytes-per-day or both'],
    [
      ['limit', 'some', 'key', '--bytes-per-day', 'much'],
      '--bytes-per-day must be a number of bytes such as 500000000 or 20GB, or "unlimited", not "much"',
    ],
    [['limit', 'some'], 'limit takes an organization id and a key id'],
    [
      ['revoke', 'some', 'key', '--allow', 'reading'],
      '--allow and --bytes-per-day belong to create and limit, not to revoke',
    ],
  ])('refuses the limits of a key in %j', async (args, message) => {
    const { errors, exitCode } = await keys(...args)
    expect({ errors, exitCode }).toEqual({ errors: `error: ${message} (see --help)\n`, exitCode: 2 })
  })

  it('cannot limit a key that does not exist', async () => {
    const { errors, exitCode } = await keys('limit', orgId, 'nokey', '--allow', 'reading')
    expect({ errors, exitCode }).toEqual({ errors: `error: organization ${orgId} has no key nokey\n`, exitCode: 1 })
  })

  it('ends a rotated key at once if asked to', async () => {
    const made = JSON.parse((await keys('create', orgId, 'laptop', '--json')).output)
    await keys('rotate', orgId, made.key_id, '--ends', '0m')
    const { keys: listed } = JSON.parse((await keys('list', orgId, '--json')).output)
    expect(listed.map(({ state }: { state: string }) => state)).toEqual(['expired', 'active'])
  })

  it.each([
    ['rotate', 'a', 'b', '--ends', 'tomorrow'],
    ['rotate', 'a', 'b', '--ends', '91d'],
    ['rotate', 'a', 'b', '--ends', '2020-01-01T00:00:00Z'],
  ])('refuses an end that is not ahead, or too far: %s %s %s %s %s', async (...args) => {
    const { errors, exitCode } = await keys(...args)
    expect(errors).toMatch(/^error: --ends must be minutes, hours or days from now .* not ".+" \(see --help\)\n$/)
    expect(exitCode).toBe(2)
  })

  it('activates an organization that was deactivated', async () => {
    await keys('deactivate', orgId)
    expect((await keys('activate', orgId)).output).toBe(`activated ${orgId}\n`)
    expect((await keys('create', orgId)).exitCode).toBe(0)
  })

  it('sets limits of an organization, each by itself, and back to those of the stage', async () => {
    const set = async (...args: readonly string[]) =>
      JSON.parse((await keys('set-limits', orgId, ...args, '--json')).output).limits
    expect(await set('--searches', '5')).toEqual({ searches: 5, per_minute: 'default' })
    expect(await set('--per-minute', '600')).toEqual({ searches: 5, per_minute: 600 })
    expect(await set('--searches', 'default')).toEqual({ searches: 'default', per_minute: 600 })
    const { organizations } = JSON.parse((await keys('list', '--json')).output)
    expect(organizations).toContainEqual({
      org_id: orgId,
      name,
      state: 'active',
      created_at: expect.any(String),
      limits: { searches: 'default', per_minute: 600 },
    })
  })

  it.each([
    [['--searches', '0'], '--searches must be a whole number from 1 to 1000, or "default", not "0"'],
    [['--per-minute', '60001'], '--per-minute must be a whole number from 1 to 60000, or "default", not "60001"'],
    [[], 'set-limits needs --searches, --per-minute or both'],
  ])('refuses the limits %j', async (args, message) => {
    const { errors, exitCode } = await keys('set-limits', orgId, ...args)
    expect({ errors, exitCode }).toEqual({ errors: `error: ${message} (see --help)\n`, exitCode: 2 })
  })

  it('lists organizations by name', async () => {
    await keys('create-organization', `A ${randomUUID()}`)
    const { organizations } = JSON.parse((await keys('list', '--json')).output)
    const names: string[] = organizations.map((each: { name: string }) => each.name)
    expect(names).toContain(name)
    expect(names).toEqual(names.toSorted(new Intl.Collator('en').compare))
  })
})
