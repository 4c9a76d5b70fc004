import { describe, expect, inject, it } from 'vitest'
import { completeSearch } from '../../conformance/client.ts'
import { absentNpi, findSampleRows, gold, silver } from '../../conformance/samples.ts'
import { hasChromium, useChromium } from './chromium.ts'
import { expectAccessible, openTab, signIn } from './open-tab.ts'

const { keys } = inject('service')

describe.skipIf(!hasChromium)('the result of a search on the page', () => {
  const browser = useChromium()

  it('is read from its files by Range: rows sorted and filtered, and the rates of a code by plan', async () => {
    const codes = ['99213', '27447']
    const { job_id } = await completeSearch({ billing_codes: codes, fee_schedules: [gold, silver] })
    const { page, complaints, close } = await openTab(browser(), {}, `#/searches/${job_id}`)
    const ranges: string[] = []
    page.on('request', (request) => {
      const { range } = request.headers()
      if (range !== undefined) ranges.push(range)
    })
    await signIn(page)
    const expected = findSampleRows({ codes, plans: [gold, silver] })
    await page.getByText(`All ${expected.length} rows`).waitFor()
    expect(ranges[0]).toBe('bytes=0-65535')
    await page.getByLabel('Filter the rows that were read').fill('27447')
    const filtered = expected.filter((row) => row['billing_code'] === '27447')
    await page.getByText(`${filtered.length} rows`, { exact: false }).first().waitFor()
    await page.getByRole('button', { name: 'Negotiated rate' }).click()
    const cells = page.locator('tbody tr:first-child td.number').first()
    const least = Math.min(...filtered.map((row) => Number(row['negotiated_rate'])))
    await expect.poll(() => cells.textContent()).toBe(least.toFixed(2))
    await page.getByRole('combobox', { name: 'Billing code' }).selectOption({ label: await labelOf(page, '27447') })
    const strip = page.getByRole('slider', { name: `Rates of ${gold.plan} of ${gold.payer}` })
    await strip.focus()
    await page.keyboard.press('End')
    const most = Math.max(
      ...filtered
        .filter((row) => row['plan'] === gold.plan && row['negotiated_type'] !== 'percentage')
        .map((row) => Number(row['negotiated_rate'])),
    )
    const spoken = (await strip.getAttribute('aria-valuetext')) ?? ''
    expect(spoken).toContain(most.toLocaleString('en-US', { minimumFractionDigits: 2 }))
    expect(spoken).toContain('NPI 1')
    await expectAccessible(page, 'plot')
    expect(complaints).toEqual([])
    await close()
  })

  it('says so if it has no row', async () => {
    const { job_id } = await completeSearch({ npis: [absentNpi], fee_schedules: [gold] })
    const { page, close } = await openTab(browser(), {}, `#/searches/${job_id}`)
    await signIn(page)
    await page.getByText('No rate matches this search.').waitFor()
    await expectAccessible(page, 'no-rows')
    await close()
  })

  it('can be opened by colleagues in the organization and by nobody else', async () => {
    const { job_id } = await completeSearch({ npis: [absentNpi], fee_schedules: [gold] })
    const { page, close } = await openTab(browser(), {}, `#/searches/${job_id}`)
    await signIn(page, keys[1])
    await page.getByText('There is no such search').waitFor()
    await expectAccessible(page, 'not-found')
    await close()
  })

  it('cannot be read by a page of another origin', async () => {
    const { download_urls } = await completeSearch({ npis: [absentNpi], fee_schedules: [gold] })
    const context = await browser().newContext({ locale: 'en-US' })
    const page = await context.newPage()
    await page.route('https://foreign.example/', (route) => route.fulfill({ contentType: 'text/html', body: 'x' }))
    await page.goto('https://foreign.example/')
    const read = `fetch(${JSON.stringify(download_urls[0])}).then(() => 'read', (error) => error.name)`
    expect(await page.evaluate(read)).toBe('TypeError')
    await context.close()
  })
})

/** The option of a code, with its name and number of rows. */
async function labelOf(page: Awaited<ReturnType<typeof openTab>>['page'], code: string): Promise<string> {
  const labels = await page.getByRole('combobox', { name: 'Billing code' }).locator('option').allTextContents()
  return labels.find((label) => label.includes(` ${code} `)) ?? ''
}
