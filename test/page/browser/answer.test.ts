import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { summaryWeights } from '../../../contract/summaries.ts'
import { completeSearch } from '../../conformance/client.ts'
import { choicePlus, openAccess } from '../../conformance/samples.ts'
import { downloadRows } from '../../conformance/shards.ts'
import { hasChromium, useChromium } from './chromium.ts'
import { expectAccessible, openCounting, openTab, signIn } from './open-tab.ts'

const codes = ['27447', '45378', '70551', '73721', '99213', '99214']
const fee_schedules = [choicePlus, openAccess]

/** The strip on the terms of the sentence; another with lower prices may come before it. */
const stripOf = (page: Page, plan = '') =>
  page.getByRole('slider', { name: new RegExp(`^Prices of ${plan}.*, negotiated$`) }).first()

/** The place of an element's lower edge below the top of the page, in pixels. */
const bottomOf = async (page: Page, selector: string) => {
  const box = await page.locator(selector).first().boundingBox()
  if (box === null) throw new Error(`${selector} is not on the page`)
  return Math.round(box.y + box.height)
}

describe.skipIf(!hasChromium)('the answer of a result on the page', () => {
  const browser = useChromium()

  it.each([
    { name: 'desktop', asked: ['73721'], width: 1280, height: 900, last: '.axis' },
    { name: 'phone', asked: ['73721'], width: 390, height: 844, last: '.strip' },
    { name: 'desktop-codes', asked: codes, width: 1280, height: 900, last: '.axis' },
    { name: 'phone-codes', asked: codes, width: 390, height: 844, last: '.strip' },
  ] as const)(
    'shares the first screen with the plot: $name, $width pixels wide',
    async ({ name, asked, width, height, last }) => {
      const { job_id } = await completeSearch({ billing_codes: asked, fee_schedules })
      const { page, complaints, close } = await openTab(
        browser(),
        { viewport: { width, height } },
        `#/searches/${job_id}`,
      )
      await signIn(page)
      await page.locator('.strip').first().waitFor()
      // The manifest brings a line of its own.
      await page.getByRole('link', { name: 'Change this search' }).waitFor()
      const firstPrice = await bottomOf(page, '.answer .amount')
      expect(firstPrice).toBeLessThan(300)
      expect(await bottomOf(page, last)).toBeLessThanOrEqual(height)
      await expectAccessible(page, `answer-${name}`)
      expect(complaints).toEqual([])
      await close()
    },
  )

  it('comes before plot, rows, earlier results and files, and equals the medians of the plot', async () => {
    const { job_id } = await completeSearch({ billing_codes: ['73721'], fee_schedules })
    const { page, close } = await openTab(browser(), {}, `#/searches/${job_id}`)
    await signIn(page)
    const medians = async () =>
      await Promise.all(
        fee_schedules.map(async ({ plan }) => {
          const said = await stripOf(page, plan).getAttribute('aria-valuetext')
          return /median (\$[\d.,]+),/.exec(said ?? '')?.[1]
        }),
      )
    await page.locator('.strip').first().waitFor()
    const amounts = await page.locator('.lead .amount').allTextContents()
    expect(amounts).toHaveLength(2)
    expect(amounts.toSorted()).toEqual((await medians()).toSorted())
    await page.getByRole('button', { name: 'Compare with an earlier result' }).waitFor()
    const order = ['.lead', '.strip', '#rows', '#changes-title', '.about']
    const places = await Promise.all(order.map((selector) => bottomOf(page, selector)))
    expect(places).toEqual(places.toSorted((a, b) => a - b))
    await close()
  })

  it('leaves out doubtful prices, whose number it names, until they are counted', async () => {
    const { job_id } = await completeSearch({ billing_codes: ['73721'], fee_schedules: [choicePlus] })
    const { page, close } = await openTab(browser(), {}, `#/searches/${job_id}`)
    await signIn(page)
    const strip = stripOf(page)
    const count = async () => Number(/^(\d+) prices/.exec((await strip.getAttribute('aria-valuetext')) ?? '')?.[1])
    await openCounting(page)
    await page.getByText('2 doubtful prices left out,').waitFor()
    const sure = await count()
    const shapes = page.getByRole('list', { name: 'Marks of flagged prices' }).getByRole('listitem')
    expect(await shapes.allTextContents()).toEqual(['expired when it was published'])
    await page.getByRole('button', { name: 'Count them' }).click()
    await page.getByText('2 doubtful prices counted,').waitFor()
    await expect.poll(count).toBeGreaterThan(sure)
    await expect.poll(() => shapes.allTextContents()).toContain('far below all others')
    await expectAccessible(page, 'doubtful-counted')
    expect(new URL(page.url()).hash).toContain('doubtful=counted')
    await page.getByRole('button', { name: 'Leave them out' }).click()
    await expect.poll(count).toBe(sure)
    await close()
  })

  it.each(summaryWeights)(
    'counts what it leaves out as a summary of the same prices does, by weight: %s',
    async (weight) => {
      const search = { billing_codes: ['73721', '99213'], fee_schedules: [choicePlus, openAccess] }
      const { job_id } = await completeSearch(search)
      const summaryRows = await downloadRows(await completeSearch({ ...search, summary: { weight } }))
      const { page, close } = await openTab(
        browser(),
        {},
        `#/searches/${job_id}?weight=${weight}&billing+code=CPT+73721`,
      )
      await signIn(page)
      const notice = page.getByText(/^\d+ doubtful prices? left out,/)
      const [, inPlot = '0'] = /, (?:(\d+)|none) of this plot/.exec((await notice.textContent()) ?? '') ?? []
      const [billingClass, place] = await Promise.all(
        ['Billed by', 'Place of service'].map((name) => page.getByLabel(name, { exact: true }).inputValue()),
      )
      const leftOut = summaryRows
        .filter((row) => row['billing_code'] === '73721' && row['rate_unit'] === 'usd')
        .filter((row) => row['billing_class'] === billingClass && String(row['billing_code_modifier'] ?? '') === '')
        .filter((row) => row['place_of_service'] === place)
        .map((row) => Number(row['left_out_count']))
      expect(leftOut.length).toBeGreaterThan(1)
      expect(Number(inPlot)).toBe(leftOut.reduce((sum, count) => sum + count))
      expect(Number(inPlot)).toBeGreaterThan(0)
      await close()
    },
  )

  it('keeps the axis of the bulk when a price far above all others counts, and says that it lies beyond', async () => {
    const { job_id } = await completeSearch({ billing_codes: ['73721'], fee_schedules: [openAccess] })
    const { page, close } = await openTab(browser(), { forcedColors: 'active' }, `#/searches/${job_id}`)
    await signIn(page)
    const spoken = () => stripOf(page).getAttribute('aria-valuetext')
    await expect.poll(spoken).toMatch(/^\d+ prices, median/)
    await page.getByText('The axis begins at $180.').waitFor()
    await openCounting(page)
    await page.getByRole('button', { name: 'Count them' }).click()
    await expect.poll(spoken).toContain('; 1 above the axis, up to $7,750.20')
    expect(await page.locator('.axis text').allTextContents()).toEqual(['$0', '$200', '$400'])
    await expect.poll(() => page.locator('.beyond').count()).toBe(1)
    await stripOf(page).focus()
    await page.keyboard.press('End')
    await expect.poll(spoken).toContain('far above all others')
    await expectAccessible(page, 'beyond-forced-colours')
    await close()
  })
})
