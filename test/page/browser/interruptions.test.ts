import type { Page, Route } from 'playwright-core'
import { describe, expect, inject, it } from 'vitest'
import { completeSearch } from '../../conformance/client.ts'
import { gold, largeSearch, smallSearch } from '../../conformance/samples.ts'
import { hasChromium, useChromium } from './chromium.ts'
import { awaitResult, choosePlans, expectAccessible, openAbout, openTab, signIn } from './open-tab.ts'
import { isSigned } from './signed-files.ts'

const { baseUrl, refusedKeys } = inject('service')

/** Sends a request with a signature that the storage refuses, as it refuses one that has expired. */
const refuse = (route: Route) =>
  route.continue({
    url: route
      .request()
      .url()
      .replace(/(?<=X-Amz-Signature=)./, 'x'),
  })

/** Loads the page again by the button of a part that could not be loaded, and lets all requests through. */
async function loadAgain(page: Page): Promise<void> {
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  await page.getByRole('button', { name: 'Load the page again' }).click()
}

/** Counts the status calls of a page. */
function countStatusCalls(page: Page, jobId: string) {
  const count = { calls: 0 }
  page.on('request', (request) => {
    if (request.url().endsWith(`/v1/searches/${jobId}`)) count.calls += 1
  })
  return count
}

