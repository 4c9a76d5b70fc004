import type { Browser } from 'playwright-core'
import { describe, expect, inject, it } from 'vitest'
import { completeSearch } from '../../conformance/client.ts'
import { choicePlus, openAccess } from '../../conformance/samples.ts'
import { hasChromium, useChromium } from './chromium.ts'
import { awaitResult, openTab, type Tab } from './open-tab.ts'

const { baseUrl, keys } = inject('service')

const search = { billing_codes: ['73721', '99213'], fee_schedules: [choicePlus, openAccess] }

/** Makes a property throw when it is read. */
const throwing = (object: string, property: string) =>
  `Object.defineProperty(${object}, '${property}', { get() { throw new DOMException('The operation is insecure.', 'SecurityError') } })`

const removing = (object: string, property: string) =>
  `Object.defineProperty(${object}, '${property}', { value: undefined })`

/** Scripts that take something from a browser before the page starts. */
const lacks = {
  'blocks site data': ['sessionStorage', 'localStorage', 'indexedDB', 'caches']
    .map((name) => throwing('window', name))
    .concat(throwing('Document.prototype', 'cookie'))
    .join(';'),
  'has no room in its storage': `Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError') }`,
  'opened the page without encryption': [
    removing('Crypto.prototype', 'randomUUID'),
    removing('Crypto.prototype', 'subtle'),
    removing('Navigator.prototype', 'clipboard'),
    removing('Navigator.prototype', 'serviceWorker'),
    removing('window', 'ClipboardItem'),
  ].join(';'),
  'refuses its clipboard': `Clipboard.prototype.write = () => Promise.reject(new DOMException('denied', 'NotAllowedError'))`,
  'refuses to change the address': `History.prototype.replaceState = () => { throw new DOMException('too often', 'SecurityError') }`,
  'observes no elements': ['IntersectionObserver', 'ResizeObserver'].map((name) => `delete window.${name}`).join(';'),
  'knows no media queries': removing('window', 'matchMedia'),
  'opens no windows': 'window.open = () => null',
}

async function openWith(browser: Browser, script: string, fragment = '', options = {}): Promise<Tab> {
  const context = await browser.newContext({ locale: 'en-US', viewport: { width: 1200, height: 900 }, ...options })
  const page = await context.newPage()
  page.setDefaultTimeout(20_000)
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(error.message))
  await page.addInitScript(script)
  await page.goto(`${baseUrl}/${fragment}`)
  return { page, complaints, close: () => context.close() }
}

async function enterKey({ page }: Tab): Promise<void> {
  await page.getByLabel('API key').fill(keys[0])
  await page.getByRole('button', { name: 'Continue' }).click()
}

describe.skipIf(!hasChromium)('the page', () => {
  const browser = useChromium()

  it.each(Object.entries(lacks))('works in a browser that %s', async (_, script) => {
    const { job_id } = await completeSearch(search)
    const tab = await openWith(browser(), script, `#/searches/${job_id}`)
    const { page, complaints, close } = tab
    await enterKey(tab)
    await awaitResult(page)
    const sentence = page.locator('.answer').first()
    await sentence.waitFor()
    const select = page.locator('select', { hasText: 'CPT 73721' }).first()
    for (const code of ['CPT 73721', 'CPT 99213']) {
      const labels = await select.locator('option').allInnerTexts()
      await select.selectOption({ label: labels.find((label) => label.startsWith(code)) ?? '' })
      await expect.poll(() => sentence.innerText()).toContain(code.slice('CPT '.length))
    }
    await page.getByRole('button', { name: 'Copy as picture' }).first().click()
    await page.getByText(/The picture is (in the clipboard|saved)|refused its clipboard/).waitFor()
    await page
      .getByRole('link', { name: 'Change this search' })
      .or(page.getByRole('link', { name: 'New search' }))
      .first()
      .click()
    await page.getByRole('button', { name: 'Start search' }).waitFor()
    await page.goto(`${baseUrl}/#/?payer=${choicePlus.payer}&plan=${choicePlus.plan}&codes=99213`)
    await page.getByRole('button', { name: 'Start search' }).click()
    await awaitResult(page)
    expect(complaints).toEqual([])
    await close()
  })

  it('says that a key is asked for again where the browser stores nothing', async () => {
    const tab = await openWith(browser(), lacks['blocks site data'])
    await tab.page.getByText('you will be asked again when it is loaded again').waitFor()
    await enterKey(tab)
    await tab.page.getByRole('heading', { name: 'New search' }).waitFor()
    await tab.page.reload()
    await tab.page.getByLabel('API key').waitFor()
    expect(tab.complaints).toEqual([])
    await tab.close()
  })

  it.each(['ar-EG', 'de-DE', 'fa-IR', 'th-TH', 'hi-IN-u-nu-deva'])(
    'writes English in a browser of %s',
    async (locale) => {
      const { job_id } = await completeSearch(search)
      const texts = await Promise.all(
        ['en-US', locale].map(async (each) => {
          const tab = await openWith(browser(), '', `#/searches/${job_id}`, { locale: each, timezoneId: 'UTC' })
          await enterKey(tab)
          await awaitResult(tab.page)
          await tab.page.locator('.rest').waitFor({ state: 'detached' })
          const text = await tab.page.locator('#app').textContent()
          await tab.close()
          return text?.replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d/g, 'moment')
        }),
      )
      expect(texts[0]).toContain('November 2026')
      expect(texts[1]).toBe(texts[0])
    },
  )

  const faults = {
    'fails while it draws': [
      `const groupBy = Map.groupBy; Map.groupBy = () => { throw new RangeError('no groups here') }`,
      'no groups here',
    ],
    'fails at start': [`Object.defineProperty(window, 'URLSearchParams', { value: undefined })`, 'URLSearchParams'],
  } as const

  it.each(Object.entries(faults))('says what happened if it %s', async (_, [script, message]) => {
    const { job_id } = await completeSearch(search)
    const tab = await openWith(browser(), script, `#/searches/${job_id}`)
    const key = tab.page.getByLabel('API key')
    const stopped = tab.page.getByText('The page has stopped because of an error')
    await key.or(stopped).waitFor()
    if ((await key.count()) > 0) await enterKey(tab)
    await stopped.waitFor()
    expect(await stopped.innerText()).toContain(message)
    await tab.page.getByRole('button', { name: 'Load the page again' }).waitFor()
    await tab.close()
  })

  it('opens another view after one that failed', async () => {
    const { job_id } = await completeSearch(search)
    const tab = await openWith(browser(), faults['fails while it draws'][0], `#/searches/${job_id}`)
    await enterKey(tab)
    await tab.page.getByRole('alert').getByRole('link', { name: 'new search' }).click()
    await tab.page.getByRole('button', { name: 'Start search' }).waitFor()
    expect(await tab.page.getByText('The page has stopped').count()).toBe(0)
    await tab.close()
  })

  it('says that it did not start in a browser that cannot run it', async () => {
    const { page, close } = await openTab(browser())
    await page.route('**/app.js?*', (route) => route.fulfill({ contentType: 'text/javascript', body: 'let new = 1' }))
    await page.reload()
    const sentence = page.getByText('This page did not start.')
    await sentence.waitFor()
    expect(await sentence.innerText()).toContain(
      'It needs JavaScript, and Chrome 119, Edge 119, Firefox 128, or Safari 17.4',
    )
    await close()
  })
})
