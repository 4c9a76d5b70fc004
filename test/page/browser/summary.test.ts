import { describe, expect, it } from 'vitest'
import { completeSearch } from '../../conformance/client.ts'
import { choicePlus, gold, openAccess } from '../../conformance/samples.ts'
import { hasChromium, useChromium } from './chromium.ts'
import { expectAccessible, openTab, signIn } from './open-tab.ts'

describe.skipIf(!hasChromium)('the result of a summary on the page', () => {
  const browser = useChromium()

  it('appears as a table of statistics that names its weight, without dots of single prices', async () => {
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

  it('draws each row as a strip with the amounts of the table, and units on axes of their own', async () => {
    const fee_schedules = [choicePlus, openAccess]
    const { job_id } = await completeSearch({ billing_codes: ['73721', '99213'], fee_schedules, summary: {} })
    const { page, complaints, close } = await openTab(browser(), {}, `#/searches/${job_id}`)
    await signIn(page)
    const table = page.getByRole('region', { name: 'Rows' })
    await table.waitFor()
    const titles = await table.getByRole('columnheader').allTextContents()
    const place = titles.findIndex((title) => title.startsWith('Median')) + 1
    const listed = await table.locator(`tbody td:nth-child(${place})`).allTextContents()
    const written = await page.locator('.box-plot .amount').allTextContents()
    const read = (texts: readonly string[]) =>
      texts.map((text) => Number.parseFloat(text.replace(/[$,]/g, ''))).toSorted((a, b) => a - b)
    expect(listed.length).toBeGreaterThan(10)
    expect(read(written)).toEqual(read(listed))
    for (const figure of await page.locator('figure.panel').all()) {
      const kinds = (await figure.locator('.amount').allTextContents()).map((text) => text.replace(/[\d.,]+/, ''))
      expect(new Set(kinds).size).toBe(1)
    }
    const described = page.getByRole('img', { name: 'Spread of Harbor Choice Plus' }).first()
    expect(await described.getAttribute('aria-label')).toMatch(/\d+ values?, (?:median|all) [$\d]/)
    // The line of a median stands at its place between the round numbers of the axis.
    const panel = page.locator('figure.panel').filter({ hasText: 'in dollars' }).first()
    const ticks = await panel
      .locator('.axis text')
      .evaluateAll((texts) =>
        texts.map((text) => [
          Number(text.textContent?.replace(/[$,]/g, '')),
          Number.parseFloat(text.getAttribute('x') ?? ''),
        ]),
      )
    const [[one = 0, oneAt = 0] = [], [other = 0, otherAt = 0] = []] = ticks
    const lines = await panel.locator('line.median').evaluateAll((all) => all.map((line) => line.getAttribute('x1')))
    const amounts = (await panel.locator('.amount').allTextContents()).map((text) => Number(text.replace(/[$,]/g, '')))
    for (const [index, amount] of amounts.entries())
      expect(Number.parseFloat(lines[index] ?? '')).toBeCloseTo(
        oneAt + ((amount - one) / (other - one)) * (otherAt - oneAt),
        3,
      )
    await expectAccessible(page, 'summary-plot')
    expect(complaints).toEqual([])
    await close()
  })

  it.each([
    ['dark on a phone', { viewport: { width: 360, height: 800 }, colorScheme: 'dark' as const }],
    ['in forced colours', { forcedColors: 'active' as const }],
  ])('draws its strips %s', async (name, options) => {
    const fee_schedules = [choicePlus, openAccess]
    const { job_id } = await completeSearch({ billing_codes: ['73721', '99213'], fee_schedules, summary: {} })
    const { page, close } = await openTab(browser(), options, `#/searches/${job_id}`)
    await signIn(page)
    await page.getByRole('img', { name: 'Spread of' }).first().waitFor()
    await expectAccessible(page, `summary-plot-${name.replaceAll(' ', '-')}`)
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
