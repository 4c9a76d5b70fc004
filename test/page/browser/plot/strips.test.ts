import { describe, expect, it } from 'vitest'
import { completeSearch } from '../../../conformance/client.ts'
import { choicePlus, gold, openAccess, silver } from '../../../conformance/samples.ts'
import { hasChromium, useChromium } from '../chromium.ts'
import { awaitResult, expectAccessible, openTab, signIn } from '../open-tab.ts'

const fee_schedules = [choicePlus, openAccess, gold, silver]

describe.skipIf(!hasChromium)('the strips of the plot', () => {
  const browser = useChromium()

  it.each([390, 1280])('name each fact once, in the order of the table, within their edges: %i', async (width) => {
    const { job_id } = await completeSearch({ billing_codes: ['99214'], fee_schedules })
    const { page, complaints, close } = await openTab(
      browser(),
      { viewport: { width, height: 900 } },
      `#/searches/${job_id}`,
    )
    await signIn(page)
    await awaitResult(page)
    const labels = await page.locator('.strip .label > :first-child').allTextContents()
    const table = page.getByLabel('Prices by fee schedule').locator('tbody tr, li')
    const rows = await table.evaluateAll((all) => all.map(({ textContent }) => textContent))
    expect(labels.length).toBe(rows.length)
    expect(labels.length).toBeGreaterThan(4)
    const plans = labels.map((label) => fee_schedules.findIndex(({ plan }) => label.startsWith(plan)))
    expect(plans).toEqual(rows.map((row) => fee_schedules.findIndex(({ plan }) => row.startsWith(plan))))
    for (const label of labels) expect(label).toMatch(/ · (fee schedule|negotiated)$/)
    const plot = await page.locator('.axis').boundingBox()
    for (const box of await page.locator('.axis text').all()) {
      const { x = 0, width: length = 0 } = (await box.boundingBox()) ?? {}
      expect(x).toBeGreaterThanOrEqual((plot?.x ?? 0) - 8)
      expect(x + length).toBeLessThanOrEqual((plot?.x ?? 0) + (plot?.width ?? 0) + 8)
    }
    const heights = await Promise.all(
      (await page.locator('.strip').all()).map(async (strip) => (await strip.boundingBox())?.height ?? 0),
    )
    if (width > 1000) expect(Math.max(...heights)).toBeLessThanOrEqual(80)
    expect(complaints).toEqual([])
    await close()
  })

  it('write the median at its line, and tell equal prices apart under the keyboard and the pointer', async () => {
    const { job_id } = await completeSearch({ billing_codes: ['99214'], fee_schedules })
    const { page, close } = await openTab(browser(), {}, `#/searches/${job_id}`)
    await signIn(page)
    const strip = page.locator('.strip').filter({ has: page.locator('.median') })
    const slider = strip.first().getByRole('slider')
    const median = /median (\$[\d.]+),/.exec((await slider.getAttribute('aria-valuetext')) ?? '')?.[1]
    expect(await strip.first().locator('text.amount').first().textContent()).toBe(median)
    const few = page.locator('.strip').filter({ hasText: gold.plan }).first()
    const listed = /^8 prices: \$[\d.]+ × (\d), \$[\d.]+ × \d$/
    const said = few.locator('.said > span')
    expect(await said.first().textContent()).toMatch(listed)
    expect(await few.locator('.median, .quartile').count()).toBe(0)
    expect(await few.locator('.price').count()).toBe(8)
    const count = listed.exec((await said.first().textContent()) ?? '')?.[1]
    await few.getByRole('slider').focus()
    await page.keyboard.press('Home')
    await page.keyboard.press('ArrowRight')
    await expect
      .poll(() => said.last().textContent())
      .toMatch(new RegExp(`^\\$[\\d.]+ · 2 of ${count} at this amount · `))
    const turns = new Set<string | undefined>()
    for (let dot = 0; dot < Number(count); dot++) {
      const { x = 0, y = 0, width = 0, height = 0 } = (await few.locator('.price').nth(dot).boundingBox()) ?? {}
      await page.mouse.move(x + width / 2, y + height / 2)
      await expect.poll(() => said.last().textContent()).toContain('at this amount')
      turns.add((await said.last().textContent())?.split(' · ')[1])
    }
    expect(turns.size).toBe(Number(count))
    await expectAccessible(page, 'strips-equal')
    await close()
  })
})
