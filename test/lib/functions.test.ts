import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { routes } from '../../contract/routes.ts'
import { readSources } from '../templates/source-files.ts'
import { at, deployedOperations, dev, named, ofType, pascal, render } from '../templates/templates.ts'

const { service: template, folder } = dev()

const functions = deployedOperations.map((operation) => {
  const { properties } = named(template, 'AWS::Lambda::Function', pascal(operation))
  const asset = `asset.${render(at(properties['Code'], 'S3Key')).replace(/\.zip$/, '')}`
  return { operation, properties, bundle: join(folder, asset) }
})

const secondsOf = (operation: string) =>
  Number(functions.find((candidate) => candidate.operation === operation)?.properties['Timeout'])

/** Files beside the code of functions that serve them. */
const servedFiles: Readonly<Partial<Record<(typeof deployedOperations)[number], readonly string[]>>> = {
  'get-page': [
    ...['app.js', 'chunk.js', 'new-search.js', 'result-chunk.js', 'search-parts.js', 'search-view.js'],
    ...['app.css', 'build.txt', 'docs.css', 'docs.html', 'index.html', 'openapi.json'],
  ],
}

describe.each(functions)('the function $operation', ({ operation, properties, bundle }) => {
  it('runs Node 24 on ARM, from a zip file', () => {
    expect(properties).toMatchObject({ Runtime: 'nodejs24.x', Architectures: ['arm64'], Handler: 'index.handler' })
    expect(properties['PackageType'] ?? 'Zip').toBe('Zip')
    expect(render(at(properties['Code'], 'S3Key'))).toMatch(/^[0-9a-f]{64}\.zip$/)
    expect(properties['Layers']).toBeUndefined()
  })

  it('carries its name in its description', () => {
    expect(properties['Description']).toBe(`rate search: ${operation}`)
  })

  it('writes JSON to its own log, which is kept for a month', () => {
    const log = named(template, 'AWS::Logs::LogGroup', `${pascal(operation)}Logs`)
    expect(properties['LoggingConfig']).toEqual({ LogFormat: 'JSON', LogGroup: { Ref: log.id } })
    expect(log.properties['RetentionInDays']).toBe(30)
  })

  it('consists of one small file, beside the notices of the packages in it', () => {
    const served = servedFiles[operation] ?? []
    expect(readdirSync(bundle).sort()).toEqual(['THIRD-PARTY-NOTICES.txt', ...served, 'index.mjs'].sort())
    const code = readFileSync(join(bundle, 'index.mjs'), 'utf8')
    expect(code.length).toBeLessThan(700_000)
    // Addresses of credentials that only machines and containers have, and the compiler of JSON Schema.
    expect(code).not.toMatch(/169\.254\.17|ajv/)
  })
})

