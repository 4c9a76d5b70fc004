import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listen, type RunningServer } from '../../../local/http-server.ts'

import { root } from '../../templates/source-files.ts'
import { answerAsRecorded } from '../recorded-service.ts'
import { makeParquet } from '../set-up-downloads.ts'
import { type ConnectProxy, startConnectProxy } from './connect-proxy.ts'
import { rootFile, startTlsServer } from './tls-server.ts'

const jobId = '2a39443a-064f-4d78-b562-c11683209ccf'
const file = makeParquet(1000)

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'proxied-'))
})
afterAll(() => rm(folder, { recursive: true }))

/** Runs rate-search in a process of its own, with nothing in the environment but what is given. */
async function run(args: readonly string[], environment: Readonly<Record<string, string>>) {
  const child = spawn(process.execPath, [join(root, 'client/cli/main.ts'), ...args], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { RATE_SEARCH_KEY: 'rates_key', HOME: folder, ...environment },
  })
  const [output, errors, [exitCode]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { output, errors, exitCode }
}

/** Runs the test with a service of HTTPS that only a proxy finds. */
async function withProxy(user: string | undefined, act: (proxy: ConnectProxy) => Promise<void>) {
  const listener = answerAsRecorded(file, () => 'https://rates.example')
  await using service = await startTlsServer(['server', 'intermediate'], listener)
  await using proxy = await startConnectProxy(service.port, user)
  await act(proxy)
}

const secure = { RATE_SEARCH_URL: 'https://rates.example', NODE_EXTRA_CA_CERTS: rootFile }

describe('rate-search behind a proxy', () => {
  it('asks and downloads through HTTPS_PROXY', () =>
    withProxy(undefined, async (proxy) => {
      const result = await run(['download', jobId, '--out', 'a', '--json'], { ...secure, HTTPS_PROXY: proxy.url })
      expect(result).toMatchObject({ exitCode: 0, output: expect.stringContaining('a.parquet') })
      expect((await readFile(join(folder, 'a/a.parquet'))).equals(file)).toBe(true)
      expect(new Set(proxy.asked)).toEqual(new Set(['CONNECT rates.example:443']))
    }))

  it('gives the proxy the user and password of its address, and shows no password', () =>
    withProxy('user:p@ss', async (proxy) => {
      const address = proxy.url.replace('://', '://user:p%40ss@')
      expect(await run(['list', '--json'], { ...secure, https_proxy: address })).toMatchObject({ exitCode: 0 })
      const wrong = await run(['list'], { ...secure, https_proxy: proxy.url.replace('://', '://user:secret@') })
      expect(wrong).toMatchObject({
        exitCode: 1,
        errors: expect.stringContaining('asks for a user and password (407)'),
      })
      expect(wrong.errors).not.toContain('secret')
      expect(wrong.errors).not.toContain('trying again')
    }))

  it('asks a service of http by its whole address through HTTP_PROXY', async () => {
    const service: RunningServer = await listen(answerAsRecorded(file, () => 'http://rates.example'))
    await using proxy = await startConnectProxy(Number(new URL(service.url).port))
    const environment = { RATE_SEARCH_URL: 'http://rates.example', HTTP_PROXY: proxy.url }
    expect(await run(['download', jobId, '--out', 'b'], environment)).toMatchObject({ exitCode: 0 })
    expect(proxy.asked).toContain(`GET http://rates.example/v1/searches/${jobId}/manifest`)
    expect(proxy.asked).toContain('GET http://rates.example/file')
    await service.close()
  })

  it.each(['127.0.0.1', 'localhost'])(
    'asks a service at %s itself, also if Node is told to use proxies',
    async (host) => {
      const service: RunningServer = await listen(answerAsRecorded(file, () => service.url))
      const dead = { HTTP_PROXY: 'http://127.0.0.1:9', HTTPS_PROXY: 'http://127.0.0.1:9', NODE_USE_ENV_PROXY: '1' }
      const url = service.url.replace('127.0.0.1', host)
      expect(await run(['list', '--json'], { RATE_SEARCH_URL: url, ...dead })).toMatchObject({ exitCode: 0 })
      await service.close()
    },
  )

  it('names the variable if the proxy does not answer', async () => {
    const environment = { RATE_SEARCH_URL: 'https://rates.example', HTTPS_PROXY: 'http://127.0.0.1:9' }
    const { errors } = await run(['estimate', '--payer', 'A', '--plan', 'B', '--code', '1'], environment)
    expect(errors).toContain('the proxy 127.0.0.1:9 does not answer (ECONNREFUSED); HTTPS_PROXY names it, and NO_PROXY')
  })
})

describe('rate-search', () => {
  it.each([
    ['server', ['server'], 'leaves out an intermediate certificate', 'NODE_EXTRA_CA_CERTS'],
    ['chain', ['server', 'intermediate', 'root'], 'signed by an authority that Node does not trust', '--use-system-ca'],
    ['expired', ['expired', 'intermediate'], 'has expired', 'check the clock'],
    ['other', ['other', 'intermediate'], 'is for other names', 'check the name of the host'],
  ])('says once what helps if the certificates of a service are wrong: %s', async (name, chain, fault, advice) => {
    await using service = await startTlsServer(
      chain,
      answerAsRecorded(file, () => ''),
    )
    const trusted = ['expired', 'other'].includes(name) ? { NODE_EXTRA_CA_CERTS: rootFile } : {}
    const environment = { RATE_SEARCH_URL: `https://localhost:${service.port}`, ...trusted }
    const { errors, exitCode } = await run(['list'], environment)
    expect([errors, exitCode]).toEqual([expect.stringContaining(fault), 1])
    expect(errors).toContain(advice)
    expect(errors).not.toContain('trying again')
  })

  it('says that a port speaks no TLS, or too old a version', async () => {
    const plain: RunningServer = await listen((_, response) => void response.end())
    const { errors } = await run(['list'], { RATE_SEARCH_URL: plain.url.replace('http:', 'https:') })
    expect(errors).toContain('its server does not speak TLS at this port')
    await plain.close()
    const limits = { maxVersion: 'TLSv1.1', minVersion: 'TLSv1', ciphers: 'DEFAULT@SECLEVEL=0' } as const
    await using old = await startTlsServer(['server', 'intermediate'], () => undefined, limits)
    const answer = await run(['list'], { RATE_SEARCH_URL: `https://localhost:${old.port}` })
    expect(answer.errors).toContain('speaks no version or cipher of TLS that Node accepts')
  })
})
