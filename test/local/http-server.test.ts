import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { listen, readBody } from '../../local/http-server.ts'

describe('a server', () => {
  it('listens on the loopback address until it is closed', async () => {
    const server = await listen((_, response) => response.end('here'))
    expect(server.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    expect(await (await fetch(server.url)).text()).toBe('here')
    await server.close()
    await expect(fetch(server.url)).rejects.toThrow()
  })

  it('closes open connections when it is closed', async () => {
    const server = await listen(() => {})
    const waiting = expect(fetch(server.url)).rejects.toThrow()
    await server.close()
    await waiting
  })

  it('answers a request whose broken chunk Node has lost, once its time is over', async () => {
    const server = await listen((request) => void readBody(request).catch(() => {}), 0, 100)
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
    socket.write(
      'POST / HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
    )
    expect(await text(socket)).toMatch(/^HTTP\/1.1 408 /)
    await server.close()
  })

  it('reports a port in use in one sentence', async () => {
    const server = await listen(() => {})
    const port = Number(new URL(server.url).port)
    await expect(listen(() => {}, port)).rejects.toMatchObject({
      name: 'PortInUse',
      message: `port ${port} is in use; choose another with --port, or 0 for any free one`,
    })
    await server.close()
  })

  it('ignores an unknown Expect header', async () => {
    const server = await listen(({ headers }, response) => response.end(`served ${headers.expect}`))
    const socket = connect(Number(new URL(server.url).port))
    socket.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nExpect: miracles\r\n\r\n')
    expect(await text(socket)).toContain('served miracles')
    await server.close()
  })
})

describe('the service on a port in use', () => {
  it('exits with code 1 and one line on standard error', async () => {
    const server = await listen(() => {})
    const folder = mkdtempSync(join(tmpdir(), 'port-in-use-'))
    const port = new URL(server.url).port
    const command = join(import.meta.dirname, '../../bin/start.ts')
    const { status, stderr } = spawnSync(process.execPath, [command, '--port', port, '--data', folder])
    expect(String(stderr)).toBe(`error: port ${port} is in use; choose another with --port, or 0 for any free one\n`)
    expect(status).toBe(1)
    rmSync(folder, { recursive: true })
    await server.close()
  })
})

describe('a request body', () => {
  it.each([
    [9, '9'],
    [10, '10'],
    [11, 'too long'],
    [5_000_000, 'too long'],
  ])('becomes, of %d bytes and a limit of ten, %s', async (bytes, read) => {
    const server = await listen(async (request, response) => {
      const body = await readBody(request, 10)
      response.end(body === undefined ? 'too long' : String(body.length))
    })
    const response = await fetch(server.url, { method: 'POST', body: 'x'.repeat(bytes) })
    expect(await response.text()).toBe(read)
    await server.close()
  })
})
