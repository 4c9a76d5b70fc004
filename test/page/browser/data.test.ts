import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { completeSearch, readManifest } from '../../conformance/client.ts'
import { absentNpi, choice, gold } from '../../conformance/samples.ts'
import { generateResult } from '../service/generated-result.ts'
import { hasChromium, useChromium } from './chromium.ts'
import { choosePlans, expectAccessible, openAbout, openFilters, openTab, signIn } from './open-tab.ts'
import { answerRange, isSigned } from './signed-files.ts'

/** Answers reads of a result's files, by Range, with these bytes. */
const serveFile = (page: Page, bytes: ArrayBuffer) => page.route(isSigned, (route) => answerRange(route, bytes))

describe.skipIf(!hasChromium)('the page', () => {
  const browser = useChromium()

  it('says how old and how complete the data of a plan is, where it is proposed and chosen', async () => {
    const { page, close } = await openTab(browser())
    await page.route('**/v1/fee-schedules?*', async (route) => {
      const answer = await route.fetch()
      const body = await answer.json()
      const old = { last_updated_on: '2020-08-27', partial: true }
      const entries = body.fee_schedules.map((entry: object) => ({ ...entry, ...old }))
      await route.fulfill({ response: answer, json: { ...body, fee_schedules: entries } })
    })
    await signIn(page)
    await page.getByRole('combobox', { name: 'Fee schedules' }).fill('harbor')
    const said = '· published 2020-08-27 · partial: files were missing when it was loaded'
    await page.getByRole('option', { name: gold.plan }).getByText(said).waitFor()
    await choosePlans(page, gold.plan)
    await page.getByRole('list', { name: 'Chosen fee schedules' }).getByText(said).waitFor()
    await page.evaluate(`location.hash = '#/?${new URLSearchParams(choice)}&codes=99213'`)
    const chosen = page.getByRole('list', { name: 'Chosen fee schedules' }).getByRole('listitem')
    await chosen.filter({ hasText: choice.plan }).getByText(said).waitFor()
    await expectAccessible(page, 'old-data')
    await close()
  })

  it('says which plans of a result are old, partial or superseded, and what has no rate', async () => {
    const codes = ['99213', '12345', '54321']
    const { job_id } = await completeSearch({
      billing_codes: codes,
      npis: [absentNpi, 0],
      fee_schedules: [choice, gold],
    })
    const manifest = await readManifest(job_id)
    const [first, second] = manifest.fee_schedules
    const { page, close } = await openTab(browser(), {}, `#/searches/${job_id}`)
    const old = { last_updated_on: '2020-08-27', partial: true, superseded: true }
    await page.route('**/manifest', (route) =>
      route.fulfill({
        json: {
          ...manifest,
          fee_schedules: [first, { ...second, ...old }],
          without_rows: { billing_codes: ['12345', '54321'] },
        },
      }),
    )
    await signIn(page)
    await openAbout(page)
    await page.getByText(/ · published 2020-08-27 · loaded [\d-]+ · partial: files were missing/).waitFor()
    await page.getByText(/^The rates of .* were replaced or removed since/).waitFor()
    await page.getByText('2 of 3: 12345, 54321').waitFor()
    await expectAccessible(page, 'superseded')
    await page.getByRole('link', { name: 'Search again' }).click()
    await expect.poll(() => page.getByLabel('Billing codes').inputValue()).toBe('12345 54321 99213')
    await close()
  })

  it('names what was asked for in vain, as the service says it', async () => {
    const { job_id } = await completeSearch({
      billing_codes: ['99213', '12345'],
      npis: [absentNpi],
      fee_schedules: [gold],
    })
    const { page, close } = await openTab(browser(), {}, `#/searches/${job_id}`)
    await signIn(page)
    await page.getByText('No rate matches this search').waitFor()
    await page.getByText(`1 of 1: ${absentNpi}`).waitFor()
    await expectAccessible(page, 'nothing-found')
    await close()
  })

  it('says once that a check digit is wrong', async () => {
    const { page, close } = await openTab(browser())
    await signIn(page)
    await choosePlans(page, gold.plan)
    const warned: unknown[] = []
    await page.route('**/v1/estimates', async (route) => {
      const response = await route.fetch()
      warned.push(...(await response.json()).warnings)
      await route.fulfill({ response })
    })
    await openFilters(page)
    await page.getByLabel('NPIs').fill('1234567890')
    await page.getByText(/^Reads /).waitFor()
    expect(warned).toMatchObject([{ path: 'npis' }])
    await expect.poll(() => page.getByText(/check digit/).allTextContents()).toEqual(['Wrong check digit: 1234567890'])
    await close()
  })

  it('draws no plot of a result that is too large, until a code is chosen', async () => {
    const { files, found } = await generateResult(
      { rows: 264_000, files: 1, seed: 7 },
      "SELECT count(*)::INTEGER FROM rates WHERE billing_code = '90003'",
    )
    const { job_id } = await completeSearch({ billing_codes: ['99213', '12345'], fee_schedules: [gold] })
    const { page, complaints, close } = await openTab(browser(), {}, `#/searches/${job_id}`)
    await serveFile(page, files[0] ?? new ArrayBuffer())
    await signIn(page)
    await page.getByText('The first 2,000 rows: the result is too large').waitFor()
    await expect.poll(() => page.getByRole('slider').count()).toBe(0)
    await expectAccessible(page, 'too-large')
    await page.getByLabel('Billing code to compare').fill('90003')
    await page.getByRole('button', { name: 'Read all of its rows' }).click()
    await page.getByText(`All ${Number(found[0]?.[0]).toLocaleString('en-US')} rows of 90003.`).waitFor()
    await page.getByRole('slider').first().waitFor()
    await expectAccessible(page, 'asked-code')
    await page.getByLabel('Billing code to compare').fill('12345')
    await page.getByRole('button', { name: 'Read all of its rows' }).click()
    await page.getByText('The result has no row of 12345.').waitFor()
    expect(complaints).toEqual([])
    await close()
  })

  it('offers a search for one code if even its rows are too many to read', async () => {
    const { job_id } = await completeSearch({ billing_codes: ['99213', '27447'], fee_schedules: [gold] })
    const { page, close } = await openTab(browser(), {}, `#/searches/${job_id}`)
    await page.route(`**/v1/searches/${job_id}`, async (route) => {
      const answer = await route.fetch()
      const { download_urls: urls, ...body } = await answer.json()
      const many = Array.from({ length: 60 }, () => urls[0])
      await route.fulfill({ response: answer, json: { ...body, download_urls: many } })
    })
    await signIn(page)
    await page.getByLabel('Billing code to compare').fill('27447')
    await page.getByRole('button', { name: 'Read all of its rows' }).click()
    await page.getByText('27447 cannot be compared here').waitFor()
    await expect.poll(() => page.getByRole('slider').count()).toBe(0)
    await page.getByRole('link', { name: 'Search for this code alone' }).click()
    await expect.poll(() => page.getByLabel('Billing codes').inputValue()).toBe('27447')
    await close()
  })
})
