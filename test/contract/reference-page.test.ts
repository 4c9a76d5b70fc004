import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { renderReferencePage } from '../../contract/openapi/reference-page.ts'
import { apiDocument } from './documents.ts'

const page = renderReferencePage(apiDocument)
const css = readFileSync(join(import.meta.dirname, '../../contract/openapi/reference-page.css'), 'utf8')

describe('the reference page', () => {
  it('contains an anchor for every call, error, schema and link', () => {
    const ids = [...page.matchAll(/ id="([^"]+)"/g)].map(([, id = '']) => id)
    expect(new Set(ids).size).toBe(ids.length)
    const operations = Object.values(apiDocument.paths).flatMap((methods) => Object.values(methods))
    const { schemas, responses } = apiDocument.components
    const expected = [...operations.map((each) => each.operationId), ...Object.keys(schemas), ...Object.keys(responses)]
    expect(expected.filter((id) => !ids.includes(id))).toEqual([])
    const links = [...page.matchAll(/ href="#([^"]+)"/g)].map(([, id = '']) => id)
    expect(links.length).toBeGreaterThan(30)
    expect(links.filter((id) => !ids.includes(id))).toEqual([])
  })

  it('loads only its style sheet, and contains only relative links', () => {
    expect(page).not.toMatch(/<script|<style|<img|<iframe|\sstyle=|\son\w+=|javascript:/i)
    const links = [...page.matchAll(/ (?:href|src)="([^#"][^"]*)"/g)].map(([, target = '']) => target)
    expect(links.sort()).toEqual(['docs.css', 'openapi.json'])
    expect(css).not.toMatch(/@import|url\(/)
  })

  it('escapes the texts of the document', () => {
    const hostile = '<script>alert(1)</script>" onload="x'
    const rendered = renderReferencePage({
      ...apiDocument,
      info: { ...apiDocument.info, title: hostile, summary: hostile },
    })
    expect(rendered).not.toContain('<script')
    expect(rendered).not.toContain('" onload')
    expect(rendered).toContain('&lt;script&gt;')
  })

  it('shows every field with its description', () => {
    for (const [name, { properties = {} }] of Object.entries(apiDocument.components.schemas)) {
      const [, section = ''] = page.split(`<h3 id="${name}">`)
      const [fields = ''] = section.split('<h3 ')
      for (const field of Object.keys(properties))
        expect(fields).toContain(`<th scope="row"><code>${field}</code></th>`)
    }
  })
})
