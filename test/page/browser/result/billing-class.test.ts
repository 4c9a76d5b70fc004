import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { completeSearch } from '../../../conformance/client.ts'
import { choicePlus, openAccess } from '../../../conformance/samples.ts'
import { downloadRows } from '../../../conformance/shards.ts'
import { hasChromium, useChromium } from '../chromium.ts'
import { expectAccessible, openTab, signIn } from '../open-tab.ts'

const search = { billing_codes: ['73721'], fee_schedules: [choicePlus, openAccess] }

/** Returns the medians of contracts in dollars by plan, of a class and modifiers, from a summary of the same search. */
async function findMedians(billingClass: string, modifiers = '') {
  const rows = await downloadRows(await completeSearch({ ...search, summary: {} }))
  const alike = rows.filter(
    (row) =>
      row['billing_class'] === billingClass &&
      row['rate_unit'] === 'usd' &&
      row['negotiated_type'] === 'negotiated' &&
      String(row['billing_code_modifier'] ?? '') === modifiers &&
      ['11', null].some((place) => place === row['place_of_service']),
  )
  return [openAccess, choicePlus].map(
    ({ plan }) => `$${Number(alike.find((row) => row['plan'] === plan)?.['median']).toFixed(2)}`,
  )
}

const readSentences = async (page: Page) => ({
  lead: await page.locator('.lead').textContent(),
  other: await page.locator('.answer .detail').textContent(),
})

describe.skipIf(!hasChromium)('who bills the prices of a code', () => {
  const browser = useChromium()

  it('stands in the sentence, is a choice, and has a row of the matrix and a line for the other class', async () => {
    const [professional, facility, reading] = await Promise.all([
      findMedians('professional'),
      findMedians('institutional'),
      findMedians('professional', '26'),
    ])
    const { job_id } = await completeSearch(search)
    const { page, complaints, close } = await openTab(browser(), {}, `#/searches/${job_id}`)
    await signIn(page)
    await page.locator('.matrix').waitFor()
    const first = await readSentences(page)
    expect(first.lead).toContain(`billed by a professional: a median of ${professional.join(' against ')}; `)
    expect(first.other).toBe(
      `Hospitals and other facilities bill their own amount: ${facility.join(' and ')}; ` +
        `the physician’s part there is modifier 26: ${reading.join(' and ')}.`,
    )
    expect(await page.locator('.matrix tbody .tag').allTextContents()).toEqual(['Professional', 'Facility'])
    // Fee schedules have lower prices, and the strips of the sentence come before them.
    expect(await page.getByRole('slider').first().getAttribute('aria-label')).toMatch(
      new RegExp(`^Prices of ${openAccess.plan} .*, negotiated$`),
    )
    await page.getByLabel('Billed by').selectOption('institutional')
    await expect
      .poll(() => readSentences(page))
      .toMatchObject({
        lead: expect.stringContaining(`billed by a facility: a median of ${facility.join(' against ')}; `),
        other: expect.stringContaining(`Professionals bill their own amount: ${professional.join(' and ')}; `),
      })
    await expectAccessible(page, 'billing-class')
    expect(complaints).toEqual([])
    await close()
  })

  it('follows from the place of a link that names no class', async () => {
    const { job_id } = await completeSearch(search)
    const { page, close } = await openTab(browser(), {}, `#/searches/${job_id}?place+of+service=`)
    await signIn(page)
    await page.locator('.lead', { hasText: 'billed by a facility' }).waitFor()
    expect(await page.getByLabel('Billed by').inputValue()).toBe('institutional')
    await close()
  })
})
