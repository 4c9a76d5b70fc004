import { describe, expect, it } from 'vitest'
import { realWaiting } from '../../../fetch/remote/patience.ts'
import { RemoteFiles } from '../../../fetch/remote/remote-files.ts'
import { SignedLocations } from '../../../fetch/remote/signed-locations.ts'
import { startTlsServer } from '../../client/network/tls-server.ts'

describe('a file of a server', () => {
  it.each([
    [['server'], 'leaves out an intermediate certificate', 'NODE_EXTRA_CA_CERTS=<file>'],
    [['server', 'intermediate', 'root'], 'an authority that Node does not trust', '--use-system-ca'],
  ])('cannot be fetched, and says at once what helps, if its certificates are %j', async (chain, fault, advice) => {
    let requests = 0
    await using server = await startTlsServer(chain, () => requests++)
    await using remote = new RemoteFiles(
      { allowPrivateAddresses: true },
      { locations: new SignedLocations(() => new Date()), waiting: realWaiting, now: () => new Date() },
    )
    const refusal = await remote.probe(`https://localhost:${server.port}/rates.json`).catch((error: Error) => error)
    expect(refusal).toMatchObject({ message: expect.stringContaining(fault) })
    expect(refusal).toMatchObject({ message: expect.stringContaining(advice) })
    expect(requests).toBe(0)
  })
})
