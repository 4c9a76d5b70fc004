import { describe, expect, it } from 'vitest'
import { AddressRefused, findAddressFault, guardLookup } from '../../../adapters/network/network-addresses.ts'
import { readRemoteUrl } from '../../../adapters/network/remote-address.ts'

const fault = (url: string, allowsPrivate = false, from?: string) => {
  try {
    readRemoteUrl(url, { allowsPrivate }, from === undefined ? undefined : new URL(from))
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : 'unknown'
  }
}

describe('the rules for addresses that files are fetched from', () => {
  it.each([
    'https://rates.example/a.json?Signature=x',
    'https://8.8.8.8/a.json',
    'https://[2600:1f18::1]:8443/a.json',
    'https://[64:ff9b::808:808]/a.json',
  ])('accepts %s', (url) => {
    expect(fault(url)).toBeUndefined()
  })

  it.each([
    'https://127.0.0.1/a',
    'https://0x7f.1/a',
    'https://2130706433/a',
    'https://[::ffff:7f00:1]/a',
    'https://[::1]/a',
    'https://10.1.2.3/a',
    'https://172.31.0.1/a',
    'https://192.168.0.1/a',
    'https://100.64.0.1/a',
    'https://[fd12::1]/a',
    'https://[64:ff9b::a01:203]/a',
    'https://[::10.1.2.3]/a',
  ])('refuse a private network unless it is allowed: %s', (url) => {
    expect(fault(url)).toContain('is in a private network')
    expect(fault(url, true)).toBeUndefined()
  })

  it.each([
    'https://169.254.169.254/latest/meta-data',
    'https://169.254.170.2/v2/credentials',
    'https://[fd00:ec2::254]/latest',
    'https://[::ffff:169.254.169.254]/latest',
    'https://[64:ff9b::a9fe:a9fe]/latest',
    'https://100.100.100.200/latest',
    'https://168.63.129.16/machine',
    'https://[fe80::1]/a',
    'https://0.0.0.0/a',
    'https://[2002:7f00:1::]/a',
    'https://[::ffff:0:10.1.2.3]/a',
    'https://192.0.2.1/a',
    'https://[2001:db8::1]/a',
  ])('refuse it even if private addresses are allowed: %s', (url) => {
    expect(fault(url, true)).toContain('is not a public address')
  })

  it('require https, except on this machine if private addresses are allowed', () => {
    expect(fault('http://rates.example/a')).toBe('is not an https address')
    expect(fault('http://10.1.2.3/a', true)).toBe('is not an https address')
    expect(fault('http://127.0.0.1/a')).toBe('is not an https address')
    expect(fault('http://127.0.0.1/a', true)).toBeUndefined()
    expect(fault('ftp://rates.example/a', true)).toBe('is not an https address')
  })

  it('suggest how to allow this machine, if the caller has a way', () => {
    const hint = 'use --allow-private-addresses if that is meant'
    expect(() => readRemoteUrl('http://127.0.0.1/a', { allowsPrivate: false, hint })).toThrow(
      `is not an https address: ${hint}`,
    )
    expect(() => readRemoteUrl('http://rates.example/a', { allowsPrivate: false, hint })).toThrow(
      /^is not an https address$/,
    )
  })

  it('refuse a redirect from https to http', () => {
    expect(fault('http://127.0.0.1/a', true, 'https://127.0.0.1/b')).toContain('from https to another protocol')
    expect(fault('/a', true, 'https://127.0.0.1/b')).toBeUndefined()
  })

  it('refuse a password in a URL', () => {
    expect(fault('https://user:secret@rates.example/a')).toBe('has a user name or password in its URL')
  })
})

describe('the check of a host name’s addresses', () => {
  const addresses = [
    { address: '8.8.8.8', family: 4 },
    { address: '10.0.0.1', family: 4 },
  ]
  const lookUp = (resolved: typeof addresses, allowsPrivate: boolean, all: boolean) =>
    new Promise<unknown>((resolve) => {
      const resolveName = (
        _host: string,
        _options: object,
        callback: (error: null, resolved: typeof addresses) => void,
      ) => callback(null, resolved)
      guardLookup({ allowsPrivate }, resolveName)('rates.example', { all }, (error, result) => resolve(error ?? result))
    })

  it('covers all addresses before one is dialled', async () => {
    const refused = new AddressRefused('rates.example: 10.0.0.1 is in a private network')
    expect(await lookUp(addresses, false, true)).toEqual(refused)
    expect(await lookUp(addresses, false, false)).toEqual(refused)
    expect(await lookUp(addresses, true, true)).toEqual(addresses)
    expect(await lookUp(addresses.slice(0, 1), false, false)).toBe('8.8.8.8')
  })

  it('refuses a metadata service in any case', () => {
    expect(findAddressFault('169.254.169.254', { allowsPrivate: true })).toBe('169.254.169.254 is not a public address')
  })
})
