import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { completeSearch } from '../../../conformance/client.ts'
import { choicePlus, findSampleRows, openAccess } from '../../../conformance/samples.ts'
import { hasChromium, useChromium } from '../chromium.ts'
import { expectAccessible, openTab, signIn } from '../open-tab.ts'

const plans = [choicePlus, openAccess]

const panelOf = (page: Page) => page.getByRole('region', { name: 'The chosen price' })
const rowsOf = (page: Page) => page.getByRole('region', { name: 'Rows' }).locator('tbody tr')

describe.skipIf(!hasChromium)('the origin of a price on the page', () => {
  const browser = useChromium()

  it('appears when its dot is chosen by keyboard, and the table shows only its rows', async () => {
    const { job_id } = await completeSearch({ billing_codes: ['73721'], fee_schedules: plans })
    const { page, complaints, close } = await openTab(browser(), {}, `#/searches/${job_id}`)
    await signIn(page)
    const slider = page.getByRole('slider').first()
    await slider.focus()
    for (let step = 0; step < 5; step++) await page.keyboard.press('ArrowRight')
    const [amount] = ((await slider.getAttribute('aria-valuetext')) ?? '').split(' · ')
    await page.keyboard.press('Enter')
    const panel = panelOf(page)
    await panel.getByText('Published').waitFor()
    expect(await page.evaluate('document.activeElement.className')).toBe('origin')
    const text = await panel.innerText()
    expect(text).toContain(amount)
    expect(text).toMatch(/Paid to\s+\S.*, TIN \d\d-\d{7}/)
    expect(text).toMatch(/File\s+\S+\.json\.gz/)
    const count = Number(/Rows\s+(\d+) rows?/.exec(text)?.[1])
    await expect.poll(() => rowsOf(page).count()).toBe(count)
    const samples = findSampleRows({ codes: ['73721'], plans })
    const tin = /TIN ([\d-]+)/.exec(text)?.[1]?.replace('-', '')
    const expected = samples.filter(
      (row) => row['tin_value'] === tin && Number(row['negotiated_rate']) === Number(amount?.slice(1)),
    )
    expect(expected.length).toBeGreaterThan(0)
    const files = new Set(expected.map((row) => String(row['source_file'])))
    expect([...files].some((file) => text.includes(file))).toBe(true)
    await expectAccessible(page, 'origin')
    await page.reload()
    await expect.poll(() => panel.innerText()).toBe(text)
    await panel.press('Escape')
    await expect.poll(() => page.evaluate('document.activeElement.getAttribute("role")')).toBe('slider')
    await expect.poll(() => panel.count()).toBe(0)
    expect(new URL(page.url()).hash).not.toContain('chosen')
    expect(complaints).toEqual([])
    await close()
  })

  it('appears for a click on a dot, on a phone in dark mode', async () => {
    const { job_id } = await completeSearch({ billing_codes: ['73721'], fee_schedules: plans })
    const options = { viewport: { width: 390, height: 844 }, colorScheme: 'dark', hasTouch: true } as const
    const { page, close } = await openTab(browser(), options, `#/searches/${job_id}`)
    await signIn(page)
    await page.getByRole('slider').nth(1).tap()
    await panelOf(page).waitFor()
    expect(await page.locator('.chosen-price').count()).toBe(1)
    await expectAccessible(page, 'origin-phone')
    await page.getByRole('button', { name: 'Show all rows' }).click()
    await expect.poll(() => rowsOf(page).count()).toBeGreaterThan(90)
    await panelOf(page).getByRole('button', { name: 'Close' }).click()
    await expect.poll(() => page.locator('.chosen-price').count()).toBe(0)
    await close()
  })

  it('appears for a row of the table, whose dot the plot then shows', async () => {
    const { job_id } = await completeSearch({ billing_codes: ['73721', '99214'], fee_schedules: plans })
    const { page, close } = await openTab(
      browser(),
      { forcedColors: 'active' },
      `#/searches/${job_id}?billing+code=CPT+99214&table=all`,
    )
    await signIn(page)
    await page.getByLabel('Filter these rows').fill('73721 26')
    const cells = await rowsOf(page).first().getByRole('cell').allTextContents()
    await rowsOf(page)
      .first()
      .getByRole('button', { name: /^Plot / })
      .click()
    const row = page.getByRole('radio', { name: 'In the plot' }).first()
    await panelOf(page).waitFor()
    await expect.poll(() => page.locator('.chosen-price').count()).toBe(1)
    expect(await page.getByRole('combobox', { name: 'Billing code' }).inputValue()).toBe('CPT 73721')
    const modifiers = cells[3] === '' ? 'without modifiers' : `modifier ${cells[3]}`
    expect(await page.locator('#plot-title').textContent()).toContain(modifiers)
    expect(await rowsOf(page).locator('nth=0').getAttribute('class')).toBe('chosen-row')
    // The arrow keys go from row to row, and the plot follows.
    const before = new URL(page.url()).hash
    await row.press('ArrowDown')
    await expect.poll(() => new URL(page.url()).hash).not.toBe(before)
    await panelOf(page).waitFor()
    await expectAccessible(page, 'origin-row')
    await close()
  })
})
