import type { Page } from 'playwright-core'
import { describe, expect, inject, it } from 'vitest'
import { completeSearch } from '../../conformance/client.ts'
import { choicePlus, openAccess } from '../../conformance/samples.ts'
import { hasChromium, useChromium } from './chromium.ts'
import { awaitResult, openAbout, openFilters, openTab, signIn } from './open-tab.ts'

const { baseUrl } = inject('service')

/** Ways in which browsers and extensions translate, by what they do to each text node. The texts stay as they are. */
const translators = {
  // Source: what Chrome does to a page.
  'replaces each text at once': 'text.replaceWith(copy)',
  'adds a text before it removes the other': 'text.before(copy); text.remove()',
  'removes a text before it adds the other':
    'const place = text.nextSibling, parent = text.parentNode; text.remove(); parent.insertBefore(copy, place)',
  'adds its text beside the other': 'text.after(copy)',
  'writes into each text': 'text.data = "[" + text.data + "]"; text.data = text.data.slice(1, -1)',
}

/** Translates all texts, also those that ask not to be translated. */
const translate = (page: Page, change: string): Promise<unknown> =>
  page.evaluate(`(() => {
    const walker = document.createTreeWalker(document.getElementById('app'), NodeFilter.SHOW_TEXT)
    const texts = []
    while (walker.nextNode()) texts.push(walker.currentNode)
    for (const text of texts) {
      if (text.data.trim() === '' || ['OPTION', 'TEXTAREA', 'FONT'].includes(text.parentNode.nodeName)) continue
      const copy = document.createElement('font')
      copy.appendChild(document.createElement('font')).textContent = text.data
      ${change}
    }
  })()`)

/** Moments may differ by a minute between two tabs. */
const readText = async (page: Page): Promise<string> =>
  ((await page.locator('#app').textContent()) ?? '').replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d/g, 'moment')

/** Waits until a page has not changed for a moment. */
async function settle(page: Page): Promise<string> {
  let earlier = ''
  await expect
    .poll(
      async () => {
        const text = await readText(page)
        const isSettled = text === earlier && !/ …|Loading|Reading/.test(text.replace('result …', ''))
        earlier = text
        return isSettled
      },
      { interval: 150, timeout: 30_000 },
    )
    .toBe(true)
  return earlier
}

type Action = (page: Page) => Promise<unknown>

/** Chooses the last option of every select in turn, and then the first. */
async function listSelections(page: Page): Promise<readonly Action[]> {
  const selects = page.locator('#app select:visible')
  const counts = await selects.evaluateAll((all) => all.map((each) => each.querySelectorAll('option').length))
  return counts.flatMap((count, place) =>
    [count - 1, 0].map(
      (index): Action =>
        (tab) =>
          tab.locator('#app select:visible').nth(place).selectOption({ index }),
    ),
  )
}

/** Clicks on every heading of a table that sorts it. */
async function listSortings(page: Page): Promise<readonly Action[]> {
  const count = await page.locator('#app th button:visible').count()
  return Array.from(
    { length: Math.min(count, 4) },
    (_, place): Action =>
      (tab) =>
        tab.locator('#app th button:visible').nth(place).click(),
  )
}

const fillForm: readonly Action[] = [
  (page) => page.getByRole('link', { name: 'Change this search' }).click(),
  openFilters,
  (page) => page.getByLabel('Billing codes').fill('99213'),
  (page) => page.getByLabel('Billing codes').fill('99213 27447'),
  (page) => page.getByLabel('NPIs').fill('1000100002'),
  (page) => page.getByLabel('NPIs').fill('not a number'),
  (page) => page.getByRole('link', { name: 'Searches' }).click(),
]

describe.skipIf(!hasChromium)('the page, translated', () => {
  const browser = useChromium()

  it.each(Object.entries(translators))('shows what it shows untranslated if somebody %s', async (_, change) => {
    const october = { billing_codes: ['73721', '99213', '27447'], fee_schedules: [choicePlus, openAccess] }
    await completeSearch({ ...october, as_of: '2026-10-31' })
    const { job_id } = await completeSearch(october)
    const [plain, translated] = await Promise.all(
      [1, 2].map(async () => {
        const tab = await openTab(browser(), {}, `#/searches/${job_id}`)
        await signIn(tab.page)
        await awaitResult(tab.page)
        await openAbout(tab.page)
        await settle(tab.page)
        return tab
      }),
    )
    if (plain === undefined || translated === undefined) throw new TypeError('both tabs are open')
    const act = async (action: Action) => {
      await translate(translated.page, change)
      await Promise.all([action(plain.page), action(translated.page)])
      const text = await settle(plain.page)
      await expect.poll(() => readText(translated.page), { timeout: 10_000 }).toBe(text)
    }
    const texts = new Set<string>()
    for (const list of [listSelections, listSortings])
      for (const action of await list(plain.page)) {
        await act(action)
        texts.add(await readText(plain.page))
      }
    // The headline follows the code.
    expect(texts.size).toBeGreaterThan(4)
    for (const action of fillForm) await act(action)
    expect(translated.complaints).toEqual([])
    await Promise.all([plain.close(), translated.close()])
  })

  it.each(['/', '/docs'])('asks not to be translated at %s', async (path) => {
    const html = await (await fetch(`${baseUrl}${path}`)).text()
    expect(html).toContain('<html lang="en" class="notranslate" translate="no">')
    expect(html).toContain('<meta name="google" content="notranslate">')
  })
})
