import { describe, expect, it } from 'vitest'
import { failSearch } from '../../conformance/client.ts'
import { gold, smallSearch } from '../../conformance/samples.ts'
import { hasChromium, useChromium } from './chromium.ts'
import { awaitResult, choosePlans, expectAccessible, openAbout, openTab, signIn } from './open-tab.ts'

const hostile = '<img src=x onerror=alert(1)>\u202eevil'

const errorOf = (type: string, message: string) => JSON.stringify({ error: { type, message, request_id: 'r-1' } })

describe.skipIf(!hasChromium)('the page', () => {
  const browser = useChromium()

  it.each([
    ['malformed', 'not a key', 'A key has only letters'],
    ['unknown', `rates_${'A'.repeat(54)}`, 'This key is not known'],
  ])('refuses a key that is %s', async (kind, key, message) => {
    const { page, close } = await openTab(browser())
    await signIn(page, key)
    await page.getByText(message).waitFor()
    await expectAccessible(page, `key-${kind}`)
    await close()
  })

  it('asks for another key if this one is revoked in the meantime', async () => {
    const { page, close } = await openTab(browser())
    await signIn(page)
    await choosePlans(page, gold.plan)
    await page.getByLabel('Billing codes').fill('99213')
    const body = errorOf('forbidden', 'This key was revoked.')
    await page.route('**/v1/searches', (route) => route.fulfill({ status: 403, contentType: 'application/json', body }))
    await page.getByRole('button', { name: 'Start search' }).click()
    await page.getByText('This key was revoked').waitFor()
    await page.unroute('**/v1/searches')
    await signIn(page)
    // The typed text is still there.
    await expect.poll(() => page.getByLabel('Billing codes').inputValue()).toBe('99213')
    await close()
  })

  it.each([
    [429, errorOf('rate_limited', 'The organization has 20 searches that run.'), 'Too many requests'],
    [403, errorOf('not_permitted', 'This API key may only read and estimate.'), 'This key may not do that'],
    [503, errorOf('internal_error', 'Internal error.'), 'Internal error'],
  ])('says what to do after status %i, and tries again', async (status, body, title) => {
    const { page, close } = await openTab(browser())
    await signIn(page)
    await choosePlans(page, gold.plan)
    await page.getByLabel('Billing codes').fill('99213')
    const headers = { 'Retry-After': '61' }
    await page.route('**/v1/searches', (route) =>
      route.fulfill({ status, contentType: 'application/json', body, headers }),
    )
    await page.getByRole('button', { name: 'Start search' }).click()
    await page.getByText(title).waitFor()
    await expectAccessible(page, `status-${status}`)
    await page.unroute('**/v1/searches')
    await page.getByRole('button', { name: 'Try again' }).click()
    await awaitResult(page)
    await close()
  })

  it('shows hostile names as text, in their own direction', async () => {
    const { page, complaints, close } = await openTab(browser())
    const entry = {
      payer: 'x'.repeat(200),
      plan: hostile,
      plan_ids: [],
      plan_id_count: 0,
      last_updated_on: null,
      partial: false,
    }
    const body = JSON.stringify({ fee_schedules: [entry], next_cursor: null })
    await page.route('**/v1/fee-schedules*', (route) => route.fulfill({ contentType: 'application/json', body }))
    await signIn(page)
    await page.getByRole('combobox', { name: 'Fee schedules' }).fill('<img')
    await page.getByRole('option').click()
    await page.getByRole('button', { name: 'Remove' }).waitFor()
    await expect.poll(() => page.locator('img').count()).toBe(0)
    await expectAccessible(page, 'hostile-names')
    expect(complaints).toEqual([])
    await close()
  })

  it('tells people, not programs, what to do about a plan that does not exist', async () => {
    const missing = { ...gold, plan: 'Harbor PPO Golden' }
    const { job_id } = await failSearch({ ...smallSearch, fee_schedules: [missing] })
    const { page, close } = await openTab(browser(), {}, `#/searches/${job_id}`)
    await signIn(page)
    await page.getByText('did you mean "Harbor PPO Gold"').waitFor()
    await page.getByText('Change this search, and choose from the list there.').waitFor()
    await expect.poll(() => page.getByText('/v1/').count()).toBe(0)
    await close()
  })

  it('says why a search failed, and leads back to the form filled in', async () => {
    const { page, close } = await openTab(browser(), {}, '#/searches/00000000-0000-4000-8000-000000000000')
    const search = {
      job_id: '00000000-0000-4000-8000-000000000000',
      created_at: '2026-11-20T19:45:08.974+00:00',
      status_url: 'http://x/y',
      status: 'failed',
      error: 'too_broad: The search reads more data than the service allows: name fewer plans.',
    }
    const body = JSON.stringify(search)
    const request = { billing_codes: ['99213', '27447'], fee_schedules: [gold] }
    const facts = { request, attempts: [], fee_schedules: [], failed_at: search.created_at }
    await page.route('**/v1/searches/*', (route) => route.fulfill({ contentType: 'application/json', body }))
    await page.route('**/manifest', (route) =>
      route.fulfill({ contentType: 'application/json', body: JSON.stringify({ ...search, ...facts }) }),
    )
    await signIn(page)
    await page.getByText('The search reads too much.').waitFor()
    await page.getByRole('region', { name: 'What was searched' }).getByText('99213, 27447').waitFor()
    await expectAccessible(page, 'failed')
    await page.getByRole('link', { name: 'Change this search' }).click()
    await page.getByRole('heading', { name: 'New search' }).waitFor()
    await expect.poll(() => page.getByLabel('Billing codes').inputValue()).toBe('99213 27447')
    await page.getByRole('list', { name: 'Chosen fee schedules' }).getByText(gold.plan).first().waitFor()
    await close()
  })

  it('lists a thousand files only when asked, and cancels a running search', async () => {
    const { page, close } = await openTab(browser(), {}, '#/searches/00000000-0000-4000-8000-000000000000')
    const base = {
      job_id: '00000000-0000-4000-8000-000000000000',
      created_at: '2026-11-20T19:45:08.974+00:00',
      status_url: 'http://x/y',
    }
    const urls = Array.from({ length: 1000 }, (_, index) => `http://127.0.0.1:9/file-${index}?X-Amz-Signature=0`)
    const done = {
      ...base,
      status: 'completed',
      completed_at: base.created_at,
      download_urls: urls,
      expires_at: '2999-01-01T00:00:00.000+00:00',
    }
    let answer: object = { ...base, status: 'processing' }
    await page.route('**/v1/searches/*', (route) =>
      route.fulfill({ contentType: 'application/json', headers: { 'Retry-After': '2' }, body: JSON.stringify(answer) }),
    )
    // The search ends while the cancellation is under way: the page shows the result that there is.
    await page.route('**/cancel', (route) => {
      answer = done
      return route.fulfill({
        status: 409,
        contentType: 'application/json',
        body: errorOf('conflict', 'The search has ended.'),
      })
    })
    await signIn(page)
    await page.getByText('The rates are being read.').waitFor()
    await expectAccessible(page, 'processing')
    await page.getByRole('button', { name: 'Cancel search' }).click()
    await openAbout(page)
    await page.getByRole('button', { name: 'Download all 1,000 files' }).waitFor()
    await page.getByText('The files could not be read.').waitFor()
    await expect.poll(() => page.getByRole('link', { name: /^Download file/ }).count()).toBe(20)
    await expectAccessible(page, 'thousand-files')
    await page.getByRole('button', { name: 'List all 1,000 files' }).click()
    await expect.poll(() => page.getByRole('link', { name: /^Download file/ }).count()).toBe(1000)
    await close()
  })
})
