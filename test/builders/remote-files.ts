import { RemoteFiles } from '../../fetch/remote/remote-files.ts'
import { SignedLocations } from '../../fetch/remote/signed-locations.ts'

/** Fetches files of a site on this machine, by its clock and without waiting. */
export function openTestRemote(now: () => Date): RemoteFiles {
  return new RemoteFiles(
    { userAgent: 'test', connections: 4, allowPrivateAddresses: true },
    { locations: new SignedLocations(now), waiting: { sleep: () => Promise.resolve(), random: () => 0.5 }, now },
  )
}
