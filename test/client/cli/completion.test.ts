import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { completionScript } from '../../../client/cli/completion.ts'
import { runCommandLine } from '../../../client/cli/run.ts'
import { root } from '../../templates/source-files.ts'
import { makeWorld } from './world.ts'

const plans = ['Harbor PPO Gold', "Harbor 'Best' HMO", 'Ridge $1 Choice']

/** Plans that are code for a shell which reads them unquoted; `touch` would make a file. */
const hostilePlans = [
  'Aeta $(touch pwned)',
  'Beta `touch pwned`',
  "Ceta' ; touch pwned #x",
  'Deta" ; touch pwned #x',
  'Feta \\" ; touch pwned #\\',
  "Geta\\' ; touch pwned #",
  'Heta ; touch pwned &',
  'Ieta | touch pwned',
  'Keta !# !! !touch *',
  'Leta ~ {a,b} [x] <y >pwned',
  'Meta é – $(HOME) $HOME',
  `Neta 'both' "kinds" of \`touch pwned\``,
]

/** No service should have them, since a line cannot show them. */
const unseenPlans = ['Oeta\ntouch pwned', 'Oeta \u202e', 'Oeta \u001b[2J']

/** A service with three plans of one payer. */
const server = createServer((request, response) => {
  const { searchParams } = new URL(request.url ?? '', 'http://service')
  const start = searchParams.get('q') ?? ''
  const found = [...plans, ...hostilePlans, ...unseenPlans].map((plan) => ({ payer: 'Blue Harbor Health', plan }))
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

  it.each(['', '"', "'"])('gives words that bash reads as the names again, after the quote <%s>', async (quote) => {
    const replies = await complete('search', '--plan', quote)
    const words = replies.map((reply) => `${quote}${reply}${quote}`)
    const { stdout } = await promisify(execFile)('bash', ['--norc', '-c', `printf '%s\\0' ${words.join(' ')}`], {
      cwd: folder,
      env: {},
    })
    expect(stdout.split('\0')).toEqual([...plans, ...hostilePlans, ''])
    expect(await readdir(folder)).not.toContain('pwned')
    // History is expanded before quotes are read, except between single quotes.
    if (quote === '"') expect(words.join('').replaceAll(/'!'/g, '')).not.toContain('!')
  })

  it.each(['', '"', "'"])('completes a word that was completed before, after the quote <%s>', async (quote) => {
    const { port } = server.address() as AddressInfo
    const environment = { RATE_SEARCH_URL: `http://127.0.0.1:${port}`, RATE_SEARCH_KEY: 'rates_x' }
    const offer = async (word: string) => {
      const world = makeWorld({ environment })
      await runCommandLine(['__complete', 'bash', 'search', '--plan', word], world, '1')
      return world.written.output.trimEnd().split('\n')
    }
    const replies = await offer(quote)
    expect(replies).toHaveLength(plans.length + hostilePlans.length)
    for (const reply of replies) expect(await offer(`${quote}${reply}${quote}`)).toEqual([reply])
  })

  it('does not offer names that a line cannot show', async () => {
    expect(await complete('search', '--plan', 'Oe')).toEqual([])
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
