import { beforeEach, describe, expect, it } from 'vitest'
import { readExpiry } from '../../../fetch/remote/signature-expiry.ts'
import { SignedLocations } from '../../../fetch/remote/signed-locations.ts'

const address = 'https://rates.example/a.json'
const signed = (date: string, seconds = 3600) =>
  `${address}?X-Amz-Date=${date}&X-Amz-Expires=${seconds}&X-Amz-Signature=a`
const first = signed('20261120T090000Z')
const second = signed('20261120T110000Z')

let now: Date
let locations: SignedLocations
let listings: number

beforeEach(() => {
  now = new Date('2026-11-20T09:30:00Z')
  locations = new SignedLocations(() => now)
  listings = 0
})

const lists = (file: string) => file !== 'https://rates.example/toc.json'

/** Lets each listing return these URLs. */
function relistAs(...urls: readonly string[]) {
  locations.relistBy({
    lists,
    relist: async () => {
      listings++
      for (const url of urls) locations.learn(url)
    },
  })
}

describe('the location of a signed file', () => {
  it('equals the latest URL that was learned', () => {
    expect(locations.learn(first)).toBe(address)
    expect(locations.latestUrl(address)).toBe(first)
    locations.learn(second)
    expect(locations.latestUrl(address)).toBe(second)
  })

  it('stays when its address is learned', () => {
    locations.learn(first)
    locations.learn(address)
    expect(locations.latestUrl(address)).toBe(first)
  })

  it('comes from a new listing after its expiry, made once for all requests', async () => {
    locations.learn(first)
    relistAs(second)
    now = new Date('2026-11-20T11:00:00Z')
    const renewed = await Promise.all([1, 2, 3].map(() => locations.renew(address, first)))
    expect({ renewed, listings }).toEqual({ renewed: [second, second, second], listings: 1 })
  })

  it('needs no new listing if another URL was learned since', async () => {
    locations.learn(first)
    relistAs(second)
    locations.learn(second)
    now = new Date('2026-11-20T11:00:00Z')
    expect(await locations.renew(address, first)).toBe(second)
    expect(listings).toBe(0)
  })

  it.each<[title: string, location: string]>([
    ['it has not expired', first],
    ['it had expired before it was listed', signed('20261119T090000Z')],
    ['it is not signed', address],
  ])('needs no new listing if %s', async (_title, location) => {
    locations.learn(location)
    relistAs(second)
    now = new Date('2026-11-20T09:40:00Z')
    expect(await locations.renew(address, location)).toBeUndefined()
    expect(listings).toBe(0)
  })

  it('comes from a new listing after ten minutes if its signature states no expiry', async () => {
    const vague = `${address}?Signature=a&Key-Pair-Id=b`
    locations.learn(vague)
    relistAs(second)
    expect(await locations.renew(address, vague)).toBeUndefined()
    now = new Date('2026-11-20T09:40:00Z')
    expect(await locations.renew(address, vague)).toBe(second)
  })

  it('stays for the list itself and for a file that was never listed', async () => {
    const toc = 'https://rates.example/toc.json?Signature=a&Expires=1'
    locations.learn(toc)
    relistAs(second)
    expect(await locations.renew('https://rates.example/toc.json', toc)).toBeUndefined()
    expect(
      await locations.renew('https://rates.example/other.json', 'https://rates.example/other.json'),
    ).toBeUndefined()
  })

  it('comes from a new listing only if it was listed before its signature expired', async () => {
    relistAs(second)
    now = new Date('2026-11-20T11:00:00Z')
    locations.learn(first)
    expect(await locations.renew(address, first)).toBeUndefined()
    locations.learn(first, new Date('2026-11-20T09:30:00Z'))
    expect(await locations.renew(address, first)).toBe(second)
  })

  it('comes from another listing after one that failed', async () => {
    locations.learn(first)
    now = new Date('2026-11-20T11:00:00Z')
    locations.relistBy({ lists, relist: () => Promise.reject(new Error('gone')) })
    await expect(locations.renew(address, first)).rejects.toThrow('gone')
    relistAs(second)
    expect(await locations.renew(address, first)).toBe(second)
  })
})

describe('the expiry of a signed URL', () => {
  const policy = Buffer.from('{"Statement":[{"Condition":{"DateLessThan":{"AWS:EpochTime":1763630000}}}]}')
  const packed = policy.toString('base64').replaceAll('+', '-').replaceAll('=', '_').replaceAll('/', '~')
  it.each([
    [
      'AWS Signature Version 4',
      'X-Amz-Date=20261120T090000Z&X-Amz-Expires=60&X-Amz-Signature=a',
      '2026-11-20T09:01:00.000Z',
    ],
    [
      'Google Cloud Storage V4',
      'X-Goog-Date=20261120T090000Z&X-Goog-Expires=60&X-Goog-Signature=a',
      '2026-11-20T09:01:00.000Z',
    ],
    ['CloudFront with a canned policy', 'Expires=1763630000&Signature=a&Key-Pair-Id=b', '2025-11-20T09:13:20.000Z'],
    ['CloudFront with a custom policy', `Policy=${packed}&Signature=a&Key-Pair-Id=b`, '2025-11-20T09:13:20.000Z'],
    ['Azure', 'sv=2022-11-02&se=2026-11-20T09%3A00%3A00Z&sr=b&sig=a', '2026-11-20T09:00:00.000Z'],
  ])('reads the signature of %s', (_title, query, expected) => {
    expect(readExpiry(`${address}?${query}`)?.toISOString()).toBe(expected)
  })

  it.each(['', '?se=2026-11-20', '?Signature=a', '?X-Amz-Date=yesterday&X-Amz-Expires=60'])(
    'returns nothing for "%s"',
    (query) => {
      expect(readExpiry(`${address}${query}`)).toBeUndefined()
    },
  )
})
