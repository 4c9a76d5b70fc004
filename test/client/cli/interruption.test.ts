import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { root } from '../../templates/source-files.ts'

/** A service that has no estimates, and takes searches without ever answering. */
const keys: (string | string[] | undefined)[] = []
const server = createServer((request, response) => {
  if (request.url === '/v1/estimates') {
    response.writeHead(503).end()
    return
  }
  keys.push(request.headers['idempotency-key'])
  server.emit('asked')
})

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'interruption-'))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
})
afterAll(async () => {
  server.closeAllConnections()
  server.close()
  await rm(folder, { recursive: true })
})

async function interrupt(signal: NodeJS.Signals) {
  const { port } = server.address() as AddressInfo
  const args = [join(root, 'client/cli/main.ts'), 'search', '--payer', 'P', '--plan', 'Q', '--code', '1']
  const env = {
    ...process.env,
    RATE_SEARCH_URL: `http://127.0.0.1:${port}`,
    RATE_SEARCH_KEY: 'rates_x',
    RATE_SEARCH_STATE: folder,
  }
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'pipe'] })
  await once(server, 'asked')
  child.kill(signal)
  const [errors, [exitCode]] = await Promise.all([text(child.stderr), once(child, 'close')])
  return { errors, exitCode }
}

describe('a search that is interrupted before it is answered', () => {
  it('ends with 130 on Ctrl-C, and is retried with the stored key', async () => {
    expect(await interrupt('SIGINT')).toEqual({
      exitCode: 130,
      errors: 'stopped; run the same command again to resume\n',
    })
    expect(await interrupt('SIGKILL')).toMatchObject({ exitCode: null })
    await interrupt('SIGINT')
    const [state = '', ...others] = await readdir(folder)
    const stored = JSON.parse(await readFile(join(folder, state), 'utf8'))
    expect(others).toEqual([])
    expect(keys).toEqual([1, 2, 3].map(() => stored.idempotency_key))
  })
})
