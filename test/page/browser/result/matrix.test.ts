import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { type SummaryWeight, summaryWeights } from '../../../../contract/summaries.ts'
import { completeSearch } from '../../../conformance/client.ts'
import { choice, choicePlus, gold, openAccess, silver } from '../../../conformance/samples.ts'
import { downloadRows } from '../../../conformance/shards.ts'
import { hasChromium, useChromium } from '../chromium.ts'
import { expectAccessible, openTab, signIn } from '../open-tab.ts'

const search = {
  billing_codes: ['27447', '73721', '99213', '0120', '0278'],
  fee_schedules: [choicePlus, openAccess, gold, silver, choice],
}

type Row = Readonly<Record<string, unknown>>

/** The words of a row of the matrix for a unit. */
const unitNames: Readonly<Record<string, string>> = {
  usd: 'dollars',
  usd_per_day: 'dollars a day',
  percent_of_charges: 'percent of charges',
}

const terms = ['negotiated_type', 'negotiation_arrangement', 'setting', 'additional_information']

const classNames: Readonly<Record<string, string>> = { professional: 'Professional', institutional: 'Facility' }

/** Names the statistic of a row of a summary: code, class, basis, place and plan. */
function nameStatistic(row: Row): string {
  const modifiers = Array.isArray(row['billing_code_modifier']) ? row['billing_code_modifier'].join(', ') : ''
  return [
    `${row['billing_code_type']} ${row['billing_code']}`,
    classNames[String(row['billing_class'])],
    unitNames[String(row['rate_unit'])],
    modifiers === '' ? 'no modifiers' : `modifier ${modifiers}`,
    row['place_of_service'] ?? 'no place',
    ...terms.flatMap((term) => row[term] ?? []),
    row['plan'],
  ].join(' · ')
}

/** The statistics of a summary by name: the count with the median, or below five values with ends and middle. */
async function summarize(weight: SummaryWeight) {
  const rows = await downloadRows(await completeSearch({ ...search, summary: { weight } }))
  return new Map(
    rows
      .filter((row) => Number(row['value_count']) > 0)
      .map((row) => {
        const count = Number(row['value_count'])
        const columns = count < 5 ? ['minimum', 'median', 'maximum'] : ['median']
        return [
          nameStatistic(row),
          { count, amounts: columns.map((column) => Number(Number(row[column]).toFixed(4))) },
        ] as const
      }),
  )
}

/** The cells of the matrix on the page, with all groups shown: by the same names, the count and the amounts. */
async function readMatrix(page: Page) {
  const toggles = page.locator('.matrix button[aria-expanded="false"]')
  while ((await toggles.count()) > 0) await toggles.first().click()
  const plans = await page.locator('.matrix thead th .plan').allTextContents()
  let code = ''
  const cells = new Map<string, { readonly count: number; readonly amounts: readonly number[] }>()
  for (const row of await page.locator('.matrix tbody tr').all()) {
    const head = row.locator('th')
    if ((await head.locator('.plan').count()) > 0) code = (await head.locator('.plan').textContent()) ?? ''
    const basis = ((await head.locator('.basis').textContent()) ?? '').split(' · ')
    const [className, unit, modifiers, places = '', ...others] = basis
    for (const [index, cell] of (await row.locator('td').all()).entries()) {
      if ((await cell.locator('.amount').count()) === 0) continue
      const amounts = ((await cell.locator('.amount').textContent()) ?? '').split(/, (?=\$|\d+(?:\.\d+)? %)/)
      const remarks = (await cell.locator('.remark').last().textContent()) ?? ''
      const count = Number(/^([\d,]+)\u00a0price/.exec(remarks)?.[1]?.replace(',', ''))
      const isException = (await cell.textContent())?.includes('only: ')
      if (isException) continue
      for (const place of places === 'no place' ? [places] : (places.match(/[A-Z0-9-]+(?=\)|,|$)/g) ?? []))
        cells.set([code, className, unit, modifiers, place, ...others, plans[index]].join(' · '), {
          count,
          amounts: amounts.map((amount) => Number(amount.replace(/[$,]| .*/g, ''))),
        })
    }
  }
  return cells
}

