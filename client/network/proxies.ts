import { BlockList, isIP } from 'node:net'
import { Unreachable } from '../errors.ts'

/** Variables of a process, such as `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>

/** The variables of this process. Nothing else of the library depends on them. */
export const processEnvironment: Environment = process.env

/** A proxy that the environment names, and the variable that names it. */
export interface ProxySetting {
  readonly url: URL
  readonly variable: string
}

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('0.0.0.0', 'ipv4')
loopback.addAddress('::1', 'ipv6')
loopback.addAddress('::', 'ipv6')

/** True if a host of a URL is this machine, in any spelling: a proxy would mean itself by it. */
export function isLoopbackHost(hostname: string): boolean {
  const host = plainHost(hostname)
  return host === 'localhost' || host.endsWith('.localhost') || isInList(loopback, host)
}

/** True if the environment names any proxy. */
export const namesProxy = (environment: Environment): boolean =>
  ['http_proxy', 'https_proxy', 'all_proxy'].some((name) => readVariable(environment, name) !== undefined)

/**
 * Returns the proxy for a URL, by the conventions of curl: the proxy of its protocol, else that of ALL_PROXY, unless
 * NO_PROXY has its host. Names may be in lower case, which wins. This machine is never asked for through a proxy.
 *
 * Neither Node nor undici would do: Node 20 has no such setting, later versions want it before they start and ask for
 * this machine through the proxy too, and undici's NO_PROXY knows no subdomains of a plain name, and no networks.
 *
 * @throws Unreachable if the variable has no address of a proxy that speaks HTTP
 */
export function findProxy(url: URL, environment: Environment): ProxySetting | undefined {
  if (isLoopbackHost(url.hostname) || isExcepted(url, readVariable(environment, 'no_proxy')?.value)) return undefined
  const names = [url.protocol === 'https:' ? 'https_proxy' : 'http_proxy', 'all_proxy']
  const setting = names.flatMap((name) => readVariable(environment, name) ?? [])[0]
  if (setting === undefined) return undefined
  const { variable, value } = setting
  // Like curl, a proxy without a protocol speaks HTTP.
  const protocol = /^[a-z][a-z\d+.-]*(?=:\/\/)/i.exec(value)?.[0]
  const address = protocol === undefined ? `http://${value}` : value
  if (URL.canParse(address) && /^https?:/i.test(address)) return { url: new URL(address), variable }
  const isHttp = protocol === undefined || /^https?$/i.test(protocol)
  const fault = isHttp ? 'its value is no address' : `it names a proxy of ${protocol}`
  throw new Unreachable(
    `${variable} must name a proxy as in http://proxy.example:8080, but ${fault}; correct it, or put ${plainHost(url.hostname)} into NO_PROXY`,
  )
}

/** Reads a variable in lower or upper case; an empty one in lower case means that there is none. */
function readVariable(environment: Environment, name: string) {
  const variable = environment[name] === undefined ? name.toUpperCase() : name
  const value = environment[variable]?.trim()
  return value === undefined || value === '' ? undefined : { variable, value }
}

/**
 * True if NO_PROXY has a host: `*`, a name with or without a leading dot or `*.`, which stands for its subdomains too,
 * an address, or a network such as `10.0.0.0/8`; all but networks also with a port.
 */
function isExcepted(url: URL, exceptions = ''): boolean {
  const host = plainHost(url.hostname)
  const port = url.port || (url.protocol === 'https:' ? '443' : '80')
  return exceptions
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .some((entry) => {
      if (entry === '*') return true
      if (entry.includes('/')) return isInNetwork(host, entry)
      const [, name = entry, entryPort] = /^(\[.*\]|[^:]*):(\d+)$/.exec(entry) ?? []
      if (entryPort !== undefined && entryPort !== port) return false
      const suffix = plainHost(name).replace(/^\*?\./, '')
      return host === suffix || (isIP(host) === 0 && host.endsWith(`.${suffix}`))
    })
}

function isInNetwork(host: string, network: string): boolean {
  const [address = '', bits = ''] = network.split('/')
  const family = isIP(address)
  if (family === 0 || !/^\d{1,3}$/.test(bits) || Number(bits) > (family === 4 ? 32 : 128)) return false
  const list = new BlockList()
  list.addSubnet(address, Number(bits), family === 4 ? 'ipv4' : 'ipv6')
  return isInList(list, host)
}

const isInList = (list: BlockList, host: string): boolean => {
  const family = isIP(host)
  return family !== 0 && list.check(host, family === 4 ? 'ipv4' : 'ipv6')
}

/** A host without the brackets of IPv6 and the dot at the end of a whole name. */
const plainHost = (hostname: string): string => hostname.toLowerCase().replace(/^\[|\]$|\.$/g, '')
