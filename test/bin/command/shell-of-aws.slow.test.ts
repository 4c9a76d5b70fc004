import { type ChildProcess, spawn } from 'node:child_process'
import { on, once } from 'node:events'
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { at } from '../../../schema/at.ts'
import { runCommandLine } from '../run-command-line.ts'

/** All names in the installed SDK that a shell may set. */
function findSdkVariables(): readonly string[] {
  const sources = globSync('node_modules/{@aws-sdk,@smithy,@aws}/*/dist-*/**/*.js').map((path) =>
    readFileSync(path, 'utf8'),
  )
  const names = sources.flatMap(
    (source) => source.match(/\b_?AWS_[A-Z0-9_]+\b|\b_X_AMZN_[A-Z_]+\b|\b_HANDLER\b/g) ?? [],
  )
  // The SDK makes these names of the ids of its services.
  const services = sources.flatMap((source) =>
    [...source.matchAll(/\bserviceId: *[^;,]*"([A-Za-z ]+)"/g)].map((match) => at(match, 1)),
  )
  const endpoints = services.map((id) => `AWS_ENDPOINT_URL_${id.toUpperCase().replaceAll(' ', '_')}`)
  return [...new Set([...names, ...endpoints])]
}

let folder: string
let shell: Readonly<Record<string, string>>
let service: ChildProcess
let api: Readonly<Record<string, string>>

const run = (command: string, ...args: readonly string[]) => runCommandLine(command, args, { ...shell, ...api })

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'aws-shell-'))
  const home = join(folder, 'home')
  mkdirSync(join(home, '.aws'), { recursive: true })
  // The SDK throws for such a section.
  for (const name of ['config', 'credentials']) writeFileSync(join(home, '.aws', name), '[__proto__]\nregion = mars\n')
  const nowhere = 'http://127.0.0.1:9'
  shell = {
    ...Object.fromEntries(findSdkVariables().map((name) => [name, 'nonsense'])),
    ...{ AWS_PROFILE: 'nonexistent', AWS_CONFIG_FILE: join(home, '.aws', 'config'), HOME: home },
    ...{ CDK_DEFAULT_ACCOUNT: '111122223333', CDK_DEFAULT_REGION: 'mars', CDK_OUTDIR: '/proc/x' },
    ...{ HTTP_PROXY: nowhere, HTTPS_PROXY: nowhere, NODE_USE_ENV_PROXY: '1' },
    ...{ TZ: 'Pacific/Kiritimati', LC_ALL: 'tr_TR' },
  }
  const args = ['bin/start.ts', '--port', '0', '--json', '--data', join(folder, 'data')]
  service = spawn(process.execPath, args, { env: { ...process.env, ...shell }, stdio: ['ignore', 'pipe', 'inherit'] })
  for await (const [line] of on(service.stdout ?? service, 'data')) {
    const { base_url, organizations } = JSON.parse(String(line))
    api = { RATE_SEARCH_URL: base_url, RATE_SEARCH_KEY: organizations[0].api_key }
    break
  }
})

afterAll(async () => {
  service.kill('SIGTERM')
  await once(service, 'exit')
  rmSync(folder, { recursive: true })
})

it('sets the variables that are known to break other local services', () => {
  expect(Object.keys(shell)).toEqual(
    expect.arrayContaining([
      ...['AWS_SESSION_TOKEN', 'AWS_PROFILE', 'AWS_MAX_ATTEMPTS', 'AWS_ENDPOINT_URL', 'AWS_ENDPOINT_URL_DYNAMODB'],
      ...['AWS_USE_FIPS_ENDPOINT', 'AWS_REQUEST_CHECKSUM_CALCULATION', 'AWS_DEFAULTS_MODE', '_X_AMZN_TRACE_ID'],
    ]),
  )
})

const file = 'local/samples/summit-ridge-select-dental.json'

describe.each(['data', 'idle'])('with nonsense in every variable of AWS, on the data folder %s', (name) => {
  it.each([
    ['load', file, '--create'],
    ['loads', 'list'],
    ['fee-schedules', 'list'],
    ['nppes', 'list'],
    ['keys', 'create-organization', 'Acme'],
    ['keys', 'list'],
    ['status'],
  ])('runs %s', async (command, ...args) => {
    const { errors, exitCode } = await run(command, ...args, '--data', join(folder, name))
    expect([errors.match(/^error: .*/m)?.[0], exitCode]).toEqual([undefined, 0])
  })
})

describe('with nonsense in every variable of AWS', () => {
  it('answers a search', async () => {
    const search = [
      'search',
      '--payer',
      'Blue Harbor Health',
      '--plan',
      'Harbor Choice Plus',
      '--code',
      '99213',
      '--json',
    ]
    const { errors, exitCode } = await run('../client/cli/main', ...search, '--out', join(folder, 'rates'))
    expect([errors, exitCode]).toEqual([expect.any(String), 0])
  })

  it('tries the service with smoke', async () => {
    const { output, errors, exitCode } = await run('smoke', '--data', join(folder, 'data'))
    expect([output, errors, exitCode]).toEqual([expect.any(String), expect.any(String), 0])
  })

  it('runs the demo', async () => {
    const { errors, exitCode } = await runCommandLine('samples/demo', ['--data', join(folder, 'demo')], shell)
    expect([errors.match(/^error: .*/m)?.[0], exitCode]).toEqual([undefined, 0])
  })
})
