import type { Route } from 'playwright-core'
import { describe, expect, inject, it } from 'vitest'
import { hasChromium, useChromium } from '../chromium.ts'
import { expectAccessible, openTab, signIn } from '../open-tab.ts'

const { baseUrl, keys } = inject('service')

describe.skipIf(!hasChromium)('a link that signs in', () => {
  const browser = useChromium()

  it('exchanges its token for a key, and leaves none of them in the address', async () => {
    const { page, complaints, close } = await openTab(browser())
    const tokens: (string | null)[] = []
    await page.route('**/local/sign-in', (route: Route) => {
      tokens.push(route.request().postData())
      return route.fulfill({ contentType: 'text/plain', body: keys[0] })
    })
    // The tab has the page already, as that of somebody who starts the service again.
    await page.goto(`${baseUrl}/#/?codes=99213&sign_in=token-1`)
    await expect.poll(() => page.getByLabel('Billing codes').inputValue()).toBe('99213')
    expect(new URL(page.url()).hash).toBe('#/?codes=99213')
    expect(tokens).toEqual(['token-1'])
    await page.reload()
    await page.getByRole('heading', { name: 'New search' }).waitFor()
    expect(tokens).toHaveLength(1)
    expect(complaints).toEqual([])
    await close()
  })

  it('asks for a key if its token was used, and keeps the form of the link', async () => {
    // The service under test has no such call, as a deployed one.
    const { page, close } = await openTab(browser(), {}, '#/?codes=99213&sign_in=token-1')
    await page.getByText('This link signs in only once. Enter the key.').waitFor()
    expect(new URL(page.url()).hash).toBe('#/?codes=99213')
    await expectAccessible(page, 'used-link')
    await signIn(page)
    await expect.poll(() => page.getByLabel('Billing codes').inputValue()).toBe('99213')
    await close()
  })
})
