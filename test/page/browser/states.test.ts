import { parquetWriteBuffer } from 'hyparquet-writer'
import type { Browser, BrowserContextOptions } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { pricedColumns } from '../../../page/statistics/rate-groups.ts'
import { completeSearch } from '../../conformance/client.ts'
import { largeSearch, smallSearch } from '../../conformance/samples.ts'
import { hasChromium, useChromium } from './chromium.ts'
import { choosePlans, expectAccessible, openTab, signIn, type Tab } from './open-tab.ts'
import { answerRange, isSigned } from './signed-files.ts'

const jobId = '00000000-0000-4000-8000-000000000000'
const script = '<script>globalThis.stolen = sessionStorage.length</script>'
const rightToLeft = 'خطة الميناء الذهبية'
const long = 'Plan '.repeat(40)

type Row = Readonly<Record<string, unknown>>

const json = (body: unknown) => ({ contentType: 'application/json', body: JSON.stringify(body) })

/** Opens the result of a search whose file has these rows in place of its own. */
async function openResult(browser: Browser, rows: readonly Row[], options: BrowserContextOptions = {}): Promise<Tab> {
  const { job_id } = await completeSearch(smallSearch)
  const tab = await openTab(browser, options, `#/searches/${job_id}`)
  // Results have all of these columns; the page draws no plot without them.
  const names = new Set([...Object.keys(rows[0] ?? {}), ...pricedColumns])
  const columnData = [...names].map((name) => {
    const data = rows.map((row) => row[name] ?? null)
    if (data.every((value) => value === null)) return { name, data, type: 'STRING' as const }
    return { name, data, ...(typeof data[0] === 'number' && { type: 'DOUBLE' as const }) }
  })
  const bytes = parquetWriteBuffer({ columnData })
  await tab.page.route(isSigned, (route) => answerRange(route, bytes))
  await signIn(tab.page)
  return tab
}

const rowOf = (plan: string, rate: number, price = 'a-1'): Row => ({
  price_id: price,
  payer: script,
  plan,
  billing_code_type: 'CPT',
  billing_code: '99213',
  name: script,
  negotiated_rate: rate,
  rate_unit: 'usd',
  npi: 1003000126n,
  tin_business_name: rightToLeft,
  tin_type: 'ein',
  // A TIN for each price, because the page counts each TIN once for each amount.
  tin_value: `01234567${price.at(-1)}`,
})

