import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { renderReferencePage } from '../../../contract/openapi/reference-page.ts'
import { apiDocument } from '../../contract/documents.ts'
import { hasChromium, useChromium } from './chromium.ts'

const page = renderReferencePage(apiDocument)
const css = readFileSync(join(import.meta.dirname, '../../../contract/openapi/reference-page.css'), 'utf8')
const address = 'https://rates.example/stage/docs'
const policy = "default-src 'none'; style-src 'self'"

describe.skipIf(!hasChromium)('the reference page in a browser', () => {
  const browser = useChromium()

  /** Opens the page as the service serves it, and collects the browser's complaints. */
  async function open(width: number, colorScheme: 'light' | 'dark'): Promise<{ tab: Page; complaints: string[] }> {
    const context = await browser().newContext({ viewport: { width, height: 900 }, colorScheme, locale: 'en-US' })
    const tab = await context.newPage()
    const complaints: string[] = []
    tab.on('console', (message) => complaints.push(message.text()))
    tab.on('requestfailed', (request) => complaints.push(request.url()))
    await tab.route('**/*', (route) => {
      const { pathname } = new URL(route.request().url())
      const headers = { 'Content-Security-Policy': policy }
      if (pathname === '/stage/docs') return route.fulfill({ contentType: 'text/html', headers, body: page })
      if (pathname === '/stage/docs.css') return route.fulfill({ contentType: 'text/css', body: css })
      return route.fulfill({ status: 404 })
    })
    await tab.goto(address)
    return { tab, complaints }
  }

  it.each([
    [320, 'dark'],
    [1280, 'light'],
  ] as const)('shows no axe findings and no overflowing lines at %i pixels in the %s', async (width, scheme) => {
    const { tab, complaints } = await open(width, scheme)
    const { violations, passes } = await new AxeBuilder({ page: tab }).analyze()
    expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html).slice(0, 3)])).toEqual([])
    // Fails if there is no text, or the style sheet was blocked.
    expect(passes.map(({ id }) => id)).toContain('color-contrast')
    expect(await tab.evaluate('document.documentElement.scrollWidth')).toBe(width)
    expect(await tab.evaluate('getComputedStyle(document.body).maxWidth')).toBe('1200px')
    expect(complaints.filter((text) => !text.includes('favicon'))).toEqual([])
    await tab.context().close()
  })

  it('can be read by keyboard from the top, with a link to skip the contents', async () => {
    const { tab } = await open(1280, 'light')
    await tab.keyboard.press('Tab')
    expect(await tab.evaluate('document.activeElement?.textContent')).toBe('Skip to the content')
    await tab.keyboard.press('Enter')
    expect(new URL(tab.url()).hash).toBe('#content')
    await tab.context().close()
  })
})
