import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildPage, oldestBrowsers } from '../../lib/functions/function-code.ts'
import { readSources, readText } from '../templates/source-files.ts'

/** Source: MDN's compatibility data. Each came after the oldest browsers, at least in one of them. */
const newer =
  /\b(?:fromAsync|Promise\.try|RegExp\.escape|Iterator\.from|showSaveFilePicker|requestIdleCallback|isSubsetOf|symmetricDifference|toBase64|fromBase64|getOrInsert|startViewTransition|CompressionStream|URLPattern|sumPrecise)\b/

const folder = mkdtempSync(join(tmpdir(), 'built-page-'))
beforeAll(() => {
  buildPage(folder)
})
afterAll(() => rmSync(folder, { recursive: true }))

describe('the page', () => {
  it('uses nothing that its oldest browsers lack', () => {
    expect(JSON.parse(readText('page/tsconfig.json')).compilerOptions.lib).toContain('es2024')
    const scripts = readdirSync(folder).filter((name) => name.endsWith('.js'))
    expect(scripts.length).toBeGreaterThan(4)
    const uses = scripts.flatMap((name) => newer.exec(readFileSync(join(folder, name), 'utf8')) ?? [])
    expect(uses).toEqual([])
  })

  it('names its oldest browsers where people read it', () => {
    const { Chrome, Edge, Firefox, Safari } = oldestBrowsers
    expect(readText('docs/architecture.md')).toContain(
      `Chrome and Edge ${Chrome}, Firefox ${Firefox}, Safari ${Safari} and later`,
    )
    expect(Edge).toBe(Chrome)
    const index = readFileSync(join(folder, 'index.html'), 'utf8')
    expect(index).toContain(`Chrome ${Chrome}, Edge ${Edge}, Firefox ${Firefox}, or Safari ${Safari} or later`)
  })
})

describe('every format of numbers, dates and orders of texts', () => {
  it('names English, so that the language of the machine does not matter', () => {
    const product = readSources().filter(({ path }) => !path.startsWith('test/'))
    const uses = product.flatMap(({ path, text }) =>
      [...text.matchAll(/\.toLocale\w+\([^\n]*|\.localeCompare\([^\n]*|new Intl\.\w+\([^\n]*/g)].map(([use]) => [
        path,
        use,
      ]),
    )
    expect(uses.length).toBeGreaterThan(20)
    expect(
      uses.filter(([, use]) => !/^(?:\.toLocale\w+|new Intl\.\w+)\('en|^\.localeCompare\(.*, 'en'/.test(use ?? '')),
    ).toEqual([])
  })
})