describe('the page', () => {
  const bundle = functions.find(({ operation }) => operation === 'get-page')?.bundle ?? ''
  const countCompressed = (...names: readonly string[]) =>
    names.map((name) => gzipSync(readFileSync(join(bundle, name))).length).reduce((sum, bytes) => sum + bytes)

  const first = ['index.html', 'app.css', 'app.js', 'chunk.js']

  it('loads at most 33 kB before somebody can fill in the form, compressed', () => {
    expect(countCompressed(...first, 'new-search.js')).toBeLessThan(33_000)
  })

  it('loads at most 62 kB before the sentence and the plot of a result, compressed', () => {
    expect(countCompressed(...first, 'search-view.js', 'result-chunk.js')).toBeLessThan(62_000)
  })

  it('loads nothing more than that before a result is read', () => {
    const readImports = (name: string) =>
      [...readFileSync(join(bundle, name), 'utf8').matchAll(/(?:from|import)"\.\/([\w-]+\.js)\?/g)].map(
        ([, file]) => file,
      )
    expect(readImports('app.js')).toEqual(['chunk.js'])
    expect(readImports('chunk.js')).toEqual([])
    expect(readImports('new-search.js')).toEqual(['chunk.js'])
    expect(readImports('search-view.js').sort()).toEqual(['chunk.js', 'result-chunk.js'])
    expect(readImports('result-chunk.js')).toEqual(['chunk.js'])
  })

  it('carries one build, in the files that compare it and in the addresses of scripts and styles', () => {
    const build = readFileSync(join(bundle, 'build.txt'), 'utf8')
    expect(build).toMatch(/^[0-9a-f]{16}$/)
    const texts = [...first, 'new-search.js', 'result-chunk.js', 'search-parts.js', 'search-view.js'].map((name) =>
      readFileSync(join(bundle, name), 'utf8'),
    )
    const served = texts.join('\n')
    expect(served).not.toContain('{build}')
    expect([...served.matchAll(/"([0-9a-f]{16})"/g)].map(([, compared]) => compared)).toEqual(Array(4).fill(build))
    const addresses = [...served.matchAll(/"(?:\.\/)?[\w-]+\.(?:js|css)(\?[^"]*)?"/g)]
    expect(addresses.length).toBeGreaterThan(10)
    for (const [address, query] of addresses) expect(query, address).toBe(`?build=${build}`)
  })
})

describe('the timeout of a function', () => {
  it('ends before API Gateway gives up', () => {
    for (const operation of [...routes.map((route) => route.operation), 'not-found'])
      expect(secondsOf(operation)).toBeLessThan(29)
  })

  it('exceeds the turn for which a query is watched', () => {
    expect(secondsOf('await-query')).toBeGreaterThan(65)
  })

  it('ends a sweep before the next begins', () => {
    expect(secondsOf('sweep-searches')).toBeLessThan(60)
  })
})

describe('the bundles', () => {
  const sources = readSources()
  const bundles = functions.map(({ operation, bundle }) => ({
    operation,
    text: readFileSync(join(bundle, 'index.mjs'), 'utf8'),
  }))
  // The words for faults of TLS are those of webhooks, too.
  const running = sources.filter(
    ({ topLevelFolder, path }) =>
      ['schema', 'core', 'adapters', 'contract', 'lambdas'].includes(topLevelFolder) ||
      path === 'client/network/tls-faults.ts',
  )
  const runningText = running.map(({ text }) => text).join('\n')

  /** Phrases that only one top-level folder has and that minifying preserves. */
  const phrasesOf = (folder: string) =>
    sources
      .filter((source) => source.topLevelFolder === folder)
      .flatMap(({ text }) =>
        [...text.matchAll(/['`]([A-Za-z][\w ,.:()=-]{16,})(?:['`]|\$\{)/g)].map(([, words = '']) => words),
      )
      .filter((phrase) => / .+ /.test(phrase) && !runningText.includes(phrase))

  it('contain the code of the functions', () => {
    const bundledPhrases = phrasesOfRunning().filter((phrase) => bundles.some(({ text }) => text.includes(phrase)))
    expect(bundledPhrases.length).toBeGreaterThan(10)
  })

  it.each(['lib', 'local', 'loader', 'bin', 'client'])('contain nothing of %s/', (folder) => {
    const phrases = phrasesOf(folder)
    expect(phrases).not.toEqual([])
    // The tools of assistants are those of the command line.
    const strangers = bundles.filter(({ operation }) => folder !== 'client' || operation !== 'serve-assistants')
    const leaked = strangers.flatMap(({ operation, text }) =>
      phrases.filter((phrase) => text.includes(phrase)).map((phrase) => `${operation}: ${phrase}`),
    )
    expect(leaked).toEqual([])
  })

  it('contain no path of the build machine', () => {
    for (const { text } of bundles) expect(text).not.toMatch(/\/(work|home|Users|tmp)\/[\w-]+\//)
  })

  it('exist once per function', () => {
    const described = ofType(template, 'AWS::Lambda::Function').map(({ properties }) =>
      render(properties['Description']),
    )
    const ours = described.filter((text) => text.startsWith('rate search: '))
    expect(ours.sort()).toEqual(functions.map(({ operation }) => `rate search: ${operation}`).sort())
    expect(new Set(functions.map(({ bundle }) => bundle)).size).toBe(functions.length)
  })

  function phrasesOfRunning(): readonly string[] {
    return [...runningText.matchAll(/'([A-Z][\w ,.-]{16,})'/g)].map(([, words = '']) => words)
  }
})
