import { beforeAll, describe, expect, it } from 'vitest'
import { sendBare } from '../bare-request.ts'
import { completeSearch, ownKey, service } from '../client.ts'
import { largeSearch } from '../samples.ts'

let url: URL
let otherUrl: URL
beforeAll(async () => {
  const { download_urls } = await completeSearch(largeSearch)
  const [first, last] = [download_urls.at(0), download_urls.at(-1)]
  if (first === undefined || last === undefined) throw new Error('a completed job without URLs')
  url = new URL(first)
  otherUrl = new URL(last)
})

function change(name: string, edit: (value: string) => string): string {
  const changed = new URL(url)
  changed.searchParams.set(name, edit(changed.searchParams.get(name) ?? ''))
  return changed.href
}

async function statusOf(address: string, options?: Parameters<typeof sendBare>[1]): Promise<number> {
  return (await sendBare(address, options)).status
}

describe('a download URL', () => {
  it('works with no header but the host', async () => {
    expect(url.searchParams.get('X-Amz-SignedHeaders')).toBe('host')
    expect(await statusOf(url.href)).toBe(200)
  })
})

// Reported as skipped if the storage does not check signatures.
describe.skipIf(service.allowsUnsigned)('a changed download URL', () => {
  it.each([
    ['X-Amz-Signature', (hex: string) => hex.slice(0, -1) + (hex.endsWith('0') ? '1' : '0')],
    ['X-Amz-Expires', (seconds: string) => String(Number(seconds) + 1)],
    ['X-Amz-Date', (date: string) => date.replace(/^\d{4}/, '2099')],
    ['response-content-disposition', () => 'attachment; filename="evil.exe"'],
    ['response-content-type', () => 'text/html'],
  ])('gets 403 if its %s is changed or added', async (name, edit) => {
    expect(await statusOf(change(name, edit))).toBe(403)
  })

  it.skipIf(service.shards < 2)("gets 403 if its path is changed to another file's", async () => {
    const changed = new URL(url)
    changed.pathname = otherUrl.pathname
    expect(changed.href).not.toBe(url.href)
    expect(await statusOf(changed.href)).toBe(403)
  })

  it('gets 403 if all parameters are missing', async () => {
    expect(await statusOf(url.origin + url.pathname)).toBe(403)
  })

  it.each(['HEAD', 'PUT', 'DELETE'])(
    'gets 403 if the method is %s, because it is signed only for GET',
    async (method) => {
      expect(await statusOf(url.href, { method })).toBe(403)
    },
  )

  it('gets 403 if it is changed to list the files', async () => {
    const bucket = new URL(url)
    bucket.pathname = url.pathname.slice(0, url.pathname.indexOf('/results/') + 1)
    expect(await statusOf(bucket.href)).toBe(403)
    bucket.search = ''
    expect(await statusOf(bucket.href)).toBe(403)
  })
})

describe.skipIf(service.allowsUnsigned)('a download URL with an Authorization header', () => {
  it('gets 400, because the API key must not be sent to storage', async () => {
    expect(await statusOf(url.href, { headers: { Authorization: `Bearer ${ownKey}` } })).toBe(400)
  })
})
