import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runCommandLine } from '../../bin/run-command-line.ts'
import { buildFile } from '../../builders/in-network-builder.ts'
import { startConnectProxy } from '../../client/network/connect-proxy.ts'
import { rootFile, startTlsServer } from '../../client/network/tls-server.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tls-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const content = JSON.stringify(buildFile())
const address = 'https://rates.example/rates.json'

describe('a load', () => {
  it('fetches through the proxy of HTTPS_PROXY, and needs none for hosts in NO_PROXY', async () => {
    await using server = await startTlsServer(['server', 'intermediate'], (_, response) => void response.end(content))
    await using proxy = await startConnectProxy(server.port)
    const environment = { HTTPS_PROXY: proxy.url, NODE_EXTRA_CA_CERTS: rootFile }
    const args = [address, '--payer', 'A', '--plan', 'B', '--create', '--data', folder]
    expect(await runCommandLine('load', args, environment)).toMatchObject({ exitCode: 0 })
    const requestCount = proxy.asked.length
    expect(new Set(proxy.asked)).toEqual(new Set(['CONNECT rates.example:443']))
    const { errors } = await runCommandLine('load', args, { ...environment, NO_PROXY: '.example' })
    expect(errors).toContain('the name of its server')
    expect(proxy.asked).toHaveLength(requestCount)
  })

  it('says that a proxy asks for a password', async () => {
    await using proxy = await startConnectProxy(9, 'user:password')
    const { errors } = await runCommandLine('load', [address, '--create', '--data', folder], { HTTPS_PROXY: proxy.url })
    expect(errors).toContain('asks for a user and password (407), as in http://user:password@proxy.example:8080')
    expect(proxy.asked).toHaveLength(1)
  })
})
