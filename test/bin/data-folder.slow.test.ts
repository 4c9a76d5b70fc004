import { spawn } from 'node:child_process'
import { on, once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, watch, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runCommandLine } from './run-command-line.ts'

const file = 'local/samples/summit-ridge-select-dental.json'

let folder: string
let loaded: Awaited<ReturnType<typeof runCommandLine>>

const run = (command: string, ...args: readonly string[]) => runCommandLine(command, [...args, '--data', folder])

beforeAll(async () => {
  folder = join(mkdtempSync(join(tmpdir(), 'data folder-')), 'data')
  loaded = await run('load', file, '--create')
})

afterAll(() => rmSync(join(folder, '..'), { recursive: true }))

describe('a data folder that no service runs on', () => {
  it('accepts loads, lists and keys without a synthesis of the stack', async () => {
    expect(loaded).toMatchObject({ exitCode: 0, output: expect.stringContaining('Summit Ridge Insurance') })
    expect((await run('load', file)).output).toContain('unchanged')
    expect((await run('fee-schedules', 'list')).output).toContain('Ridge Select Dental')
    const orgId = (await run('keys', 'create-organization', 'Acme')).output.trim()
    expect((await run('keys', 'create', orgId)).output).toMatch(/^rates_\S+\n$/)
    expect(existsSync(join(folder, 'cdk.out'))).toBe(false)
  })

  it('appears in the proposed commands, which can be pasted', async () => {
    const [, id = ''] = /npm run loads -- --data '(?:.*)' rollback (\S+) undoes/.exec(loaded.output) ?? []
    expect((await run('loads', 'show', id)).output).toContain(`load: ${id}\n`)
    expect((await run('loads', 'show', 'none')).errors).toBe(
      `error: there is no load none: npm run loads -- --data '${folder}' list shows them\n`,
    )
  })

  it('lets go of it, so that the next command may use it', async () => {
    expect(existsSync(join(folder, 'service.json'))).toBe(false)
    expect((await run('loads', 'list')).exitCode).toBe(0)
  })
})

it('says for how many fee schedules a load is in force again, and does not call it rolled back', async () => {
  const silver = 'local/samples/blue-harbor-hmo-silver.json'
  const own = mkdtempSync(join(tmpdir(), 'two-months-'))
  const newer = join(own, 'newer.json')
  writeFileSync(newer, readFileSync(silver, 'utf8').replaceAll('2026-11-01', '2026-12-01'))
  const inOwn = (command: string, ...args: readonly string[]) =>
    runCommandLine(command, [...args, '--data', join(own, 'data'), '--json'])
  const { load_id: first } = JSON.parse((await inOwn('load', file, silver, '--create')).output)
  const { load_id: second } = JSON.parse((await inOwn('load', newer)).output)
  expect(await inOwn('loads', 'rollback', second)).toMatchObject({ exitCode: 0 })
  const { output, exitCode } = await inOwn('loads', 'rollback', first)
  expect(JSON.parse(output)).toMatchObject({ restored: 0, removed: 1, brought_back: 1 })
  expect(exitCode).toBe(3)
  expect((await inOwn('loads', 'rollback', first)).errors).toContain('a rollback has brought back')
  expect(JSON.parse((await inOwn('loads', 'show', first)).output)).not.toHaveProperty('undone_at')
  expect(JSON.parse((await inOwn('loads', 'show', second)).output)).toHaveProperty('undone_at')
  rmSync(own, { recursive: true })
})

describe('npm start', () => {
  it('adds neither samples nor organizations to a folder that load --create made', async () => {
    const child = spawn(process.execPath, ['bin/start.ts', '--port', '0', '--json', '--data', folder])
    const [line] = await once(child.stdout, 'data')
    expect(JSON.parse(String(line))).toMatchObject({ organizations: [] })
    const { fee_schedules: listed } = JSON.parse((await run('fee-schedules', 'list', '--json')).output)
    expect(listed).toHaveLength(1)
    child.kill('SIGTERM')
    expect(await once(child, 'exit')).toEqual([0, null])
  })

  it('says in one line that it was stopped while it started', async () => {
    const fresh = mkdtempSync(join(tmpdir(), 'stopped-'))
    const watcher = watch(fresh)
    // In a group of its own, as a terminal starts it: Ctrl-C goes to all of its processes.
    const child = spawn(process.execPath, ['bin/start.ts', '--port', '0', '--data', fresh], { detached: true })
    const written = text(child.stderr)
    for await (const [, name] of on(watcher, 'change')) if (String(name).startsWith('cdk.out')) break
    watcher.close()
    process.kill(-(child.pid ?? Number.NaN), 'SIGINT')
    expect(await once(child, 'exit')).toEqual([1, null])
    expect(await written).toBe('error: stopped before the service had started\n')
    rmSync(fresh, { recursive: true })
  })
})