describe.skipIf(!hasChromium)('the matrix of codes by plans', () => {
  const browser = useChromium()

  it.each(summaryWeights)('equals a summary search in every cell, by weight: %s', async (weight) => {
    const { job_id } = await completeSearch(search)
    const { page, complaints, close } = await openTab(browser(), {}, `#/searches/${job_id}?weight=${weight}`)
    await signIn(page)
    await page.getByRole('heading', { name: 'Medians by code and plan' }).waitFor()
    const statistics = await summarize(weight)
    const cells = await readMatrix(page)
    expect(statistics.size).toBeGreaterThan(30)
    expect([...cells.keys()].sort()).toEqual([...statistics.keys()].sort())
    for (const [name, { count, amounts }] of statistics) {
      const cell = cells.get(name)
      expect([name, cell?.count]).toEqual([name, count])
      for (const amount of amounts) expect([name, cell?.amounts]).toEqual([name, expect.arrayContaining([amount])])
    }
    await expectAccessible(page, `matrix-${weight}`)
    expect(complaints).toEqual([])
    await close()
  })

  it('leads from a cell to its plot and its rows, with the keyboard, and its link shows them again', async () => {
    const { job_id } = await completeSearch(search)
    const { page, close } = await openTab(browser(), {}, `#/searches/${job_id}`)
    await signIn(page)
    const row = page.locator('.matrix tbody tr').filter({ hasText: 'RC 0278' }).first()
    await row.getByRole('button', { name: /%/ }).first().focus()
    await page.keyboard.press('Enter')
    const isShown = async () => {
      await page.getByText('RC 0278 in percent of charges', { exact: false }).first().waitFor()
      expect(await page.getByRole('combobox', { name: 'Billing code' }).inputValue()).toBe('RC 0278')
      const filter = await page.getByLabel('Filter these rows').inputValue()
      expect(filter).toMatch(/^(Ridge|Harbor) .* 0278$/)
      const cells = await page.getByRole('region', { name: 'Rows' }).locator('tbody tr').allTextContents()
      expect(cells.length).toBeGreaterThan(0)
      for (const text of cells) expect(text).toContain('0278')
    }
    await isShown()
    expect(await page.evaluate('document.activeElement.className')).toBe('plot')
    await page.reload()
    await isShown()
    await close()
  })

  it('shows differences from the plan that the reader chooses, and keeps it in the address', async () => {
    const { job_id } = await completeSearch(search)
    const { page, close } = await openTab(browser(), {}, `#/searches/${job_id}`)
    await signIn(page)
    const cell = () => page.locator('.matrix tbody tr').first().locator('td').nth(1).textContent()
    await expect.poll(cell).toContain('+')
    const plan = await page.locator('.matrix thead th .plan').nth(1).textContent()
    await page.getByLabel('Differences from').selectOption({ index: 1 })
    await expect.poll(cell).not.toContain('+')
    await page
      .locator('.matrix thead th', { hasText: 'reference' })
      .filter({ hasText: String(plan) })
      .waitFor()
    expect(decodeURIComponent(new URL(page.url()).hash)).toContain('reference=')
    await close()
  })

  it.each([
    { name: 'phone', options: { viewport: { width: 390, height: 844 } } },
    { name: 'dark', options: { viewport: { width: 1280, height: 900 }, colorScheme: 'dark' } },
    { name: 'forced-colours', options: { viewport: { width: 1280, height: 900 }, forcedColors: 'active' } },
  ] as const)('can be read and operated: $name', async ({ name, options }) => {
    const { job_id } = await completeSearch(search)
    const { page, close } = await openTab(browser(), options, `#/searches/${job_id}`)
    await signIn(page)
    await page.locator('.matrix button[aria-expanded="false"]').first().click()
    expect(await page.locator('.matrix table').count()).toBe(name === 'phone' ? 0 : 1)
    await expectAccessible(page, `matrix-${name}`)
    await close()
  })
})
