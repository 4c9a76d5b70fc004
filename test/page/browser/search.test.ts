import { readFile } from 'node:fs/promises'
import { parquetReadObjects } from 'hyparquet'
import { describe, expect, inject, it } from 'vitest'
import { findSampleRows, gold } from '../../conformance/samples.ts'
import { hasChromium, useChromium } from './chromium.ts'
import { awaitResult, choosePlans, expectAccessible, openAbout, openFilters, openTab, signIn } from './open-tab.ts'

describe.skipIf(!hasChromium)('a search on the page', () => {
  const browser = useChromium()

  it('goes from the first keystroke to the downloaded file by keyboard only', async () => {
    const { page, complaints, close } = await openTab(browser())
    const { keyboard } = page
    await page.getByRole('heading', { name: 'Rate search' }).waitFor()
    await keyboard.press('Tab')
    await keyboard.insertText(inject('service').keys[0])
    await keyboard.press('Enter')
    await page.getByRole('heading', { name: 'New search' }).waitFor()
    await page.getByRole('combobox', { name: 'Fee schedules' }).focus()
    await keyboard.type('harbor ppo')
    await page.getByRole('option', { name: gold.plan }).waitFor()
    await keyboard.press('ArrowDown')
    await keyboard.press('Enter')
    await page.getByRole('list', { name: 'Chosen fee schedules' }).getByText(gold.plan).first().waitFor()
    await keyboard.press('Tab')
    await keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement.id')).toBe('code-names')
    await keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement.id')).toBe('codes')
    await keyboard.insertText('99213\tCPT 27447\n99213')
    await page.getByText('2 billing codes').waitFor()
    await page.getByText('1 duplicate dropped').waitFor()
    await keyboard.press('Tab')
    await keyboard.press('Enter')
    await page.getByLabel('Find providers by name').first().waitFor()
    await keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement.id')).toBe('provider-names')
    await keyboard.press('Tab')
    await keyboard.insertText('1000100002, 1000100010')
    await page.getByText('2 NPIs').waitFor()
    for (const key of [...Array<string>(7).fill('Tab'), 'Enter']) await keyboard.press(key)
    await awaitResult(page)
    await page.locator('summary', { hasText: 'About this search' }).focus()
    await keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Files' }).waitFor()
    const link = page.getByRole('link', { name: 'Download the file' })
    await link.focus()
    const [download] = await Promise.all([page.waitForEvent('download'), keyboard.press('Enter')])
    const bytes = await readFile(await download.path())
    const rows = await parquetReadObjects({
      file: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length),
    })
    const filter = { npis: [1000100002, 1000100010], codes: ['99213', '27447'], plans: [gold] }
    expect(rows.length).toBe(findSampleRows(filter).length)
    expect(rows.length).toBeGreaterThan(0)
    expect(complaints).toEqual([])
    await close()
  })

  // Layout depends on the width, and contrast on the scheme: each is checked once.
  it.each([
    [320, 'dark'],
    [1200, 'light'],
  ] as const)('shows no axe findings in any view at %i pixels in the %s', async (width, colorScheme) => {
    const options = { viewport: { width, height: 900 }, colorScheme, reducedMotion: 'reduce' } as const
    const { page, complaints, close } = await openTab(browser(), options)
    const name = (view: string) => `${view}-${width}-${colorScheme}`
    await page.getByLabel('API key').waitFor()
    await expectAccessible(page, name('sign-in'))
    await signIn(page)
    await page.getByRole('combobox', { name: 'Fee schedules' }).fill('h')
    await page.getByRole('option', { name: gold.plan }).waitFor()
    await page.keyboard.press('ArrowDown')
    await expectAccessible(page, name('suggestions'))
    await choosePlans(page, gold.plan, 'Harbor HMO Silver')
    await page.getByLabel('Billing codes').fill('99213 99213 CPT:27447')
    await openFilters(page)
    await page.getByLabel('NPIs').fill('1234567890, 1234567893 1234567893 abc 123')
    await page.getByText('Not NPIs: abc, 123').waitFor()
    await page.getByText('Wrong check digit: 1234567890').waitFor()
    await page.getByRole('button', { name: 'Start search' }).click()
    await page.getByText('Correct or remove what could not be read.').waitFor()
    await expectAccessible(page, name('form'))
    await page.getByLabel('NPIs').fill('')
    await page.getByText(/^Reads \d files, /).waitFor()
    await page.getByRole('button', { name: 'Start search' }).click()
    await awaitResult(page)
    await page.getByRole('region', { name: 'Rows' }).getByRole('table').waitFor()
    await expectAccessible(page, name('completed'))
    await openAbout(page)
    await expectAccessible(page, name('about'))
    await page.getByRole('link', { name: 'Searches' }).click()
    await page.getByRole('heading', { name: 'Searches' }).waitFor()
    await page.getByRole('row').nth(1).waitFor()
    await expectAccessible(page, name('list'))
    expect(complaints).toEqual([])
    await close()
  })
})
