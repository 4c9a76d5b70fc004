import { signExpiredUrl } from '../../adapters/s3/s3-expired-url.ts'
import type { CompletedSearch } from '../../client/api.ts'
import { createFetch } from '../../client/network/create-fetch.ts'
import { processEnvironment } from '../../client/network/proxies.ts'
import { CheckFailed } from './checks.ts'

/** Longest time for which a URL may be valid, in milliseconds. */
const longestLife = 3_600_000

/**
 * Tries whether storage refuses a result's URLs that were changed or have expired.
 *
 * @param isEmulated true if storage may ignore signatures
 * @returns the description of what was seen
 * @throws CheckFailed if storage serves a file that it must not serve
 */
export async function tryUrls(
  { download_urls, expires_at }: CompletedSearch,
  isEmulated: boolean,
  signal: AbortSignal,
): Promise<string> {
  const [url] = download_urls
  if (url === undefined) throw new CheckFailed('the completed search has no URL')
  const fetchUrl = createFetch(processEnvironment)
  const statusOf = async (address: string) => {
    const response = await fetchUrl(address, { signal, headers: { Range: 'bytes=0-3' } })
    await response.body?.cancel()
    return response.status
  }
  const lifetime = new Date(expires_at).getTime() - Date.now()
  if (lifetime > longestLife) throw new CheckFailed(`the URLs are valid until ${expires_at}, longer than an hour`)
  const status = await statusOf(url)
  if (status !== 206 && status !== 200) throw new CheckFailed(`a fresh URL is answered ${status}`)
  const forged = {
    tampered: tamperWith(url),
    unsigned: url.slice(0, url.indexOf('?')),
    expired: await signExpiredUrl(url, new Date()),
  }
  const statuses = await Promise.all(
    Object.entries(forged).map(async ([name, to]) => [name, await statusOf(to)] as const),
  )
  const served = statuses.filter(([, each]) => each !== 403)
  const answers = statuses.map(([name, each]) => `${name} ${each}`).join(', ')
  const description = `${answers}; valid for ${Math.round(lifetime / 60_000)} minutes`
  if (served.length === 0) return description
  if (isEmulated) return `${description} (the emulator ignores signatures: not a finding)`
  throw new CheckFailed(`must be 403: ${answers}`)
}

/** Changes one digit of a URL's signature. */
export function tamperWith(url: string): string {
  return url.replace(
    /(X-Amz-Signature=)([0-9a-f])/,
    (_, name: string, digit: string) => `${name}${digit === '0' ? '1' : '0'}`,
  )
}
