import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { AxeBuilder } from '@axe-core/playwright'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { expect, inject } from 'vitest'
import { root } from '../../templates/source-files.ts'

/** A tab of the page, and what the browser complained of. */
export interface Tab {
  readonly page: Page
  readonly complaints: readonly string[]
  close(): Promise<void>
}

const service = inject('service')

/** Opens the page of the service under test. */
export async function openTab(browser: Browser, options: BrowserContextOptions = {}, fragment = ''): Promise<Tab> {
  const context = await browser.newContext({ locale: 'en-US', viewport: { width: 1200, height: 900 }, ...options })
  const page = await context.newPage()
  page.setDefaultTimeout(60_000)
  const complaints: string[] = []
  page.on('console', (message) => complaints.push(message.text()))
  page.on('pageerror', (error) => complaints.push(error.message))
  await page.goto(`${service.baseUrl}/${fragment}`)
  return { page, complaints, close: () => context.close() }
}

/** Enters the first organization's key, unless another is given. */
export async function signIn(page: Page, key: string = service.keys[0]): Promise<void> {
  await page.getByLabel('API key').fill(key)
  await page.getByRole('button', { name: 'Continue' }).click()
}

/** Chooses fee schedules by their plans. */
export async function choosePlans(page: Page, ...plans: readonly string[]): Promise<void> {
  for (const plan of plans) {
    await page.getByRole('combobox', { name: 'Fee schedules' }).fill(plan.slice(0, 8))
    await page.getByRole('option', { name: plan }).click()
  }
}

/** Collects the bodies of the searches that the page creates. */
export function collectCreations(page: Page): readonly string[] {
  const bodies: string[] = []
  page.on('request', (request) => {
    if (request.method() === 'POST' && request.url().endsWith('/v1/searches')) bodies.push(request.postData() ?? '')
  })
  return bodies
}

/** Opens the filters that the form folds until one of them is filled in. */
export const openFilters = (page: Page): Promise<void> => page.locator('summary', { hasText: 'More filters' }).click()

/** Opens what the page folds away at the end of a result: its files, its dates and what was searched. */
export async function openAbout(page: Page): Promise<void> {
  await page.locator('summary', { hasText: 'About this search' }).click()
}

/** Opens what the page folds away below the answer: how prices are counted, and which are left out. */
export const openCounting = (page: Page): Promise<void> =>
  page.locator('summary', { hasText: 'how this is counted' }).click()

/** Waits until a search has a result. */
export const awaitResult = (page: Page): Promise<void> =>
  page.locator('summary', { hasText: 'About this search' }).waitFor()

/** Fails if axe finds anything, or the page is wider than its window; keeps a picture of what was checked. */
export async function expectAccessible(page: Page, name: string): Promise<void> {
  // Tables are loaded after the plot, and shall be checked, too.
  await page.locator('.rest').waitFor({ state: 'detached' })
  const folder = join(root, 'build', 'screenshots')
  mkdirSync(folder, { recursive: true })
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true })
  const { violations } = await new AxeBuilder({ page }).analyze()
  expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html).slice(0, 3)])).toEqual([])
  const width = page.viewportSize()?.width ?? 0
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width)
}
