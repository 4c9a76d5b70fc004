import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { root } from '../../templates/source-files.ts'
import { isFigurePage, readFigures } from './figures.ts'
import { listOldFigures } from './list-old-figures.ts'

let checkout: string

const git = (...args: readonly string[]) =>
  execFileSync('git', ['-C', checkout, '-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], {
    encoding: 'utf8',
  }).trim()

/** Commits files by their paths. @returns the commit */
function commit(files: Readonly<Record<string, readonly string[]>>): string {
  for (const [path, lines] of Object.entries(files)) {
    mkdirSync(join(checkout, path, '..'), { recursive: true })
    writeFileSync(join(checkout, path), `${lines.join('\n')}\n`)
  }
  git('add', '--all')
  git('commit', '--quiet', '-m', 'x')
  return git('rev-parse', '--short=8', 'HEAD')
}

const count = (length: number, from = 0) => Array.from({ length }, (_, index) => `line ${from + index}`)

beforeEach(() => {
  checkout = mkdtempSync(join(tmpdir(), 'figures-'))
  execFileSync('git', ['init', '--quiet', checkout])
})

afterEach(() => rmSync(checkout, { recursive: true, force: true }))

describe('figures whose code has changed', () => {
  const cases = [
    ['as it was', 0, []],
    ['changed in a quarter of its lines', 25, []],
    [
      'changed in more than a quarter of its lines',
      26,
      ['README.md:2: measured 2026-11-22 at COMMIT; since then 26 % of core changed'],
    ],
  ] as const

  it.each(cases)('appear in the list or not if the code is %s', async (_, changed, expected) => {
    const measured = commit({ 'core/a.ts': count(60), 'core/b.ts': count(40), 'lib/c.ts': count(100) })
    commit({
      'core/a.ts': [...count(changed, 500), ...count(60 - changed, changed)],
      'lib/c.ts': count(100, 900),
      'README.md': ['It is 95 % right.', `<!-- measured 2026-11-22 at ${measured} of core -->`],
    })
    expect(await listOldFigures(checkout)).toEqual(expected.map((each) => each.replace('COMMIT', measured)))
  })

  it('ignore files that moved within the measured folder', async () => {
    const measured = commit({ 'core/a.ts': count(100) })
    git('mv', 'core/a.ts', 'core/b.ts')
    commit({ 'docs/measured/speed.md': [`<!-- measured 2026-11-22 at ${measured} of core -->`] })
    expect(await listOldFigures(checkout)).toEqual([])
  })

  it('appear as unknown if the clone lacks the commit, and as new if the commit lacks the code', async () => {
    const measured = commit({ 'core/a.ts': count(10) })
    commit({
      'lib/a.ts': count(10),
      'README.md': [
        `<!-- measured 2026-11-22 at ${measured} of lib -->`,
        '<!-- measured 2026-11-22 at 0123456789 of core, lib -->',
      ],
    })
    expect(await listOldFigures(checkout)).toEqual([
      `README.md:1: measured 2026-11-22 at ${measured}, which has no lib`,
      'README.md:2: measured 2026-11-22 at 0123456789: how much core, lib changed since is unknown, this clone lacks the commit',
    ])
  })

  it('must say their day, commit and code', () => {
    for (const comment of [
      '<!-- measured 2026-11-22 -->',
      '<!-- measured 2026-11-22 at 53a829e5 -->',
      '<!--measured today-->',
    ])
      expect(() => readFigures('README.md', `text\n\n${comment}`)).toThrow('README.md:3: not in the form <!-- measured')
  })
})

describe('the pages of measurements', () => {
  const pages = execFileSync('git', ['ls-files', '*.md'], { cwd: root, encoding: 'utf8' })
    .split('\n')
    .filter(isFigurePage)
  const texts = pages.map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))

  it('say of each table when, at which commit and of which code it was measured', () => {
    const sections = texts
      .filter(({ path }) => path !== 'README.md')
      .flatMap(({ path, text }) => text.split(/^(?=#)/m).map((section) => ({ path, section })))
      .filter(({ section }) => /^\|/m.test(section))
    expect(sections.length).toBeGreaterThan(20)
    const undated = sections.filter(({ path, section }) => readFigures(path, section).length === 0)
    expect(undated.map(({ path, section }) => [path, section.split('\n')[0]])).toEqual([])
  })

  it('can all be read', async () => {
    await expect(listOldFigures(root)).resolves.toBeInstanceOf(Array)
  })

  it('name code that exists', () => {
    const figures = texts.flatMap(({ path, text }) => readFigures(path, text))
    const missing = figures.flatMap(({ position, code }) =>
      code.filter((path) => !existsSync(join(root, path))).map((path) => [position, path]),
    )
    expect(missing).toEqual([])
  })
})
