import { UsageError } from '../../client/command-line/command-errors.ts'
import { type OptionValues, readNumber } from '../../client/command-line/parse-options.ts'
import { isRemote } from '../../fetch/file-address.ts'
import { defaultConnections, defaultUserAgent, type HttpSettings } from '../../fetch/remote/http-settings.ts'
import { realWaiting } from '../../fetch/remote/patience.ts'
import type { RemoteFiles } from '../../fetch/remote/remote-files.ts'
import { SignedLocations } from '../../fetch/remote/signed-locations.ts'
import { maxConnections, userAgentForm, userAgentRule } from '../../schema/load-order.ts'

/** The options of commands that fetch files. */
export const fetchOptions = {
  fetch: { type: 'boolean' },
  'user-agent': { type: 'string', default: defaultUserAgent },
  connections: { type: 'string', default: String(defaultConnections) },
  'allow-private-addresses': { type: 'boolean', default: false },
} as const

/** Their help. */
export const fetchUsage = `
  --fetch               fetch the files that local files list or refer to, too
  --connections <n>     how many files are fetched from a host at a time (default ${defaultConnections})
  --user-agent <text>   who fetches, for the payer's logs (default ${defaultUserAgent})
  --allow-private-addresses
                        also fetch from addresses in private networks, and by http from this machine
`.trim()

/**
 * Opens what fetches files, if there may be any to fetch, and names the operator's paths and URLs as the loader does.
 *
 * @throws UsageError
 */
export async function openRemote(values: OptionValues<typeof fetchOptions>, paths: readonly string[]) {
  const connections = readNumber('--connections', values.connections, 1, maxConnections)
  if (!userAgentForm.test(values['user-agent'])) throw new UsageError(`--user-agent ${userAgentRule}`)
  const settings = {
    userAgent: values['user-agent'],
    connections,
    allowPrivateAddresses: values['allow-private-addresses'],
  }
  const now = () => new Date()
  const isNeeded = values.fetch === true || paths.some(isRemote)
  const remote = isNeeded ? await connect(settings, now) : undefined
  return {
    settings,
    /** Undefined if nothing is fetched. */
    remote,
    /** Remembers a URL, and returns the file's address; returns a path as it is. */
    name: (path: string): string => (remote !== undefined && isRemote(path) ? remote.locations.learn(path) : path),
    [Symbol.asyncDispose]: async (): Promise<void> => remote?.[Symbol.asyncDispose](),
  }
}

async function connect(settings: HttpSettings, now: () => Date): Promise<RemoteFiles> {
  // Most loads fetch nothing, and need not load the HTTP client.
  const { RemoteFiles } = await import('../../fetch/remote/remote-files.ts')
  return new RemoteFiles(settings, { locations: new SignedLocations(now), waiting: realWaiting, now })
}
