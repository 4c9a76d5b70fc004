import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import { createServer } from 'node:https'
import type { Server } from 'node:net'
import { join } from 'node:path'
import type { SecureContextOptions } from 'node:tls'
import { readText, root } from '../../templates/source-files.ts'

/** The certificate of the authority that signed the intermediate one, for NODE_EXTRA_CA_CERTS. */
export const rootFile = join(root, 'test/fixtures/tls/root.pem')

const readFixture = (name: string) => readText(`test/fixtures/tls/${name}.pem`)

export function portOf(server: Server): number {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new TypeError('the server has no port')
  return address.port
}

/**
 * Starts an HTTPS server with certificates of `test/fixtures/tls`.
 *
 * @param chain names of its files: the server's own first
 */
export async function startTlsServer(
  chain: readonly string[],
  listener: RequestListener,
  options: SecureContextOptions = {},
): Promise<{ readonly port: number } & AsyncDisposable> {
  const cert = chain.map(readFixture).join('')
  const server = createServer({ key: readFixture('server-key'), cert, ...options }, listener)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: portOf(server),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
