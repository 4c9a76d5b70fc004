import { isIP } from 'node:net'
import { AddressRefused, type AddressRules, findAddressFault, isLoopback } from './network-addresses.ts'

/**
 * Parses the URL of a file or webhook, or of a redirect. It must be https; http is allowed to this machine only, if
 * `rules` allow its addresses.
 *
 * @param from the URL that redirects, which `location` may be relative to
 * @throws AddressRefused if no request may be sent to the URL
 */
export function readRemoteUrl(location: string, rules: AddressRules, from?: URL): URL {
  const { allowsPrivate, allowsOwn = allowsPrivate } = rules
  const url = URL.parse(location, from?.href)
  if (url === null) throw new AddressRefused('is not a URL')
  if (url.username !== '' || url.password !== '') throw new AddressRefused('has a user name or password in its URL')
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const literal = isIP(host) === 0 ? undefined : host
  const isThisMachine = host === 'localhost' || (literal !== undefined && isLoopback(literal))
  const isHttps = url.protocol === 'https:'
  if (from?.protocol === 'https:' && !isHttps) throw new AddressRefused('is a redirect from https to another protocol')
  if (!(isHttps || (url.protocol === 'http:' && allowsOwn && isThisMachine))) {
    const isMissingPermission = url.protocol === 'http:' && isThisMachine && rules.hint !== undefined
    throw new AddressRefused(isMissingPermission ? `is not an https address: ${rules.hint}` : 'is not an https address')
  }
  const fault = literal === undefined ? undefined : findAddressFault(literal, rules)
  if (fault !== undefined) throw new AddressRefused(fault)
  return url
}
