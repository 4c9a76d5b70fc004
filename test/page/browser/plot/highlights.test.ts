import { describe, expect, it } from 'vitest'
import { completeSearch } from '../../../conformance/client.ts'
import { choicePlus, openAccess } from '../../../conformance/samples.ts'
import { hasChromium, useChromium } from '../chromium.ts'
import { expectAccessible, openTab, signIn } from '../open-tab.ts'

const search = { billing_codes: ['73721', '99214'], fee_schedules: [choicePlus, openAccess] }

describe.skipIf(!hasChromium)('"Where am I?" on the page', () => {
  const browser = useChromium()

  it.each(['light', 'dark'] as const)(
    'highlights a name in every strip with its position, and remembers it in the address: %s',
    async (mode) => {
      const { job_id } = await completeSearch(search)
      const { page, complaints, close } = await openTab(browser(), { colorScheme: mode }, `#/searches/${job_id}`)
      await signIn(page)
      await page.getByLabel('Where am I?').fill('cedar h')
      await page.getByText(/^\d names match: choose one\.$/).waitFor()
      await expectAccessible(page, `where-names-${mode}`)
      await page.getByRole('list', { name: 'Names that match' }).getByRole('button').first().press('Enter')
      const name = await page.getByLabel('Where am I?').inputValue()
      await page.getByText(new RegExp(`^${name}.* is marked in \\d strips? below\\.$`)).waitFor()
      const places = page.locator('.strip .place')
      expect(await places.count()).toBeGreaterThan(0)
      for (const text of await places.allTextContents())
        expect(text).toMatch(/\$[\d,.]+: .*(?:percentile|lowest|highest|its only|equal|median)/)
      expect(new URL(page.url()).hash).toContain(`where=${name.replaceAll(' ', '+')}`)
      await expectAccessible(page, `where-${mode}`)
      const texts = await places.allTextContents()
      await page.reload()
      await expect.poll(() => places.allTextContents()).toEqual(texts)
      expect(complaints).toEqual([])
      await close()
    },
  )

  it('highlights an amount, whose position is by the weight of the page, on a phone and in forced colours', async () => {
    const { job_id } = await completeSearch(search)
    const options = { viewport: { width: 390, height: 844 }, forcedColors: 'active' } as const
    const { page, close } = await openTab(browser(), options, `#/searches/${job_id}?where=%24130`)
    await signIn(page)
    const distributions = page.locator('.strip').filter({ has: page.locator('.median') })
    const place = distributions.locator('.place').first()
    await expect
      .poll(() => place.textContent())
      .toMatch(/\$130\.00: \d+\w\w percentile, \$[\d.]+ (?:above|below) the median/)
    const median = Number(/([\d.]+) (?:above|below)/.exec((await place.textContent()) ?? '')?.[1])
    const spoken = await distributions.first().getByRole('slider').getAttribute('aria-valuetext')
    expect(Math.abs(130 - Number(/median \$([\d.]+)/.exec(spoken ?? '')?.[1]))).toBeCloseTo(median, 4)
    await expectAccessible(page, 'where-amount')
    const [most] = await page.getByRole('list', { name: 'Paid most' }).getByRole('button').allTextContents()
    await page
      .getByRole('button', { name: most ?? '' })
      .first()
      .click()
    await expect.poll(() => place.textContent()).toMatch(/highest of/)
    await page.getByLabel('Where am I?').fill('85 %')
    await page.getByText('85 % is not an amount in the unit of this plot.').waitFor()
    await page.getByLabel('Where am I?').fill('12-0000000')
    await page.getByText('No price of this result is agreed with TIN 120000000.').waitFor()
    await expect.poll(() => page.locator('.strip .place').count()).toBe(0)
    await close()
  })
})
