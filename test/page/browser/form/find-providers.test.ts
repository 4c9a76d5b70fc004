import { describe, expect, it } from 'vitest'
import { hasChromium, useChromium } from '../chromium.ts'
import { expectAccessible, openFilters, openTab, signIn } from '../open-tab.ts'

describe.skipIf(!hasChromium)('the field for names of providers', () => {
  const browser = useChromium()

  it('adds the NPI of a provider that is found by a name and a state, and says what a text lacks', async () => {
    const { page, complaints, close } = await openTab(browser())
    await signIn(page)
    await openFilters(page)
    const names = page.getByRole('combobox', { name: 'Find providers by name' })
    await names.fill('jankowski')
    await page.getByText('Add a state, such as OR, or a ZIP code.').waitFor()
    await names.fill('jankowski OR')
    await page.getByRole('option', { name: /GRACE JANKOWSKI.*NPI 1000100010/ }).waitFor()
    await expectAccessible(page, 'provider-names')
    await names.press('ArrowDown')
    const npi = /NPI (\d{10})/.exec((await page.getByRole('option', { selected: true }).textContent()) ?? '')?.[1]
    await names.press('Enter')
    await expect.poll(() => page.getByLabel('NPIs', { exact: true }).inputValue()).toBe(npi)
    await names.fill('nobody OR')
    await page.getByText('No provider there has these words in its name.').waitFor()
    expect(complaints).toEqual([])
    await close()
  })

  it('says so if the service read only a part of the providers, or has no month of NPPES', async () => {
    const { page, close } = await openTab(browser())
    const part = { providers: [], nppes_month: '2026-11', complete: false, stopped_by: 'bytes' }
    await page.route('**/v1/providers*', (route) => route.fulfill({ json: part }))
    await signIn(page)
    await openFilters(page)
    const names = page.getByRole('combobox', { name: 'Find providers by name' })
    await names.fill('smith CA')
    await page.getByText('Too many providers to look through: add a ZIP code, or more of the name.').waitFor()
    await page.unrouteAll()
    await page.route('**/v1/providers*', (route) =>
      route.fulfill({ status: 400, json: { error: { code: 'invalid_request', message: 'zip: cannot be looked up' } } }),
    )
    await names.fill('smith NY')
    await page.getByText('Providers cannot be looked up here: enter their NPIs.').waitFor()
    expect(await page.getByRole('option').count()).toBe(0)
    await close()
  })
})
