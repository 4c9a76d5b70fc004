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
    expect(JSON.parse((await keys('list', orgId, '--json')).output)).toEqual({
      access_table: tables.access,
      org_id: orgId,
      keys: [
        { key_id: made.key_id, state: 'revoked', label: 'laptop', created_at: timestamp, revoked_at: timestamp },
        { key_id: expect.any(String), state: 'active', label: 'server', created_at: timestamp },
      ],
    })
    const [heading, , first] = (await keys('list', orgId)).output.split('\n')
    expect(heading).toMatch(/^key id +state +created at +revoked at +label$/)
    expect(first).toMatch(new RegExp(`^${made.key_id} +revoked +\\S+\\+00:00 +\\S+\\+00:00 +laptop$`))
  })

  it('lists organizations by name', async () => {
    await keys('create-organization', `A ${randomUUID()}`)
    const { organizations } = JSON.parse((await keys('list', '--json')).output)
    const names: string[] = organizations.map((each: { name: string }) => each.name)
    expect(names).toContain(name)
    expect(names).toEqual(names.toSorted(new Intl.Collator('en').compare))
  })
})
