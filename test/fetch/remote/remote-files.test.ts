import { randomBytes } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { RemoteFiles } from '../../../fetch/remote/remote-files.ts'
import { SignedLocations } from '../../../fetch/remote/signed-locations.ts'
import { listen } from '../../../local/http-server.ts'
import { type PayerFile, type PayerSite, startPayerSite } from '../../doubles/payer-site.ts'

const body = randomBytes(300_000)
const path = '/rates.json.gz'

let site: PayerSite
let remote: RemoteFiles
let pauses: number[]
let now: Date

beforeEach(async () => {
  site = await startPayerSite()
  pauses = []
  now = site.now
  remote = openRemote()
})

afterEach(async () => {
  await remote[Symbol.asyncDispose]()
  await site[Symbol.asyncDispose]()
  vi.unstubAllEnvs()
})

function openRemote(settings: { readonly allowPrivateAddresses?: boolean; readonly idleTimeout?: number } = {}) {
  return new RemoteFiles(
    { userAgent: 'test', connections: 4, allowPrivateAddresses: true, ...settings },
    {
      locations: new SignedLocations(() => now),
      waiting: { sleep: async (milliseconds) => pauses.push(milliseconds), random: () => 0.5 },
      now: () => now,
    },
  )
}

const serve = (file: Partial<PayerFile>) => site.files.set(path, { body, ...file })

async function read(address = `${site.url}${path}`) {
  await using bytes = await remote.open(address)
  const chunks: Buffer[] = []
  for await (const chunk of bytes.chunks) chunks.push(chunk)
  return { bytes: Buffer.concat(chunks), facts: bytes.facts }
}

const ranges = () => site.requests.map(({ range }) => range)

