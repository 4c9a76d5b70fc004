import { describe, expect, it } from 'vitest'
import { completeSearch } from '../../../conformance/client.ts'
import { gold } from '../../../conformance/samples.ts'
import { writeResult } from '../../service/written-result.ts'
import { hasChromium, useChromium } from '../chromium.ts'
import { awaitResult, expectAccessible, openCounting, openTab, signIn } from '../open-tab.ts'
import { answerRange, isSigned } from '../signed-files.ts'

const plans = ['Gold', 'Silver', 'Bronze', 'Iron', 'Tin'].map((plan) => `'${plan}'`).join()

/** Results that stretch the page, each with the sentence that it must open with. */
const results = [
  {
    name: 'percentages',
    rows: 60,
    columns: {
      ...{ plan: "['Gold', 'Silver'][1 + i % 2]", negotiated_rate: '40 + 10 * (i % 2)' },
      ...{ rate_unit: "'percent_of_charges'", negotiated_type: "'percentage'", flags: "['blanket']" },
    },
    sentence: /a? ?40 % of charges against .*50 % of charges; .* is 10 points higher\./,
  },
  {
    name: 'expired',
    rows: 40,
    columns: { flags: "['expired']" },
    sentence:
      /^Gold pays a median of \$119\.00 for MRI of a leg joint \(CPT 73721\) billed by a professional; the middle half of its 40 prices/,
  },
  {
    name: 'doubtful',
    rows: 12,
    columns: { negotiated_rate: '0.01', flags: "['placeholder']" },
    sentence:
      /^Gold pays \$0\.01 for MRI of a leg joint \(CPT 73721\) billed by a professional: all of its 12 prices are equal\./,
  },
  {
    name: 'one-price',
    rows: 1,
    columns: {},
    sentence: /^Gold pays \$100\.00 for MRI of a leg joint \(CPT 73721\) billed by a professional: its only price\./,
  },
  {
    name: 'many-prices',
    rows: 20_000,
    columns: { negotiated_rate: '100 + hash(i) % 90000 / 100.0' },
    sentence: /the middle half of its 20,000 prices is between/,
  },
  {
    name: 'plans-and-codes',
    rows: 3_000,
    columns: {
      ...{ plan: `[${plans}][1 + i % 5]`, billing_code: '(90000 + i // 5 % 12)::VARCHAR' },
      negotiated_rate: '100 + (i // 5 % 12) * 50 + (i % 5) * 3 + hash(i) % 40',
    },
    sentence: /^Of 5 plans, Gold has the lowest median for (all|\d+ of) 12 codes\./,
  },
] as const

const sizes = [
  { width: 1280, height: 900, last: '.axis' },
  { width: 390, height: 844, last: '.strip' },
] as const

describe.skipIf(!hasChromium)('a result that stretches the page', () => {
  const browser = useChromium()

  it.each(results)('opens with its sentence and its prices on the first screen: $name', async (result) => {
    const { name, rows, columns, sentence } = result
    const bytes = await writeResult(rows, columns)
    const { job_id } = await completeSearch({ billing_codes: ['73721'], fee_schedules: [gold] })
    for (const { width, height, last } of sizes) {
      const { page, complaints, close } = await openTab(
        browser(),
        { viewport: { width, height } },
        `#/searches/${job_id}`,
      )
      await page.route(isSigned, (route) => answerRange(route, bytes))
      await signIn(page)
      await page.locator('.strip').first().waitFor()
      const answer = (await page.locator('.lead').innerText()).replaceAll('\u00a0', ' ')
      expect(answer).toMatch(sentence)
      await awaitResult(page)
      const isTable = name === 'plans-and-codes' && width > 1000
      if (isTable) {
        expect(await page.locator('.matrix tbody tr').count()).toBe(12)
        expect(await page.locator('.matrix .cell').count()).toBe(60)
      }
      const box = await page
        .locator(isTable ? '.strip' : last)
        .first()
        .boundingBox()
      expect((box?.y ?? height) + (box?.height ?? height)).toBeLessThanOrEqual(height)
      // The matrix of other results is checked on wide screens.
      if (width < 1000) await expectAccessible(page, `odd-${name}`)
      if (name === 'expired') {
        await openCounting(page)
        await page.getByText('All 40 prices had expired when they were published').waitFor()
      }
      expect(complaints).toEqual([])
      await close()
    }
  })
})
