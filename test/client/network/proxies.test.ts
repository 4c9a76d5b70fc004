import { describe, expect, it } from 'vitest'
import { type Environment, findProxy } from '../../../client/network/proxies.ts'

const find = (address: string, environment: Environment) => {
  const proxy = findProxy(new URL(address), environment)
  return proxy && `${proxy.variable} ${proxy.url.href}`
}

const every = { HTTP_PROXY: 'http://h:1', HTTPS_PROXY: 'http://s:2', ALL_PROXY: 'http://a:3' }

describe('the proxy of an address', () => {
  it.each<[string, Environment, string | undefined]>([
    ['https://rates.example', {}, undefined],
    ['https://rates.example', every, 'HTTPS_PROXY http://s:2/'],
    ['http://rates.example', every, 'HTTP_PROXY http://h:1/'],
    ['https://rates.example', { HTTP_PROXY: 'http://h:1' }, undefined],
    ['https://rates.example', { all_proxy: 'a:3' }, 'all_proxy http://a:3/'],
    ['https://rates.example', { ...every, https_proxy: 'https://l:4' }, 'https_proxy https://l:4/'],
    ['https://rates.example', { HTTPS_PROXY: 's:2', https_proxy: '' }, undefined],
    ['https://rates.example', { HTTPS_PROXY: 'http://user:word@s:2' }, 'HTTPS_PROXY http://user:word@s:2/'],
  ])('follows the conventions of curl: for %s and %j, %s', (address, environment, proxy) => {
    expect(find(address, environment)).toBe(proxy)
  })

  it.each([
    ...['localhost', 'LOCALHOST', 'localhost.', 'a.localhost', '127.0.0.1', '127.1', '127.8.9.1', '2130706433'],
    ...['0x7f.1', '0.0.0.0', '[::1]', '[0:0:0:0:0:0:0:1]', '[::ffff:127.0.0.1]', '[::]'],
  ])('does not exist for this machine, spelled %s', (host) => {
    for (const protocol of ['http', 'https']) expect(find(`${protocol}://${host}:3000/v1`, every)).toBeUndefined()
  })

  it.each([
    ['rates.example', 'https://rates.example', true],
    ['rates.example', 'https://api.rates.example', true],
    ['.rates.example', 'https://api.rates.example', true],
    ['*.rates.example', 'https://api.rates.example', true],
    ['RATES.example', 'https://rates.EXAMPLE.', true],
    ['rates.example', 'https://otherrates.example', false],
    ['a.example, rates.example', 'https://rates.example', true],
    ['a.example rates.example', 'https://rates.example', true],
    ['*', 'https://rates.example', true],
    ['rates.example:443', 'https://rates.example', true],
    ['rates.example:8443', 'https://rates.example', false],
    ['.example:8443', 'https://rates.example:8443', true],
    ['10.1.2.3', 'https://10.1.2.3', true],
    ['10.0.0.0/8', 'https://10.1.2.3', true],
    ['10.0.0.0/8', 'https://11.1.2.3', false],
    ['10.0.0.0/99', 'https://10.1.2.3', false],
    ['fd00::/8', 'https://[fd00::5]', true],
    ['[fd00::5]:443', 'https://[fd00::5]', true],
    ['fd00::5', 'https://[fd00::5]', true],
    ['', 'https://rates.example', false],
  ])('respects NO_PROXY="%s" for %s: %s', (exceptions, address, isExcepted) => {
    for (const name of ['NO_PROXY', 'no_proxy'])
      expect(find(address, { ...every, [name]: exceptions }) === undefined).toBe(isExcepted)
  })

  it.each([
    [
      'socks5://s:1080',
      'HTTPS_PROXY must name a proxy as in http://proxy.example:8080, but it names a proxy of socks5',
    ],
    ['http://', 'but its value is no address'],
  ])('must speak HTTP, unlike %s', (value, message) => {
    expect(() => find('https://rates.example', { HTTPS_PROXY: value })).toThrow(message)
    expect(find('http://localhost', { HTTP_PROXY: value })).toBeUndefined()
  })
})
