import { describe, expect, inject, it } from 'vitest'
import { writeDraftLink } from '../../../page/form/draft-link.ts'
import { completeSearch } from '../../conformance/client.ts'
import { absentNpi, choicePlus, findSampleRows, gold, smallSearch } from '../../conformance/samples.ts'
import { hasChromium, useChromium } from './chromium.ts'
import { collectCreations, expectAccessible, openAbout, openTab, signIn } from './open-tab.ts'

const { baseUrl, isLocal } = inject('service')

describe.skipIf(!hasChromium)('the page', () => {
  const browser = useChromium()

  it('opens with a search written into it, as npm start links to it', async () => {
    const { page, close } = await openTab(browser(), {}, writeDraftLink(smallSearch))
    await signIn(page)
    const chosen = page.getByRole('list', { name: 'Chosen fee schedules' }).getByRole('listitem')
    await chosen.first().waitFor()
    await expect.poll(() => chosen.count()).toBe(smallSearch.fee_schedules.length)
    await page.getByText(/^Reads /).waitFor()
    await expectAccessible(page, 'filled-in')
    await page.getByRole('button', { name: 'Start search' }).click()
    await page.getByText('All 16 rows of the result').waitFor()
    // Codes in order, the first plan by name.
    const title = '27447, 73721 + 1 · NPI 1000100002, 1000100010 · '
    await page.getByRole('heading', { level: 1, name: title }).waitFor()
    expect(await page.title()).toMatch(new RegExp(`^${title.replace('+', '\\+')}.* – Rate search$`))
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'CSV for spreadsheets' }).click(),
    ])
    expect(download.suggestedFilename()).toMatch(/^27447-73721-1-npi-1000100002-.*-rows\.csv$/)
    await openAbout(page)
    const facts = page.getByRole('region', { name: 'What was searched' })
    await facts.getByText('27447, 73721, 99213').waitFor()
    await facts.getByText(/^16 rows, .* kB in 1 file; kept until /).waitFor()
    await page.getByRole('link', { name: 'Change this search' }).click()
    await chosen.first().waitFor()
    await expect.poll(() => chosen.count()).toBe(smallSearch.fee_schedules.length)
    await expect.poll(() => page.getByLabel('NPIs').inputValue()).toBe(smallSearch.npis.join(' '))
    await close()
  })

  it('starts no search of a plan that does not exist, until its name is corrected', async () => {
    const misspelt = { ...gold, plan: `${gold.plan}en` }
    const link = writeDraftLink({ billing_codes: ['99213'], fee_schedules: [misspelt] })
    const { page, close } = await openTab(browser(), {}, link)
    const creations = collectCreations(page)
    await signIn(page)
    const start = page.getByRole('button', { name: 'Start search' })
    // At once, before the form knows its estimate, and again when it does.
    await start.click()
    const problem = page.getByRole('alert').getByText(`${misspelt.plan} of ${misspelt.payer} cannot be searched`)
    await problem.waitFor()
    const correction = page.getByRole('button', { name: `Use ${gold.plan} of ${gold.payer}` })
    await correction.waitFor()
    expect(await page.getByText(/^Reads /).count()).toBe(0)
    expect(await page.locator('[role="status"] button').count()).toBe(0)
    await start.click()
    await problem.waitFor()
    await expectAccessible(page, 'misspelt-plan')
    expect(creations).toEqual([])
    await correction.click()
    await page.getByText(/^Reads /).waitFor()
    await start.click()
    await page.getByText(/^All \d+ rows/).waitFor()
    expect(creations).toHaveLength(1)
    await close()
  })

  it('says that a link leads nowhere, above the form of a new search', async () => {
    const { page, close } = await openTab(browser(), {}, '#/nope')
    await signIn(page)
    await page.getByText('There is no page #/nope').waitFor()
    await page.getByRole('combobox', { name: 'Fee schedules' }).waitFor()
    await expectAccessible(page, 'unknown-link')
    await page.getByRole('link', { name: 'New search' }).click()
    await expect.poll(() => page.getByText('There is no page').count()).toBe(0)
    await close()
  })

  it('takes states, ZIP codes and specialties of providers, and says if the service does not know them', async () => {
    const providers = { states: ['TX'], zips: ['77030'], taxonomies: ['207R00000X'] }
    const { page, close } = await openTab(browser(), {}, writeDraftLink({ ...smallSearch, providers }))
    // As a service without NPPES refuses it.
    const message = 'cannot be searched by before NPPES is loaded: leave it out'
    await page.route('**/v1/estimates', (route) =>
      route.fulfill({
        status: 400,
        json: {
          error: {
            type: 'invalid_request',
            message: `providers: ${message}`,
            request_id: 'r-1',
            details: [{ path: 'providers', message }],
          },
        },
      }),
    )
    await signIn(page)
    const states = page.getByLabel('States of providers')
    expect(await states.inputValue()).toBe('TX')
    await expect.poll(() => page.getByLabel('ZIP codes of providers').inputValue()).toBe('77030')
    await expect.poll(() => page.getByLabel('Specialties of providers').inputValue()).toBe('207R00000X')
    await page.getByText(/^providers: cannot be searched by before NPPES is loaded: /).waitFor()
    await states.fill('tx, Puerto Rico, Texes')
    await page.getByText('2 states: TX, PR').waitFor()
    await page.getByText('Not states: Texes').waitFor()
    await page.getByRole('button', { name: 'Start search' }).click()
    await page.getByText('Correct or remove what could not be read.').waitFor()
    await expectAccessible(page, 'providers')
    await close()
  })

  it('searches the providers of a state, who are named in the rows', async () => {
    const search = { billing_codes: ['27447'], fee_schedules: [choicePlus], providers: { states: ['OR'] } }
    const { page, complaints, close } = await openTab(browser(), {}, writeDraftLink(search))
    await signIn(page)
    await page.getByText(/^Reads /).waitFor()
    await page.getByRole('button', { name: 'Start search' }).click()
    const cells = page.getByRole('region', { name: 'Rows' }).locator('tbody tr').first()
    await expect.poll(() => cells.innerText()).toMatch(/[A-Z]{3,}/)
    const all = findSampleRows({ codes: ['27447'], plans: [choicePlus] })
    const count = Number(/All ([\d,]+) rows/.exec(await page.locator('article').innerText())?.[1]?.replace(',', ''))
    expect(count).toBeGreaterThan(0)
    expect(count).toBeLessThan(all.length)
    expect(complaints).toEqual([])
    await close()
  })

  it.runIf(isLocal)('reads results also if it was opened as localhost', async () => {
    const { job_id } = await completeSearch(smallSearch)
    const { page, complaints, close } = await openTab(browser())
    await page.goto(`${baseUrl.replace('127.0.0.1', 'localhost')}/#/searches/${job_id}`)
    await signIn(page)
    await page.getByText('All 16 rows of the result').waitFor()
    expect(complaints).toEqual([])
    await close()
  })

  it('lists the searches of one state', async () => {
    await completeSearch({ npis: [absentNpi], fee_schedules: [gold] })
    const { page, close } = await openTab(browser(), {}, '#/searches')
    await signIn(page)
    const asked = page.waitForRequest((request) => request.url().includes('status=completed'))
    await page.getByLabel('State').selectOption('Completed')
    await asked
    await page.getByRole('row').nth(1).waitFor()
    const states = async () => new Set(await page.getByRole('row').locator('td:nth-child(2)').allTextContents())
    await expect.poll(states).toEqual(new Set(['Completed']))
    await page.getByLabel('State').selectOption('Queued')
    // The tests of the page share an organization: if others have made more searches than one answer lists, the page
    // says so in other words.
    await page.getByText(/(No search of your organization|None of the latest searches) is in this state/).waitFor()
    await expectAccessible(page, 'list-of-none')
    await close()
  })

  it('stays quick if there are 100,000 plans', async () => {
    const plans = Array.from({ length: 100_000 }, (_, index) => ({
      payer: `Payer ${index % 40}`,
      plan: `Plan ${String(index).padStart(6, '0')}`,
      plan_ids: [],
      plan_id_count: 0,
      last_updated_on: null,
      partial: false,
    }))
    const { page, close } = await openTab(browser())
    await signIn(page)
    await page.getByRole('heading', { name: 'New search' }).waitFor()
    let asked = 0
    await page.route('**/v1/fee-schedules*', (route) => {
      asked += 1
      const { searchParams } = new URL(route.request().url())
      const start = (searchParams.get('q') ?? '').toLowerCase()
      const found = plans.filter(({ plan, payer }) =>
        [plan, payer].some((name) => name.toLowerCase().startsWith(start)),
      )
      const limit = Number(searchParams.get('limit'))
      const body = { fee_schedules: found.slice(0, limit), next_cursor: found.length > limit ? 'more' : null }
      return route.fulfill({ contentType: 'application/json', body: JSON.stringify(body) })
    })
    const input = page.getByRole('combobox', { name: 'Fee schedules' })
    await input.focus()
    await page.getByText('The first 50; type more to narrow them.').waitFor()
    await expect.poll(() => page.getByRole('option').count()).toBe(50)
    await input.pressSequentially('plan 09999')
    await page.getByText('10 found.').waitFor()
    await expect.poll(() => page.getByRole('option').first().textContent()).toContain('Plan 099990')
    // One for the empty text, and far fewer than one a key.
    expect(asked).toBeLessThan(8)
    await close()
  })
})
