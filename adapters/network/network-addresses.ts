import { type LookupAddress, type LookupOptions, lookup } from 'node:dns'
import { BlockList, isIP, type LookupFunction } from 'node:net'
import { at } from '../../schema/at.ts'

/** An address that must not be dialled. Retries make no difference. */
export class AddressRefused extends Error {
  override readonly name = 'AddressRefused'
}

/** Networks of the operator. Source: IANA special-purpose address registries (RFC 1918, 4193, 6598, 6890). */
const privateNetworks = [
  ...['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '127.0.0.0/8', '100.64.0.0/10', '192.0.0.0/24', '198.18.0.0/15'],
  ...['::/96', 'fc00::/7', 'fec0::/10'],
]

/**
 * Networks without any publisher: link-local (which cloud metadata services use), multicast, reserved, and the metadata
 * services that have addresses elsewhere (Amazon EC2 by IPv6, Alibaba Cloud, Azure).
 */
const neverNetworks = [
  ...['0.0.0.0/8', '169.254.0.0/16', '224.0.0.0/4', '240.0.0.0/4', '100.100.100.200/32', '168.63.129.16/32'],
  ...['192.0.2.0/24', '192.88.99.0/24', '198.51.100.0/24', '203.0.113.0/24', '100::/64', '2001:db8::/32', '2002::/16'],
  ...['::/128', 'fe80::/10', 'ff00::/8', 'fd00:ec2::/32', '64:ff9b:1::/48', '::ffff:0:0:0/96', '2001::/32'],
]

const neverDialled = listNetworks(neverNetworks)
const privateOnly = listNetworks(privateNetworks)

/** Adds the IPv6 addresses that translate to an IPv4 network (RFC 6052); `BlockList` covers mapped ones itself. */
function listNetworks(networks: readonly string[]): BlockList {
  const list = new BlockList()
  for (const network of networks) {
    const parts = network.split('/')
    const [address, bits] = [at(parts, 0), at(parts, 1)]
    if (isIP(address) === 6) list.addSubnet(address, Number(bits), 'ipv6')
    else {
      list.addSubnet(address, Number(bits), 'ipv4')
      list.addSubnet(`64:ff9b::${address}`, 96 + Number(bits), 'ipv6')
    }
  }
  return list
}

/** The addresses that may be dialled besides public ones. */
export interface AddressRules {
  /** Addresses of private networks, and this machine's. */
  readonly allowsPrivate: boolean
  /** This machine's own addresses. @default - as `allowsPrivate` */
  readonly allowsOwn?: boolean
  /** Advice for a caller who means an address in a private network. @default - none */
  readonly hint?: string
}

/** Says why an IP address must not be dialled; undefined if it may be. */
export function findAddressFault(address: string, rules: AddressRules): string | undefined {
  const { allowsPrivate, allowsOwn = allowsPrivate, hint } = rules
  const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
  if (neverDialled.check(address, family)) return `${address} is not a public address`
  if (allowsPrivate || (allowsOwn && isLoopback(address)) || !privateOnly.check(address, family)) return undefined
  return `${address} is in a private network${hint === undefined ? '' : `: ${hint}`}`
}

/** True if an IP address is this machine's own. */
export const isLoopback = (address: string): boolean => address === '::1' || /^127\./.test(address)

type Resolve = (
  host: string,
  options: LookupOptions & { readonly all: true },
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void

/** Resolves host names for connections, and refuses a host if any of its addresses must not be dialled. */
export function guardLookup(rules: AddressRules, resolve: Resolve = lookup): LookupFunction {
  return (host, options: LookupOptions, callback) => {
    resolve(host, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return callback(error, '', 0)
      const faults = addresses.flatMap(({ address }) => findAddressFault(address, rules) ?? [])
      const [first] = addresses
      if (faults[0] !== undefined) return callback(new AddressRefused(`${host}: ${faults[0]}`), '', 0)
      if (options.all === true) return callback(null, addresses)
      if (first === undefined) return callback(new AddressRefused(`${host}: no address was found`), '', 0)
      return callback(null, first.address, first.family)
    })
  }
}
