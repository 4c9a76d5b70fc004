import { describe, expect, it } from 'vitest'
import { listPaths, readSources, readText, type SourceFile } from './templates/source-files.ts'

/** Written by commands, so that their words stand in the files that the commands read. */
const isGenerated = ({ text }: SourceFile) => text.startsWith('// Written by `npm run schema`')

const sources = readSources().filter((file) => !isGenerated(file))
const product = sources.filter(({ path }) => !path.startsWith('test/'))

/** The lines of files that match a pattern, each with its file and number. */
const linesWith = (files: readonly Pick<SourceFile, 'path' | 'text'>[], pattern: RegExp) =>
  files.flatMap(({ path, text }) =>
    text.split('\n').flatMap((line, index) => (pattern.test(line) ? `${path}:${index + 1}: ${line.trim()}` : [])),
  )

describe('a comment', () => {
  it.each([
    [
      'starts with its subject or a verb',
      /^\s*(?:\/\*\*|\*|\/\/) *(?:What|How|Whether|Which|That|Those|Of (?:one|a|an)) /,
    ],
    ['names the value that a function returns', /@returns (?:what|how|whether|those|that|which)\b/],
    ['names the thing that a parameter is', /@param (?:\w+ )?(?:what|how many|whether|those|that which)\b/],
  ])('%s', (_, pattern) => {
    expect(linesWith(sources, pattern)).toEqual([])
  })

  it('stays within the width of the formatter', () => {
    const { formatter } = JSON.parse(readText('biome.json'))
    expect(formatter.lineWidth).toBeGreaterThan(80)
    const comment = new RegExp(`^(?=.{${formatter.lineWidth + 1}}).*?(?:^|\\s)(?:/\\*\\*|\\*|//) `)
    expect(linesWith(sources, comment)).toEqual([])
  })
})

describe('a description', () => {
  // They become comments of the typed client, and columns of tables in documents.
  it('starts with its subject in the contract and in the settings of a stage', () => {
    const described = sources.filter(({ path }) => /^(?:contract|lib\/stage)\//.test(path))
    expect(linesWith(described, /['"`](?:What|How|Whether|Which|Why|Where) [a-z]/)).toEqual([])
  })
})

describe('a sentence', () => {
  // Phrases that a reader must take apart before the sentence can be understood.
  const compressed =
    /(?:\bso many\b|\bthose of which\b|\bthat of any\b|\bwhoever\b|\bof its own accord\b|\bas before, too\b)/i

  it('avoids compressed phrases in the code', () => {
    const files = sources.filter(({ path }) => path !== 'test/voice.test.ts')
    expect(linesWith(files, compressed)).toEqual([])
  })

  it('avoids compressed phrases in documents', () => {
    const documents = listPaths().filter(
      (path) => path.endsWith('.md') && path !== 'CHANGELOG.md' && path !== 'docs/style.md',
    )
    const texts = documents.map((path) => ({ path, text: readText(path) }))
    expect(linesWith(texts, compressed)).toEqual([])
  })
})

describe('a local variable', () => {
  it('carries the name of a thing, not a participle or a pronoun', () => {
    const words = [
      ...['found', 'known', 'own', 'led', 'some', 'named', 'kept', 'given', 'left', 'wanted', 'read', 'seen', 'told'],
      ...['listed', 'those', 'which', 'there', 'others', 'rest', 'done', 'gone', 'taken', 'stored', 'asked', 'said'],
    ]
    const revisedTests = sources.filter(({ path }) => /^test\/(?:model|templates)\//.test(path))
    const declaration = new RegExp(`\\b(?:const|let|of) (?:${words.join('|')})\\b(?! *:)`)
    expect(linesWith([...product, ...revisedTests], declaration)).toEqual([])
  })
})

/** Returns the names of a file's tests: directly after `it(`, or after the table or condition of `it.each(…)(`. */
const namesOfTests = (text: string) =>
  [...text.matchAll(/^ *it(?:\.\w+)*(?:\(\s*|[(<][\s\S]*?\)\(\s*)(['"`])(.*?)\1,/gm)].map(([, , name = '']) => name)

describe('a test', () => {
  it('carries a name that can be read without its surroundings', () => {
    const tests = sources.filter(({ path }) => path.endsWith('.test.ts'))
    // A name that begins so continues the heading above it.
    const dependent =
      /^(?:is|are|was|has|have|that|those|of|the|a|an|in|at|as|with|for|its|their|both|all|each|no|not)\b/
    const names = tests.flatMap(({ path, text }) => namesOfTests(text).map((name) => `${path}: ${name}`))
    expect(names.length).toBeGreaterThan(1000)
    expect(names.filter((name) => dependent.test(name.slice(name.indexOf(': ') + 2)))).toEqual([])
  })

  it('shows its name after a table or a condition, too', () => {
    const text = [
      `it('one', () => {})`,
      `it.each([\n  [1, 'a'],\n])('two', () => {})`,
      `it.skipIf(!canMount)(\n  'three',\n  () => {},\n)`,
      `it.each<[string]>([['a']])('four', () => {})`,
    ].join('\n')
    expect(namesOfTests(text)).toEqual(['one', 'two', 'three', 'four'])
  })
})
