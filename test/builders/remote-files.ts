import { afterEach, beforeEach, vi } from 'vitest'
import { RemoteFiles } from '../../fetch/remote/remote-files.ts'
import { SignedLocations } from '../../fetch/remote/signed-locations.ts'
import { type PayerSite, startPayerSite } from '../doubles/payer-site.ts'

export let site: PayerSite
export let remote: RemoteFiles

/** Gives each test of a file a site, whose clock is everybody's, and a reader of its files, without a proxy. */
export function useRemoteSite(): void {
  beforeEach(async () => {
    vi.stubEnv('http_proxy', '')
    site = await startPayerSite()
    remote = openTestRemote(() => site.now)
  })
  afterEach(async () => {
    await remote[Symbol.asyncDispose]()
    await site[Symbol.asyncDispose]()
    vi.unstubAllEnvs()
  })
}

/** Fetches files of a site on this machine, by its clock and without waiting. */
export function openTestRemote(now: () => Date): RemoteFiles {
  return new RemoteFiles(
    { userAgent: 'test', connections: 4, allowPrivateAddresses: true },
    { locations: new SignedLocations(now), waiting: { sleep: () => Promise.resolve(), random: () => 0.5 }, now },
  )
}
