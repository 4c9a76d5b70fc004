import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { completionScript } from '../../../client/cli/completion.ts'
import { root } from '../../templates/source-files.ts'

const plans = ['Harbor PPO Gold', "Harbor 'Best' HMO", 'Ridge $1 Choice']

/** A service with three plans of one payer. */
const server = createServer((request, response) => {
  const { searchParams } = new URL(request.url ?? '', 'http://service')
  const start = searchParams.get('q') ?? ''
  const found = plans.map((plan) => ({ payer: 'Blue Harbor Health', plan }))
  const fee_schedules = found.filter(({ payer, plan }) => [payer, plan].some((name) => name.startsWith(start)))
  response.setHeader('Content-Type', 'application/json')
  response.end(JSON.stringify({ fee_schedules, next_cursor: null }))
})

/** A folder with the command `rate-search`, and the shells' scripts. */
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'completion-'))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const command = join(folder, 'rate-search')
  await writeFile(command, `#!/bin/sh\nexec '${process.execPath}' '${join(root, 'client/cli/main.ts')}' "$@"\n`)
  await chmod(command, 0o755)
})
afterAll(async () => {
  server.closeAllConnections()
  server.close()
  await rm(folder, { recursive: true })
})

const folders = (process.env['PATH'] ?? '').split(delimiter)
const has = (shell: string) => folders.some((path) => existsSync(join(path, shell)))

/** Runs commands of a shell after its completion script, and returns the lines that they print. */
async function runShell(shell: string, args: readonly string[], commands: string): Promise<readonly string[]> {
  const { port } = server.address() as AddressInfo
  const env = {
    ...process.env,
    PATH: `${folder}${delimiter}${process.env['PATH']}`,
    RATE_SEARCH_URL: `http://127.0.0.1:${port}`,
    RATE_SEARCH_KEY: 'rates_x',
    HOME: folder,
  }
  const script = `${completionScript([shell])}\n${commands}`
  const { stdout } = await promisify(execFile)(shell, [...args, '-c', script], { env })
  return stdout.split('\n').filter((line) => line !== '')
}

describe.runIf(has('bash'))('the completion of bash', () => {
  const complete = (...words: readonly string[]) =>
    runShell(
      'bash',
      ['--norc'],
      `COMP_WORDS=(rate-search ${words.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ')})
       COMP_CWORD=${words.length}; _rate_search; printf '%s\\n' "\${COMPREPLY[@]}"`,
    )

  it('completes commands and options', async () => {
    expect(await complete('sta')).toEqual(['status'])
    expect(await complete('list', '--st')).toEqual(['--status'])
  })

  it('completes plans as words of the shell, quoted or not', async () => {
    const args = ['search', '--payer', 'Blue\\ Harbor\\ Health', '--plan']
    expect(await complete(...args, 'Harbor\\ P')).toEqual(['Harbor\\ PPO\\ Gold'])
    expect(await complete(...args, '"Harbor P')).toEqual(['Harbor PPO Gold'])
    expect(await complete(...args, 'Ridge')).toEqual(['Ridge\\ \\$1\\ Choice'])
  })

  it('leaves what it does not know to files', async () => {
    expect(await complete('search', '--npi', '@np')).toEqual([])
  })
})

describe.runIf(has('zsh'))('the completion of zsh', () => {
  // In place of the line editor: what it is given to offer.
  const stubs = 'compadd() { shift; print -rl -- "$@" }; _files() { print files }'
  const complete = (...words: readonly string[]) =>
    runShell(
      'zsh',
      ['-f'],
      `${stubs}; words=(rate-search ${words.map((word) => `'${word}'`).join(' ')}); CURRENT=${words.length + 1}; _rate_search`,
    )

  it('completes commands, options and plans, else files', async () => {
    expect(await complete('sta')).toEqual(['status'])
    expect(await complete('list', '--st')).toEqual(['--status'])
    expect(await complete('search', '--payer', 'Blue\\ Harbor\\ Health', '--plan', 'Harbor\\ P')).toEqual([
      'Harbor PPO Gold',
    ])
    expect(await complete('search', '--npi', '@np')).toEqual(['files'])
  })
})

describe.runIf(has('fish'))('the completion of fish', () => {
  const complete = (line: string) => runShell('fish', ['--no-config'], `complete -C '${line}'`)

  it('completes commands, options and plans', async () => {
    expect(await complete('rate-search sta')).toEqual(['status'])
    expect(await complete('rate-search list --st')).toEqual(['--status'])
    const plan = await complete('rate-search search --payer "Blue Harbor Health" --plan Harbor\\ P')
    expect(plan).toEqual(['Harbor PPO Gold'])
  })
})
