import { describe, expect, it } from 'vitest'
import { completeSearch } from '../../conformance/client.ts'
import { choicePlus, gold, openAccess } from '../../conformance/samples.ts'
import { hasChromium, useChromium } from './chromium.ts'
import { expectAccessible, openTab, signIn } from './open-tab.ts'

describe.skipIf(!hasChromium)('the result of a summary on the page', () => {
  const browser = useChromium()

  it('appears as a table of statistics that names its weight, without a plot', async () => {
    const fee_schedules = [choicePlus, openAccess]
    const { job_id } = await completeSearch({ billing_codes: ['73721'], fee_schedules, summary: { weight: 'npis' } })
    const { page, complaints, close } = await openTab(browser(), {}, `#/searches/${job_id}`)
    await signIn(page)
    await page.getByText('Counted by NPIs: each NPI once for each amount.').waitFor()
    const table = page.getByRole('region', { name: 'Rows' })
    await table.getByRole('button', { name: 'Median' }).click()
    const medianAt = await table.getByRole('columnheader').allTextContents()
    const place = medianAt.findIndex((title) => title.startsWith('Median'))
    const first = table.locator('tbody tr:first-child td').nth(place)
    await expect.poll(() => first.textContent()).toMatch(/^\d+\.\d\d$/)
    expect(await page.getByRole('slider').count()).toBe(0)
    // Its median and the unit before it are seen without scrolling.
    const [frame, head] = [
      await table.boundingBox(),
      await table.getByRole('columnheader', { name: 'Median' }).boundingBox(),
    ]
    expect((head?.x ?? 0) + (head?.width ?? 0)).toBeLessThanOrEqual((frame?.x ?? 0) + (frame?.width ?? 0))
    expect(medianAt.findIndex((title) => title.startsWith('Rate unit'))).toBeLessThan(place)
    await expectAccessible(page, 'summary')
    expect(complaints).toEqual([])
    await close()
  })

  it('says that no price matches, and shows no table', async () => {
    const { job_id } = await completeSearch({ billing_codes: ['0000X'], fee_schedules: [gold], summary: {} })
    const { page, close } = await openTab(browser(), {}, `#/searches/${job_id}`)
    await signIn(page)
    await page.getByText('No price matches this search.').waitFor()
    expect(await page.getByRole('region', { name: 'Rows' }).count()).toBe(0)
    await close()
  })
})
