import { describe, expect, it } from 'vitest'
import { listPaths, readSources } from '../templates/source-files.ts'
import { chooseTests, filesIn, type TestFile } from './choose-tests.ts'
import { findDependents, readDependencies } from './dependencies.ts'

const sources = readSources()
const paths = new Set(listPaths())
const tests: readonly TestFile[] = sources
  .filter(({ path }) => path.endsWith('.test.ts'))
  .map(({ path }) => ({ path, project: path.includes('.slow.') ? 'resilience' : 'quick', setups: [] }))

const choose = (...changed: readonly string[]) => chooseTests(changed, sources, paths, tests)
const fastPaths = (...changed: readonly string[]) => {
  const { first, soon } = choose(...changed)
  return [...first, ...soon].map(({ path }) => path)
}

const readText = (text: string, ...others: readonly string[]) =>
  readDependencies({ path: 'test/bin/a.test.ts', topLevelFolder: 'test', text }, new Set(others))

describe('the dependencies of a source file', () => {
  it('contain imports of values, and no imports of types', () => {
    const text = `import type { A } from './a.ts'\nimport { b, type C } from '../b.ts'\nexport type { D } from './d.ts'\n`
    expect(readText(text)).toEqual({ imports: ['test/b.ts'], names: [] })
  })

  it('contain files named from the root, from the folder of the file, and samples named alone', () => {
    const files = ['bin/load.ts', 'test/bin/map.json', 'test/fixtures/rates.json.gz', 'docs/api.md']
    const text = `run('bin/load.ts'); open('./map.json'); open("rates.json.gz"); read('docs/api.md'); print('and so on.')`
    expect(readText(text, ...files, 'bin/loads.ts').names.toSorted()).toEqual(files.toSorted())
  })

  it('contain every file that a text with a value can name', () => {
    const files = ['bin/load.ts', 'bin/status.ts', 'bin/account/place.ts']
    // biome-ignore lint/suspicious/noTemplateCurlyInString: this is the text of a source file
    expect(readText('start(`bin/${command}.ts`)', ...files).names).toEqual(['bin/load.ts', 'bin/status.ts'])
  })
})

describe('the dependents of a file', () => {
  it('contain files that reach it through others, also in a circle', () => {
    const dependencies = new Map([
      ['a.ts', ['b.ts']],
      ['b.ts', ['c.ts', 'a.ts']],
      ['d.ts', ['e.ts']],
    ])
    expect([...findDependents(['c.ts'], dependencies)]).toEqual(['c.ts', 'b.ts', 'a.ts'])
  })
})

describe('the files of a named place', () => {
  it('contain files only, because no test reaches a folder', () => {
    const files = filesIn('lib', ['lib', 'lib/calls', 'lib/calls/calls.ts', 'lib/synthesise.ts', 'libs.ts'])
    expect(files).toEqual(['lib/calls/calls.ts', 'lib/synthesise.ts'])
    expect(filesIn('libs.ts', ['lib', 'libs.ts'])).toEqual(['libs.ts'])
  })

  it('do not make every test run', () => {
    expect(choose(...filesIn('lib/operations', [...paths])).everythingFor).toBeUndefined()
  })
})

describe('the tests near a change', () => {
  it('contain tests in other projects and folders that import a changed file', () => {
    const near = fastPaths('loader/write/write-prices.ts')
    expect(near).toContain('test/loader/write/flags.test.ts')
    expect(near).toContain('test/fetch/packed-files.test.ts')
    expect(near).toContain('test/bin/data-folder.test.ts')
    expect(near).not.toContain('test/core/time.test.ts')
  })

  it('begin with the tests in the folder of the change', () => {
    const { first } = choose('loader/write/write-prices.ts')
    expect(first.map(({ path }) => path)).toContain('test/loader/write/flags.test.ts')
    expect(first.every(({ path }) => path.startsWith('test/loader/write/'))).toBe(true)
  })

  it('contain slow tests that import a changed file, after the others', () => {
    const { late } = choose('loader/write/write-prices.ts')
    expect(late.map(({ path }) => path)).toContain('test/loader/write/flags.slow.test.ts')
    expect(fastPaths('loader/write/write-prices.ts').filter((path) => path.includes('.slow.'))).toEqual([])
  })

  it('contain the tests that read files by their paths, whatever has changed', () => {
    const readers = ['test/conventions.test.ts', 'test/voice.test.ts', 'test/lib/documentation.test.ts']
    for (const path of ['docs/api.md', 'core/job/job.ts', 'client/cli/run.ts'])
      expect(fastPaths(path)).toEqual(expect.arrayContaining(readers))
  })

  it('contain every test after a change of a setting, or of a file that no test reaches', () => {
    const fast = tests.filter(({ project }) => project === 'quick')
    for (const path of ['package.json', 'loader/new-file.ts']) {
      const { everythingFor, first, soon } = choose(path)
      expect(everythingFor).toBe(path)
      expect(new Set([...first, ...soon])).toEqual(new Set(fast))
    }
  })

  it('leave out slow tests that import nothing of the change, and name them', () => {
    const { leftOut } = choose('docs/api.md')
    expect(leftOut.map(({ path }) => path)).toContain('test/kills/killed.slow.test.ts')
  })
})
