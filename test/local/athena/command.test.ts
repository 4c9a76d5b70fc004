import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { AthenaClient, ListDatabasesCommand } from '@aws-sdk/client-athena'
import { afterEach, describe, expect, it } from 'vitest'

const running = new Set<ReturnType<typeof spawn>>()

afterEach(() => {
  for (const child of running) child.kill('SIGKILL')
  running.clear()
})

const start = (...args: readonly string[]) => {
  const child = spawn(process.execPath, ['bin/athena.ts', ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  running.add(child)
  return child
}

/** Runs the command until it exits. */
const run = async (...args: readonly string[]) => {
  const child = start(...args)
  const [output, errors, [exitCode]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { output, errors, exitCode }
}

describe('npm run athena', () => {
  it('prints its address, serves it, and exits cleanly on Ctrl-C', async () => {
    const data = await mkdtemp(join(tmpdir(), 'athena-'))
    const child = start('--json', '--data', data)
    const [line] = await once(child.stdout, 'data')
    const { url, warehouse } = JSON.parse(String(line))
    expect(warehouse).toBe(join(data, 'warehouse'))
    expect(await readdir(data)).toEqual(['warehouse'])
    const credentials = { accessKeyId: 'local', secretAccessKey: 'local' }
    const client = new AthenaClient({ endpoint: url, region: 'us-east-1', credentials })
    await expect(client.send(new ListDatabasesCommand({ CatalogName: 'x' }))).rejects.toThrow(
      'ListDatabases is not supported',
    )
    child.kill('SIGINT')
    expect(await once(child, 'close')).toEqual([0, null])
    await rm(data, { recursive: true })
  })

  it('prints its usage', async () => {
    const { output, exitCode } = await run('--help')
    expect(output).toContain('--data <folder>')
    expect(exitCode).toBe(0)
  })

  it.each([
    ['--port', '70000'],
    ['--port', 'x'],
    ['--output', 'results/'],
    ['--nonsense', ''],
    ['stray', ''],
  ])('refuses %s %s in one line, with exit code 2', async (...args) => {
    const { output, errors, exitCode } = await run(...args.filter((arg) => arg !== ''))
    expect(exitCode).toBe(2)
    expect(output).toBe('')
    expect(errors).toMatch(/^error: [^\n]+ \(see --help\)\n$/)
  })

  it('reports a port in use in one line, with exit code 1', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const address = other.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    const data = await mkdtemp(join(tmpdir(), 'athena-'))
    const { errors, exitCode } = await run('--port', String(port), '--data', data)
    await rm(data, { recursive: true })
    other.close()
    expect(exitCode).toBe(1)
    expect(errors).toBe(`error: port ${port} is in use; choose another with --port, or 0 for any free one\n`)
  })
})