describe('a remote file', () => {
  it('arrives whole, with its size and strong entity tag', async () => {
    serve({ etag: '"v1"' })
    const { bytes, facts } = await read()
    expect(bytes.equals(body)).toBe(true)
    expect(facts).toEqual({ address: `${site.url}${path}`, encoding: undefined, size: body.length, etag: '"v1"' })
    expect(site.requests[0]?.headers).toMatchObject({ 'user-agent': 'test', 'accept-encoding': 'identity' })
  })

  it('arrives whole if its reader is slower than its server', async () => {
    const long = randomBytes(20_000_000)
    serve({ body: long, cutAfter: 12_000_000, cuts: 1 })
    await using bytes = await remote.open(`${site.url}${path}`)
    const chunks: Buffer[] = []
    for await (const chunk of bytes.chunks) {
      chunks.push(chunk)
      await setImmediate()
    }
    expect(Buffer.concat(chunks).equals(long)).toBe(true)
    expect(site.sentOf(path)).toBe(long.length)
  })

  it('continues where it was cut, and fetches no byte twice', async () => {
    serve({ cutAfter: 70_001 })
    const { bytes } = await read()
    expect(bytes.equals(body)).toBe(true)
    expect(ranges()).toEqual([undefined, 'bytes=70001-', 'bytes=140002-', 'bytes=210003-', 'bytes=280004-'])
    expect(site.sentOf(path)).toBe(body.length)
    expect(pauses).toEqual([])
  })

  it.each<[title: string, file: Partial<PayerFile>]>([
    ['has a weak entity tag', { etag: 'W/"v1"' }],
    ['has no entity tag', { etag: null }],
    ['is on a server that ignores ranges', { ranges: false }],
    ['does not say its size', { chunked: true, etag: null }],
    ['is on a server that answers with other ranges', { shift: 10 }],
  ])('starts again if it was cut and %s', async (_title, file) => {
    serve({ ...file, cutAfter: 100_000, cuts: 1 })
    const { bytes } = await read()
    expect(bytes.equals(body)).toBe(true)
    expect(site.requests.at(-1)?.sent).toBe(body.length)
  })

  it.each<[title: string, etag: string | null]>([
    ['with another strong entity tag', '"v2"'],
    ['without an entity tag', null],
  ])('refuses to join bytes of a file with its replacement %s', async (_title, etag) => {
    serve({ etag: etag === null ? null : '"v1"', cutAfter: 100_000, cuts: 1 })
    await using bytes = await remote.open(`${site.url}${path}`)
    serve({ etag, body: Buffer.concat([Buffer.from('other'), body.subarray(5)]) })
    const reading = async () => {
      for await (const _ of bytes.chunks);
    }
    await expect(reading()).rejects.toThrow(`${site.url}${path}: was replaced on its server while it was read`)
  })

  it('continues with a replacement that has the same beginning', async () => {
    serve({ etag: '"v1"', cutAfter: 100_000, cuts: 1 })
    await using bytes = await remote.open(`${site.url}${path}`)
    const longer = Buffer.concat([body, Buffer.from('more')])
    serve({ etag: '"v2"', body: longer })
    const chunks: Buffer[] = []
    for await (const chunk of bytes.chunks) chunks.push(chunk)
    expect(Buffer.concat(chunks).equals(longer)).toBe(true)
    expect(bytes.facts).toEqual({
      address: `${site.url}${path}`,
      encoding: undefined,
      size: longer.length,
      etag: '"v2"',
    })
  })

  it('fails if its server states a greater length than it sends', async () => {
    serve({ declared: body.length + 10 })
    await expect(read()).rejects.toThrow(/rates\.json\.gz: cannot be fetched: its server cuts the connection/)
  })

  it('fails after eight attempts without a new byte, with growing pauses', async () => {
    serve({ cutAfter: 0 })
    await expect(read()).rejects.toThrow('its server cuts the connection')
    expect(site.requests).toHaveLength(8)
    expect(pauses).toEqual([750, 1500, 3000, 6000, 12_000, 24_000])
  })

  it('fails if its server sends less than 10 kB a second for ten minutes', async () => {
    const server = await listen(async (_request, response) => {
      for (let sent = 0; sent < 300 && !response.destroyed; sent++) {
        response.write('x')
        await setImmediate()
        now = new Date(now.getTime() + 3000)
      }
      response.end()
    })
    await expect(read(`${server.url}/drips.json`)).rejects.toThrow('its server sends less than 10 kB a second')
    await server.close()
  })

  it('arrives whole if its reader takes hours, and after pauses that its server asked for', async () => {
    serve({ cutAfter: 100_000, instead: [{ status: 503, headers: { 'retry-after': '599' } }] })
    await using bytes = await remote.open(`${site.url}${path}`)
    let length = 0
    for await (const chunk of bytes.chunks) {
      length += chunk.length
      now = new Date(now.getTime() + 3_600_000)
    }
    expect(length).toBe(body.length)
  })

  it.each([429, 503])('asks a server again that answers %d, after the time that it states', async (status) => {
    serve({ instead: [{ status, headers: { 'retry-after': '7' } }, { status }] })
    const { bytes } = await read()
    expect(bytes.equals(body)).toBe(true)
    expect(pauses).toEqual([7000, 1000])
  })

  it('fails if its server asks for a pause of more than ten minutes', async () => {
    serve({ instead: [{ status: 503, headers: { 'retry-after': 'Fri, 20 Nov 2026 10:30:00 GMT' } }] })
    await expect(read()).rejects.toThrow('rates.json.gz: answers 503 Service Unavailable')
    expect(pauses).toEqual([])
  })

  it.each([404, 410, 500])('fails with the status of its server, such as %d', async (status) => {
    serve({ instead: Array.from({ length: 9 }, () => ({ status })) })
    await expect(read()).rejects.toThrow(`rates.json.gz: answers ${status} `)
  })

  it('reports its facts without its body being read', async () => {
    serve({ etag: '"v1"' })
    expect(await remote.probe(`${site.url}${path}`)).toEqual({
      address: `${site.url}${path}`,
      encoding: undefined,
      size: body.length,
      etag: '"v1"',
    })
    expect(site.sentOf(path)).toBe(1)
  })

  it('reports its facts on a server that ignores ranges', async () => {
    serve({ etag: 'W/"v1"', ranges: false })
    expect(await remote.probe(`${site.url}${path}`)).toEqual({
      address: `${site.url}${path}`,
      encoding: undefined,
      size: body.length,
      etag: undefined,
    })
  })

  it('arrives through redirects', async () => {
    serve({})
    const location = `${site.url}${path}`
    site.files.set('/old', { body, instead: [{ status: 302, headers: { location: '/older' } }] })
    site.files.set('/older', { body, instead: [{ status: 307, headers: { location } }] })
    expect((await read(`${site.url}/old`)).bytes.equals(body)).toBe(true)
  })

  it('fails if redirects do not end', async () => {
    const redirect = { status: 301, headers: { location: '/again' } }
    site.files.set('/again', { body, instead: Array.from({ length: 9 }, () => redirect) })
    await expect(read(`${site.url}/again`)).rejects.toThrow('redirects more than 5 times')
  })

  it('refuses a redirect to a metadata service', async () => {
    const location = 'http://169.254.169.254/latest/meta-data?secret=1'
    site.files.set('/meta', { body, instead: [{ status: 302, headers: { location } }] })
    await expect(read(`${site.url}/meta`)).rejects.toThrow(/meta: (is not an https|169\.254\.169\.254)/)
  })

  it('refuses an address on this machine unless private addresses are allowed', async () => {
    serve({})
    await using strict = openRemote({ allowPrivateAddresses: false })
    await expect(strict.open(`${site.url}${path}`)).rejects.toThrow('is not an https address')
    expect(site.requests).toEqual([])
  })

  it('refuses a host name that leads to a private address', async () => {
    await using strict = openRemote({ allowPrivateAddresses: false })
    const opening = strict.open(`https://localhost:${new URL(site.url).port}${path}`)
    await expect(opening).rejects.toThrow(/localhost: .* is in a private network: use --allow-private-addresses/)
  })

  it('asks a server again that stops sending', async () => {
    await using hasty = openRemote({ idleTimeout: 100 })
    serve({ cutAfter: 120_000, stalls: true, cuts: 1 })
    await using bytes = await hasty.open(`${site.url}${path}`)
    const chunks: Buffer[] = []
    for await (const chunk of bytes.chunks) chunks.push(chunk)
    expect(Buffer.concat(chunks).equals(body)).toBe(true)
    expect(ranges()).toEqual([undefined, 'bytes=120000-'])
  })

  it('ends its request when it is closed before it is read', async () => {
    serve({ body: Buffer.alloc(50_000_000) })
    const bytes = await remote.open(`${site.url}${path}`)
    expect(await bytes.chunks.next()).toMatchObject({ done: false })
    await bytes[Symbol.asyncDispose]()
    expect(await bytes.chunks.next()).toEqual({ done: true, value: undefined })
  })

  it('ends its request when it is closed while its reader waits for bytes', async () => {
    serve({ cutAfter: 0, stalls: true })
    const bytes = await remote.open(`${site.url}${path}`)
    const waiting = bytes.chunks.next()
    await bytes[Symbol.asyncDispose]()
    await expect(waiting).rejects.toThrow('not needed any more')
  })

  it('arrives from this machine itself, whatever proxies the environment names', async () => {
    serve({})
    for (const name of ['HTTP_PROXY', 'http_proxy', 'ALL_PROXY']) vi.stubEnv(name, 'http://127.0.0.1:9')
    expect((await read()).bytes.equals(body)).toBe(true)
  })

  it('stops its request when the load is stopped', async () => {
    const stopping = new AbortController()
    serve({ onRequest: () => stopping.abort(new Error('stopped')) })
    await expect(remote.open(`${site.url}${path}`, stopping.signal)).rejects.toThrow('stopped')
  })
})