describe.skipIf(!hasChromium)('the page', () => {
  const browser = useChromium()

  it('requests fresh URLs by one call if they expire in the middle of a preview', async () => {
    const { job_id } = await completeSearch(largeSearch)
    const { page, close } = await openTab(browser(), {}, `#/searches/${job_id}`)
    const status = countStatusCalls(page, job_id)
    let reads = 0
    await page.route(isSigned, (route) => {
      reads += 1
      return reads === 2 ? refuse(route) : route.continue()
    })
    await signIn(page)
    await page.getByText(/^All [\d,]+ rows/).waitFor()
    expect(reads).toBeGreaterThan(2)
    expect(status.calls).toBe(2)
    await close()
  })

  it('says that the files are gone if fresh URLs are refused too', async () => {
    const { job_id } = await completeSearch(largeSearch)
    const { page, close } = await openTab(browser(), {}, `#/searches/${job_id}`)
    const status = countStatusCalls(page, job_id)
    await page.route(isSigned, refuse)
    await signIn(page)
    await page.getByText('The storage refuses to send the files').waitFor()
    expect(status.calls).toBe(2)
    // A request that is under way when the route ends may be lost: also that for the code of the tables.
    await awaitResult(page)
    await page.unroute(isSigned)
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByText(/^All [\d,]+ rows/).waitFor()
    await close()
  })

  it('requests a fresh URL for an expired link before it downloads', async () => {
    const { job_id } = await completeSearch(largeSearch)
    const { page, close } = await openTab(browser(), {}, `#/searches/${job_id}`)
    await signIn(page)
    await openAbout(page)
    const link = page.getByRole('link', { name: 'Download file 1' })
    await link.waitFor()
    const status = countStatusCalls(page, job_id)
    // A computer that slept for two hours.
    await page.clock.setFixedTime(new Date(Date.now() + 2 * 3600_000))
    const [download] = await Promise.all([page.waitForEvent('download'), link.click()])
    expect(await download.failure()).toBeNull()
    expect(status.calls).toBe(1)
    await close()
  })

  it('asks for another key if this one is revoked while a search is watched', async () => {
    const [revoked = ''] = refusedKeys
    const { job_id } = await completeSearch(largeSearch)
    const { page, close } = await openTab(browser(), {}, `#/searches/${job_id}`)
    await signIn(page)
    await page.getByText(/^All [\d,]+ rows/).waitFor()
    await page.route('**/v1/**', (route) =>
      route.continue({ headers: { ...route.request().headers(), authorization: `Bearer ${revoked}` } }),
    )
    await page.getByRole('link', { name: 'Searches' }).click()
    await page.getByText('This key was revoked').waitFor()
    await expect.poll(() => page.getByText('About this search').count()).toBe(0)
    expect(await page.evaluate('sessionStorage.length')).toBe(0)
    await expectAccessible(page, 'key-revoked')
    await close()
  })

  it('says that it is offline, and goes on by itself when it is back', async () => {
    const { page, close } = await openTab(browser())
    await signIn(page)
    await page.getByRole('heading', { name: 'New search' }).waitFor()
    await page.context().setOffline(true)
    await page.getByRole('link', { name: 'Searches' }).click()
    await page.getByText('You are offline.').waitFor()
    await expectAccessible(page, 'offline')
    await page.context().setOffline(false)
    await page.getByRole('table').or(page.getByText('Your organization has no searches')).waitFor()
    await expect.poll(() => page.getByText('You are offline.').count()).toBe(0)
    await close()
  })

  it('keeps what was typed while offline, and starts the search once when asked again', async () => {
    const { page, close } = await openTab(browser())
    await signIn(page)
    await choosePlans(page, gold.plan)
    await page.getByLabel('Billing codes').fill('99213')
    await page.getByText(/^Reads /).waitFor()
    await page.context().setOffline(true)
    await page.getByRole('button', { name: 'Start search' }).click()
    await page.getByText('You are offline.').waitFor()
    await page.context().setOffline(false)
    const keys = new Set<string | undefined>()
    page.on('request', (request) => {
      if (request.method() === 'POST') keys.add(request.headers()['idempotency-key'])
    })
    await page.getByRole('button', { name: 'Try again' }).click()
    await awaitResult(page)
    expect(keys.size).toBe(1)
    await close()
  })

  it('works on a slow network, and says what it waits for', async () => {
    const { job_id } = await completeSearch(largeSearch)
    const { page, close } = await openTab(browser(), {}, `#/searches/${job_id}`)
    const devtools = await page.context().newCDPSession(page)
    // Source: Lighthouse, "slow 4G".
    const slow = { offline: false, latency: 560, downloadThroughput: 180_000, uploadThroughput: 84_000 }
    await devtools.send('Network.enable')
    await devtools.send('Network.emulateNetworkConditions', slow)
    await signIn(page)
    await page.getByRole('button', { name: 'Checking …' }).waitFor()
    await page.getByText('Loading …').waitFor()
    await page.getByText('Reading the rows …').waitFor()
    await page.getByText(/^All [\d,]+ rows/).waitFor()
    await expect.poll(() => page.getByRole('region', { name: 'Rows' }).getByRole('table').count()).toBe(1)
    await close()
  })

  const damages: readonly (readonly [reason: string, answer: (route: Route) => Promise<void>])[] = [
    ['cannot be loaded', (route) => route.abort()],
    [
      'is of another build, because the service was updated',
      async (route) => {
        const script = await (await route.fetch()).text()
        // Without the ETag of the real file, for which the browser would keep this one.
        await route.fulfill({ contentType: 'text/javascript', body: script.replace(/"[0-9a-f]{16}"/, '"another"') })
      },
    ],
  ]

  it.each(damages)('offers to load the page again if a part of it %s', async (_, answer) => {
    const { job_id } = await completeSearch(smallSearch)
    const { page, close } = await openTab(browser(), {}, `#/searches/${job_id}`)
    await page.route('**/search-view.js?*', answer)
    await signIn(page)
    await page.getByText('A part of the page could not be loaded.').waitFor()
    await expectAccessible(page, 'part-not-loaded')
    await loadAgain(page)
    await page.getByText('All 16 rows of the result').waitFor()
    await close()
  })

  it.each(damages)('shows the answer and the plot if what follows them %s', async (_, answer) => {
    const { job_id } = await completeSearch(smallSearch)
    const { page, close } = await openTab(browser(), {}, `#/searches/${job_id}`)
    await page.route('**/search-parts.js?*', answer)
    await signIn(page)
    await page.getByText('A part of the page could not be loaded.').waitFor()
    expect(await page.locator('.lead').count()).toBe(1)
    expect(await page.locator('.strip').count()).toBeGreaterThan(0)
    await expectAccessible(page, 'rest-not-loaded')
    await loadAgain(page)
    await page.getByText('All 16 rows of the result').waitFor()
    await close()
  })

  it('offers to load the page again if the form cannot be loaded, and keeps what its link has', async () => {
    const { page, close } = await openTab(browser())
    await page.route('**/new-search.js?*', (route) => route.abort())
    await page.goto('about:blank')
    await page.goto(`${baseUrl}/#/?codes=99213`)
    await signIn(page)
    await page.getByText('A part of the page could not be loaded.').waitFor()
    await loadAgain(page)
    await expect.poll(() => page.getByLabel('Billing codes').inputValue()).toBe('99213')
    await close()
  })

  it('reads a result before it loads what follows the plot, and moves nothing by it', async () => {
    const { job_id } = await completeSearch(smallSearch)
    const { page, close } = await openTab(browser(), {}, `#/searches/${job_id}`)
    const release = Promise.withResolvers<void>()
    await page.route('**/search-parts.js?*', async (route) => {
      await release.promise
      await route.continue()
    })
    await signIn(page)
    await page.locator('.strip').first().waitFor()
    const measure = () =>
      page.evaluate(
        "[...document.querySelectorAll('.lead, .strip, .axis')].map((part) => part.getBoundingClientRect().top)",
      )
    const before = await measure()
    release.resolve()
    await awaitResult(page)
    expect(await measure()).toEqual(before)
    await close()
  })
})
