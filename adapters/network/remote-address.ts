import { isIP } from 'node:net'
import { AddressRefused, type AddressRules, findAddressFault, isLoopback } from './network-addresses.ts'

/**
 * Parses the URL of a file or webhook, or of a redirect from `from`. Only this machine may be asked without TLS, if its
 * addresses are allowed.
 *
 * @throws AddressRefused if it must not be asked
 */
export function readRemoteUrl(location: string, rules: AddressRules, from?: URL): URL {
  const { allowsPrivate, allowsOwn = allowsPrivate } = rules
  const url = URL.parse(location, from?.href)
  if (url === null) throw new AddressRefused('is not a URL')
  if (url.username !== '' || url.password !== '') throw new AddressRefused('has a user name or password in its URL')
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const literal = isIP(host) === 0 ? undefined : host
  const isOwn = host === 'localhost' || (literal !== undefined && isLoopback(literal))
  const isHttps = url.protocol === 'https:'
  if (from?.protocol === 'https:' && !isHttps) throw new AddressRefused('is a redirect from https to another protocol')
  if (!(isHttps || (url.protocol === 'http:' && allowsOwn && isOwn))) {
    const isOnlyOwn = url.protocol === 'http:' && isOwn && rules.hint !== undefined
    throw new AddressRefused(isOnlyOwn ? `is not an https address: ${rules.hint}` : 'is not an https address')
  }
  const fault = literal === undefined ? undefined : findAddressFault(literal, rules)
  if (fault !== undefined) throw new AddressRefused(fault)
  return url
}