describe.skipIf(!hasChromium)('the page', () => {
  const browser = useChromium()

  it.each([320, 1200])('shows hostile names of a result as text, %i pixels wide', async (width) => {
    const options = { viewport: { width, height: 900 } }
    const rows = [rowOf(script, 10), rowOf(rightToLeft, 20), rowOf(long, 30)]
    const { page, complaints, close } = await openResult(browser(), rows, options)
    await page.getByText('All 3 rows').waitFor()
    // Payer, plan and name of each row and of the tables above them, which are lists on a phone.
    const items = page.getByRole('listitem').filter({ hasText: script })
    const texts = page.getByRole('cell', { name: script }).or(items)
    await expect.poll(() => texts.count()).toBeGreaterThanOrEqual(11)
    await expect.poll(() => page.getByRole('slider', { name: `Prices of ${rightToLeft} of ${script}` }).count()).toBe(1)
    expect(await page.evaluate('globalThis.stolen')).toBeUndefined()
    await expectAccessible(page, `hostile-result-${width}`)
    expect(complaints).toEqual([])
    await close()
  })

  it('draws a single price, and prices that are all the same', async () => {
    const rows = [rowOf('One', 10), rowOf('One', 10), rowOf('Same', 10), rowOf('Same', 10, 'a-2')]
    const { page, complaints, close } = await openResult(browser(), rows)
    await page.getByText('2 prices, all $10.00').waitFor()
    await page.getByText('1 price: $10.00').waitFor()
    await expectAccessible(page, 'same-prices')
    expect(complaints).toEqual([])
    await close()
  })

  it('names the plans that have a code only in another unit', async () => {
    const rows = [
      rowOf('Gold', 10),
      rowOf('Gold', 12, 'a-2'),
      { ...rowOf('Silver', 60, 'a-3'), rate_unit: 'percent_of_charges' },
    ]
    const { page, close } = await openResult(browser(), rows)
    await page.getByText(`Only prices of another class, unit, modifier or place: Silver of ${script}.`).waitFor()
    await page.getByRole('combobox', { name: 'Unit' }).selectOption('percent_of_charges')
    await page.getByText(`Only prices of another class, unit, modifier or place: Gold of ${script}.`).waitFor()
    await expect.poll(() => page.getByRole('slider').getAttribute('aria-valuetext')).toBe('1 price: 60 % of charges')
    await close()
  })

  it('lists searches of 50 million rows and in every state', async () => {
    const { page, complaints, close } = await openTab(
      browser(),
      { viewport: { width: 320, height: 900 } },
      '#/searches',
    )
    const base = {
      created_at: '2026-11-20T19:45:08.974+00:00',
      first_fee_schedule: { payer: script, plan: long },
      fee_schedule_count: 200,
    }
    const ended = { completed_at: base.created_at, processing_at: base.created_at }
    const states = [
      { status: 'queued' },
      { status: 'processing', processing_at: base.created_at },
      { status: 'completed', ...ended, rows: 50_000_000, bytes: 49_999_999_999 },
      { status: 'failed', failed_at: base.created_at, error: 'result_too_large: Name fewer plans.' },
    ]
    const searches = states.map((state, index) => ({ ...base, ...state, job_id: jobId.replace(/.$/, String(index)) }))
    await page.route('**/v1/searches?*', (route) => route.fulfill(json({ searches, next_cursor: 'older' })))
    await signIn(page)
    const cells = page.getByRole('cell')
    for (const text of ['50,000,000', '50 GB', 'Queued', 'Processing', 'Completed', 'The result is too large'])
      await cells
        .getByText(text, { exact: true })
        .or(page.getByRole('cell', { name: text, exact: true }))
        .first()
        .waitFor()
    await expect.poll(() => page.getByRole('link', { name: '+ 199' }).count()).toBe(4)
    // The list has only the first of the 200 plans, so there may be other payers.
    await expect.poll(() => page.getByRole('cell', { name: `${script} + 199 more plans` }).count()).toBe(4)
    await expectAccessible(page, 'list-of-large')
    await page.getByLabel('Words of a search').fill('too large 2026-11-20')
    await page.getByText('1 of the 4 searches that are listed. Older ones are not looked through.').waitFor()
    await expect.poll(() => page.getByRole('row').count()).toBe(2)
    await page.getByLabel('Words of a search').fill('nothing')
    await page.getByText('0 of the 4 searches').waitFor()
    await expect.poll(() => page.getByRole('table').count()).toBe(0)
    await expectAccessible(page, 'list-of-none')
    expect(complaints).toEqual([])
    await close()
  })

  it.each([
    ['a page zoomed to 200 %', { viewport: { width: 640, height: 450 }, deviceScaleFactor: 2 }, '100%'],
    ['text of twice the size', { viewport: { width: 1280, height: 900 } }, '200%'],
  ])('shows everything with %s', async (name, options, fontSize) => {
    const { job_id } = await completeSearch(largeSearch)
    const { page, close } = await openTab(browser(), options)
    await page.evaluate(`document.documentElement.style.fontSize = '${fontSize}'`)
    await signIn(page)
    await choosePlans(page, 'Harbor PPO Gold')
    await expectAccessible(page, `form-${name.includes('text') ? 'large-text' : 'zoomed'}`)
    await page.evaluate(`location.hash = '#/searches/${job_id}'`)
    await page.getByText(/^All [\d,]+ rows/).waitFor()
    await expectAccessible(page, `result-${name.includes('text') ? 'large-text' : 'zoomed'}`)
    await close()
  })
})
