import { readFile } from 'node:fs/promises'
import { describe, expect, inject, it } from 'vitest'
import { completeSearch } from '../../conformance/client.ts'
import { absentNpi, choice, findSampleRows, gold, silver } from '../../conformance/samples.ts'
import { hasChromium, useChromium } from './chromium.ts'
import { expectAccessible, openTab, signIn } from './open-tab.ts'

const { keys } = inject('service')

describe.skipIf(!hasChromium)('the result of a search on the page', () => {
  const browser = useChromium()

  it('comes from its files by Range: rows sorted and filtered, and the rates of a code by plan', async () => {
    const codes = ['99213', '27447']
    const { job_id } = await completeSearch({ billing_codes: codes, fee_schedules: [gold, silver] })
    const { page, complaints, close } = await openTab(browser(), {}, `#/searches/${job_id}?table=all`)
    const ranges: string[] = []
    page.on('request', (request) => {
      const { range } = request.headers()
      if (range !== undefined) ranges.push(range)
    })
    await signIn(page)
    const expected = findSampleRows({ codes, plans: [gold, silver] })
    await page.getByText(`All ${expected.length} rows of the result`).waitFor()
    expect(ranges[0]).toBe('bytes=0-65535')
    await page.getByLabel('Filter these rows').fill('nothing has this')
    await page.getByText('No row has all of these words').waitFor()
    await page.getByLabel('Filter these rows').fill('27447')
    const filtered = expected.filter((row) => row['billing_code'] === '27447')
    await page.getByText(`${filtered.length} rows`, { exact: false }).first().waitFor()
    await page.getByRole('button', { name: 'Negotiated rate' }).click()
    const cells = page.getByRole('region', { name: 'Rows' }).locator('tbody tr:first-child td.number').first()
    const least = Math.min(...filtered.map((row) => Number(row['negotiated_rate'])))
    await expect.poll(() => cells.textContent()).toBe(least.toFixed(2))
    await page.getByRole('combobox', { name: 'Billing code' }).selectOption('CPT 27447')
    const strip = page.getByRole('slider', { name: `Prices of ${gold.plan} of ${gold.payer}` })
    await strip.focus()
    await page.keyboard.press('End')
    const most = Math.max(
      ...filtered
        .filter((row) => row['plan'] === gold.plan && row['negotiated_type'] !== 'percentage')
        .map((row) => Number(row['negotiated_rate'])),
    )
    const spoken = () => strip.getAttribute('aria-valuetext')
    await expect.poll(spoken).toContain('NPI 1')
    await expect.poll(spoken).toContain(most.toLocaleString('en-US', { minimumFractionDigits: 2 }))
    await expectAccessible(page, 'plot')
    expect(complaints).toEqual([])
    await close()
  })

  it('compares plans by each price once, of one set of modifiers, over all rows', async () => {
    const codes = ['99213', '27447', '73721']
    const plans = [gold, choice]
    const { job_id } = await completeSearch({ billing_codes: codes, fee_schedules: plans })
    const { page, close } = await openTab(browser(), {}, `#/searches/${job_id}?weight=prices`)
    await signIn(page)
    await page.getByRole('combobox', { name: 'Billing code' }).selectOption('CPT 73721')
    const rows = findSampleRows({ codes: ['73721'], plans })
    for (const modifier of ['', '26']) {
      await page.getByRole('combobox', { name: 'Modifiers' }).selectOption(modifier)
      const alike = rows.filter((row) => String(row['billing_code_modifier'] ?? '') === modifier)
      for (const { payer, plan } of plans) {
        const rates = [
          ...new Set(alike.filter((row) => row['plan'] === plan).map((row) => Number(row['negotiated_rate']))),
        ]
        const said = rates.sort((a, b) => a - b).map((rate) => `$${rate.toFixed(2)}`)
        const strip = page.getByRole('slider', { name: `Prices of ${plan} of ${payer}` })
        await expect.poll(() => strip.getAttribute('aria-valuetext')).toBe(`${said.length} prices: ${said.join(', ')}`)
      }
    }
    await expectAccessible(page, 'two-plans')
    await close()
  })

  it('shows percentiles of each plan in a table, and its address opens the same view', async () => {
    const { job_id } = await completeSearch({ billing_codes: ['99213', '73721'], fee_schedules: [gold, choice] })
    const { page, close } = await openTab(browser(), {}, `#/searches/${job_id}?weight=prices`)
    await signIn(page)
    await page.getByRole('combobox', { name: 'Billing code' }).selectOption('CPT 73721')
    await page.getByRole('combobox', { name: 'Modifiers' }).selectOption('26')
    const table = page.getByRole('region', { name: 'Prices by fee schedule' })
    await table.getByRole('button', { name: 'P90' }).click()
    await page.getByLabel('Filter these rows').fill('99213')
    const rates = findSampleRows({ codes: ['73721'], plans: [gold] })
      .filter((row) => String(row['billing_code_modifier'] ?? '') === '26')
      .map((row) => Number(row['negotiated_rate']))
    const prices = [...new Set(rates)].sort((a, b) => a - b)
    const at = ([share, leastPrices]: readonly [number, number]) =>
      prices.length < leastPrices ? '–' : `$${prices[Math.ceil(prices.length * share) - 1]?.toFixed(2)}`
    const row = table.getByRole('row', { name: gold.plan })
    const said = async () => (await row.getByRole('cell').allTextContents()).slice(1)
    const [median, p25, p75, p10, p90] = [
      [0.5, 1],
      [0.25, 5],
      [0.75, 5],
      [0.1, 11],
      [0.9, 11],
    ] as const
    const expected = [`few: ${prices.length}`, ...[p10, p25, median, p75, p90].map(at)]
    await expect.poll(said).toEqual(expected)
    const readText = async () => (await page.locator('article').innerText()).replace(/work until [\d:]+/, '')
    // The manifest may come after the rows.
    await page.getByRole('link', { name: 'Change this search' }).waitFor()
    const shown = await readText()
    await page.reload()
    await table.waitFor()
    await expect.poll(said).toEqual(expected)
    await expect.poll(readText).toBe(shown)
    await expect
      .poll(() => table.getByRole('columnheader', { name: 'P90' }).getAttribute('aria-sort'))
      .toBe('ascending')
    await expectAccessible(page, 'percentiles')
    await close()
  })

  it('saves the rows that are shown as CSV for spreadsheets, in which ids stay text, and as plain CSV', async () => {
    const { job_id } = await completeSearch({ billing_codes: ['99213'], fee_schedules: [gold] })
    const { page, close } = await openTab(browser(), {}, `#/searches/${job_id}?columns=plan,billing_code,npi&table=all`)
    await signIn(page)
    const save = async (name: string) => {
      const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name }).click()])
      return file
    }
    const saved = await save('CSV for spreadsheets')
    const [head, ...lines] = (await readFile(await saved.path(), 'utf8')).split('\r\n')
    const rows = findSampleRows({ codes: ['99213'], plans: [gold] })
    expect(head).toBe('\ufeffplan,billing_code,npi')
    expect(lines.slice(0, -1).sort()).toEqual(rows.map(({ npi }) => `${gold.plan},"=""99213""","=""${npi}"""`).sort())
    const plain = await save('plain CSV')
    const text = await readFile(await plain.path(), 'utf8')
    expect(text.split('\r\n').toSorted()).toEqual(
      ['', 'plan,billing_code,npi', ...rows.map(({ npi }) => `${gold.plan},99213,${npi}`)].toSorted(),
    )
    expect([saved, plain].map((file) => file.suggestedFilename())).toEqual([
      '99213-harbor-ppo-gold-rows.csv',
      '99213-harbor-ppo-gold-rows-plain.csv',
    ])
    await close()
  })

  it('lists the rows of the plot, the lowest amount first, and all rows on request', async () => {
    const { job_id } = await completeSearch({ billing_codes: ['73721', '99213'], fee_schedules: [gold, choice] })
    const { page, close } = await openTab(browser(), {}, `#/searches/${job_id}`)
    await signIn(page)
    const all = findSampleRows({ codes: ['73721', '99213'], plans: [gold, choice] })
    const count = all.length.toLocaleString('en-US')
    await page.getByRole('combobox', { name: 'Billing code' }).selectOption('CPT 73721')
    const table = page.getByRole('region', { name: 'Rows' })
    const strips = await page.getByRole('slider').all()
    const counts = await Promise.all(strips.map(async (strip) => Number(await strip.getAttribute('aria-valuemax'))))
    const prices = counts.reduce((sum, count) => sum + count, 0)
    await page.getByText(new RegExp(`^All ${count} rows .* has the \\d+ rows of the ${prices} prices in`)).waitFor()
    const amounts = async () => (await table.locator('tbody td.number:nth-child(5)').allTextContents()).map(Number)
    const shown = await amounts()
    expect(shown.length).toBeGreaterThan(0)
    expect(shown).toEqual(shown.toSorted((a, b) => a - b))
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'plain CSV' }).click(),
    ])
    expect(file.suggestedFilename()).toMatch(/-plot-rows-plain\.csv$/)
    expect(await table.getByRole('radio').count()).toBe(shown.length)
    await page.getByRole('button', { name: `Show all ${count} rows` }).click()
    await expect.poll(() => table.locator('tbody tr').count()).toBe(Math.min(100, all.length))
    const plots = table.getByRole('button', { name: /^Plot / })
    expect((await plots.count()) + (await table.getByRole('radio').count())).toBe(Math.min(100, all.length))
    expect(new URL(page.url()).hash).toContain('table=all')
    await expectAccessible(page, 'all-rows')
    await close()
  })

  it('shows one row for each price on request, with all of its providers', async () => {
    const { job_id } = await completeSearch({ billing_codes: ['73721'], fee_schedules: [choice] })
    const { page, close } = await openTab(
      browser(),
      { viewport: { width: 375, height: 800 } },
      `#/searches/${job_id}?weight=prices&table=all`,
    )
    await signIn(page)
    const rows = findSampleRows({ codes: ['73721'], plans: [choice] })
    const shown = page.getByRole('region', { name: 'Rows' }).locator('tbody tr')
    await page.getByText(`All ${rows.length} rows of the result`).waitFor()
    await page.getByLabel('One row for each price').check()
    const strips = await page.getByRole('combobox', { name: 'Modifiers' }).getByRole('option').allTextContents()
    const prices = strips.reduce((sum, text) => sum + Number(/\((\d+) prices?\)/.exec(text)?.[1]), 0)
    await expect.poll(() => shown.count()).toBe(prices)
    await page.getByLabel('Filter these rows').fill(String(rows[0]?.['npi']))
    await expect
      .poll(() => shown.first().innerText())
      .toMatch(new RegExp(`${rows[0]?.['npi']}, |, ${rows[0]?.['npi']}`))
    await expectAccessible(page, 'by-price-on-a-phone')
    await close()
  })

  it('says so if it has no row', async () => {
    const { job_id } = await completeSearch({ npis: [absentNpi], fee_schedules: [gold] })
    const { page, close } = await openTab(browser(), {}, `#/searches/${job_id}`)
    await signIn(page)
    await page.getByText('No rate matches this search').waitFor()
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
