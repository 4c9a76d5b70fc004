import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { writeDraftLink } from '../../../../page/form/draft-link.ts'
import { completeSearch } from '../../../conformance/client.ts'
import { choicePlus, gold } from '../../../conformance/samples.ts'
import { hasChromium, useChromium } from '../chromium.ts'
import { choosePlans, collectCreations, expectAccessible, openFilters, openTab, signIn } from '../open-tab.ts'

/** Lets the service estimate every search as a large one. */
const enlargeEstimates = (page: Page) =>
  page.route('**/v1/estimates', async (route) => {
    const response = await route.fetch()
    const isSummary = route.request().postData()?.includes('"summary"') === true
    const size = isSummary ? { files: 84, bytes: 1_900_000_000 } : { files: 84, bytes: 2_100_000_000 }
    await route.fulfill({ response, json: { ...(await response.json()), ...size } })
  })

describe.skipIf(!hasChromium)('the form of a search', () => {
  const browser = useChromium()

  it('stays in the address, so that a reload, the way back and a copied link bring it again', async () => {
    const { page, complaints, close } = await openTab(browser())
    await signIn(page)
    await choosePlans(page, gold.plan)
    await page.getByLabel('Billing codes').fill('99213 hello-world')
    await openFilters(page)
    await page.getByLabel('States of providers').fill('Oregon and')
    await page.getByLabel('As of').fill('2026-10-31')
    const isKept = async () => {
      await page.getByRole('list', { name: 'Chosen fee schedules' }).getByText(gold.plan).first().waitFor()
      await expect.poll(() => page.getByLabel('Billing codes').inputValue()).toBe('99213 hello-world')
      await expect.poll(() => page.getByLabel('States of providers').inputValue()).toBe('Oregon and')
      await expect.poll(() => page.getByLabel('As of').inputValue()).toBe('2026-10-31')
    }
    await expect.poll(() => new URL(page.url()).hash).toContain('as_of=2026-10-31')
    await page.reload()
    await isKept()
    await page.getByRole('link', { name: 'Searches' }).click()
    await page.getByRole('heading', { name: 'Searches' }).waitFor()
    await page.goBack()
    await isKept()
    // A new search begins empty; the way back leads to the other again.
    await page.getByRole('link', { name: 'New search' }).click()
    await expect.poll(() => page.getByLabel('Billing codes').inputValue()).toBe('')
    await page.goBack()
    await isKept()
    expect(complaints).toEqual([])
    await close()
  })

  it('points out ranges, modifiers and words among codes, and replaces them by what is meant', async () => {
    const { page, close } = await openTab(browser(), { viewport: { width: 390, height: 844 } })
    await signIn(page)
    const codes = page.getByLabel('Billing codes')
    await codes.fill('27447, 99213-99215, 73721-26, hello')
    await page.getByText('99213-99215 is a range; codes are searched for one by one.').waitFor()
    await page.getByText('73721-26 has a modifier. Search for 73721').waitFor()
    await page.getByText('HELLO has no digit, so it is hardly a code').waitFor()
    await expectAccessible(page, 'hints')
    await page.getByRole('button', { name: 'Use 99213, 99214, 99215 for 99213-99215' }).click()
    await page.getByRole('button', { name: 'Use 73721 for 73721-26' }).click()
    await expect.poll(() => codes.inputValue()).toBe('27447, 99213 99214 99215, 73721, hello')
    await close()
  })

  it('finds codes by words of their names, by keyboard', async () => {
    const { page, complaints, close } = await openTab(browser())
    await signIn(page)
    const names = page.getByRole('combobox', { name: 'Find codes by name' })
    await names.fill('return vis')
    await page.getByRole('option', { name: 'CPT 99213 Return visit, medium' }).waitFor()
    await page.keyboard.press('ArrowDown')
    await expectAccessible(page, 'code-names')
    const option = await page.getByRole('option', { selected: true }).textContent()
    await page.keyboard.press('Enter')
    const codes = page.getByLabel('Billing codes')
    await expect.poll(() => codes.inputValue()).toBe(/\d{5}/.exec(option ?? '')?.[0])
    await names.fill('99213')
    await page.getByRole('option', { name: 'CPT 99213' }).click()
    await expect.poll(() => codes.inputValue()).toMatch(/^\d{5} 99213$/)
    await names.fill('nobody names this')
    await page.getByText('No loaded file names such a code.').waitFor()
    expect(complaints).toEqual([])
    await close()
  })

  it('finds specialties by words of their names', async () => {
    const { page, close } = await openTab(browser())
    const specialties = [{ code: '0000A0001X', name: 'Harbor Medicine', grouping: 'Made-up Physicians' }]
    await page.route('**/v1/specialties*', (route) => route.fulfill({ json: { specialties, next_cursor: null } }))
    await signIn(page)
    await openFilters(page)
    await page.getByRole('combobox', { name: 'Find specialties by name' }).fill('harbor')
    await page.getByRole('option', { name: 'Harbor Medicine' }).click()
    await expect.poll(() => page.getByLabel('Specialties of providers').inputValue()).toBe('0000A0001X')
    await expectAccessible(page, 'specialty-names')
    await close()
  })

  it('corrects a plan that is written in another case where it stands, and starts only then', async () => {
    const misspelt = { payer: gold.payer.toUpperCase(), plan: gold.plan.toLowerCase() }
    const link = writeDraftLink({ billing_codes: ['99213'], fee_schedules: [misspelt] })
    const { page, close } = await openTab(browser(), {}, link)
    const creations = collectCreations(page)
    await signIn(page)
    await page.getByText(`The spelling was corrected to ${gold.plan}.`).waitFor()
    await page.getByText(/^Reads /).waitFor()
    await page.getByRole('list', { name: 'Chosen fee schedules' }).getByText(gold.plan).first().waitFor()
    await page.getByRole('button', { name: 'Start search' }).click()
    await page.getByText(/^All \d+ rows/).waitFor()
    expect(creations).toHaveLength(1)
    await close()
  })

  it('shows its button on the first screen of a phone', async () => {
    const { page, close } = await openTab(browser(), { viewport: { width: 390, height: 844 } })
    await signIn(page)
    const box = await page.getByRole('button', { name: 'Start search' }).boundingBox()
    expect(box && box.y + box.height).toBeLessThan(844)
    await close()
  })

  it('starts a summary beside the rows of a large search, and each leads to the other', async () => {
    const link = writeDraftLink({ billing_codes: ['73721'], fee_schedules: [choicePlus] })
    const { page, complaints, close } = await openTab(browser(), {}, link)
    await enlargeEstimates(page)
    const creations = collectCreations(page)
    await signIn(page)
    await page.getByText('Reads 84 files, 1.9 GB at most.').waitFor()
    await page.getByText('Reads 84 files, 2.1 GB at most.').waitFor()
    await expectAccessible(page, 'large-search')
    await page.getByRole('button', { name: 'Start search' }).click()
    await page.getByRole('heading', { level: 1, name: 'Summary · 73721 · ' }).waitFor()
    await page.getByRole('link', { name: 'All rows of this search' }).click()
    await page.locator('.strip').first().waitFor()
    await page.getByRole('link', { name: 'Summary of this search' }).click()
    await page.getByRole('heading', { level: 1, name: 'Summary · 73721 · ' }).waitFor()
    expect(creations).toHaveLength(2)
    expect(complaints).toEqual([])
    await close()
  })

  it('starts only the summary of a large search if it is chosen', async () => {
    const link = writeDraftLink({ billing_codes: ['73721'], fee_schedules: [choicePlus] })
    const { page, close } = await openTab(browser(), {}, link)
    await enlargeEstimates(page)
    const creations = collectCreations(page)
    await signIn(page)
    await page.getByRole('radio', { name: /^Summary/ }).check()
    await page.getByRole('button', { name: 'Start search' }).click()
    await page.getByRole('heading', { level: 1, name: 'Summary · 73721 · ' }).waitFor()
    expect(creations.map((body) => JSON.parse(body).summary)).toEqual([{}])
    expect(await page.getByRole('link', { name: 'All rows of this search' }).count()).toBe(0)
    await close()
  })

  it('offers the summary of an older result that is too large for the page', async () => {
    const { job_id } = await completeSearch({ billing_codes: ['99213', '27447'], fee_schedules: [gold] })
    const { page, complaints, close } = await openTab(browser(), {}, `#/searches/${job_id}`)
    await page.route(`**/v1/searches/${job_id}`, async (route) => {
      const response = await route.fetch()
      const { download_urls: urls, ...body } = await response.json()
      await route.fulfill({ response, json: { ...body, download_urls: Array.from({ length: 60 }, () => urls[0]) } })
    })
    await signIn(page)
    await page.getByRole('button', { name: 'Summarise' }).click()
    await page.getByRole('heading', { level: 1, name: 'Summary · 27447, 99213 · ' }).waitFor()
    await page.getByRole('link', { name: 'All rows of this search' }).click()
    await page.getByRole('link', { name: 'Summary of this search' }).waitFor()
    expect(new URL(page.url()).hash).toContain(job_id)
    expect(complaints).toEqual([])
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await close()
  })

  it('shows no fields for places and specialties if the service does not know them', async () => {
    const { page, close } = await openTab(browser())
    await page.route('**/v1/fee-schedules*', async (route) => {
      const response = await route.fetch()
      await route.fulfill({ response, json: { ...(await response.json()), provider_lists: [] } })
    })
    await signIn(page)
    await page.locator('summary', { hasText: 'More filters: providers, an earlier day' }).click()
    await page.getByLabel('TINs').waitFor()
    expect(await page.getByLabel('States of providers').count()).toBe(0)
    expect(await page.getByLabel('Specialties of providers').count()).toBe(0)
    expect(await page.getByLabel('Find providers by name').count()).toBe(0)
    // A link that fills one in shows it, with what the service says of it.
    await page.goto(`${page.url().split('#')[0]}#/?states=OR`)
    await expect.poll(() => page.getByLabel('States of providers').inputValue()).toBe('OR')
    await close()
  })
})
