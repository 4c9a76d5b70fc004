import { isIP } from 'node:net'
import { AddressRefused, findAddressFault, isLoopback } from './network-addresses.ts'

/** Which addresses files may be fetched from. */
export interface AddressRules {
  /** Whether addresses of private networks are allowed, and `http://` on this machine. */
  readonly allowsPrivate: boolean
}

/**
 * Parses the URL of a file, or of a redirect from `from`.
 *
 * @throws AddressRefused if nothing may be fetched from there
 */
export function readRemoteUrl(location: string, { allowsPrivate }: AddressRules, from?: URL): URL {
  const url = URL.parse(location, from?.href)
  if (url === null) throw new AddressRefused('is not a URL')
  if (url.username !== '' || url.password !== '') throw new AddressRefused('has a user name or password in its URL')
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const literal = isIP(host) === 0 ? undefined : host
  const isOwn = host === 'localhost' || (literal !== undefined && isLoopback(literal))
  const isHttps = url.protocol === 'https:'
  if (from?.protocol === 'https:' && !isHttps) throw new AddressRefused('is a redirect from https to another protocol')
  if (!(isHttps || (url.protocol === 'http:' && allowsPrivate && isOwn))) {
    throw new AddressRefused('is not an https address')
  }
  const fault = literal === undefined ? undefined : findAddressFault(literal, allowsPrivate)
  if (fault !== undefined) throw new AddressRefused(fault)
  return url
}
