import { describe, expect, it } from 'vitest'
import { functionNames } from '../schema/function-names.ts'
import { boundaries, floors } from './templates/boundaries.ts'
import type { SourceFile } from './templates/source-files.ts'
import { importsOf, isThere, listPaths, readSources, readText, withoutComments } from './templates/source-files.ts'
import { pascal } from './templates/templates.ts'

const sources = readSources()
const code = sources.filter(({ room }) => room in boundaries)

function isAllowed(imported: string, allowed: readonly string[]): boolean {
  return allowed.some((each) =>
    each.endsWith('*')
      ? imported.startsWith(each.slice(0, -1))
      : each.endsWith('/')
        ? imported.startsWith(each)
        : imported === each,
  )
}

/** Paths of the files that violate a rule. */
const pathsOf = (files: readonly SourceFile[], isFaulty: (file: SourceFile) => boolean) =>
  files.filter(isFaulty).map(({ path }) => path)

/** The lines of code that match a pattern, each with its file. */
const linesWith = (files: readonly SourceFile[], pattern: RegExp) =>
  files.flatMap(({ path, text }) =>
    withoutComments(text)
      .split('\n')
      .filter((line) => pattern.test(line))
      .map((line) => `${path}: ${line.trim()}`),
  )

describe('the boundaries between rooms', () => {
  it.each(Object.entries(boundaries))('of %s are not crossed by an import', (room, allowed) => {
    const files = code.filter((file) => file.room === room)
    expect(files).not.toEqual([])
    const own = `${room}/`
    const crossings = files.flatMap((file) =>
      importsOf(file)
        .filter((imported) => !isAllowed(imported, [own, ...allowed]))
        .map((imported) => `${file.path} imports ${imported}`),
    )
    expect(crossings).toEqual([])
  })

  it.each(Object.entries(floors))('inside %s are not crossed upwards, from a folder to one above it', (room, order) => {
    const files = code.filter((file) => file.room === room)
    const folderOf = (path: string) => path.split('/').slice(1, -1)[0]
    const levels = new Map<string | undefined, number>([...order].reverse().map((folder, index) => [folder, index + 1]))
    const levelOf = (path: string) => levels.get(folderOf(path)) ?? 0
    const folders = new Set(files.flatMap(({ path }) => folderOf(path) ?? []))
    expect([...folders].sort()).toEqual([...order].sort())
    const climbs = files.flatMap((file) =>
      importsOf(file)
        .filter((imported) => imported.startsWith(`${room}/`) && levelOf(imported) > levelOf(file.path))
        .map((imported) => `${file.path} imports ${imported}`),
    )
    expect(climbs).toEqual([])
  })

  it.each(Object.entries(boundaries))('of %s are those in the table of CONTRIBUTING.md', (room, allowed) => {
    const [, cell] =
      new RegExp(`^\\| ` + '`' + `${room}/` + '`' + ` \\|.*\\| ([^|]*) \\|$`, 'm').exec(readText('CONTRIBUTING.md')) ??
      []
    const ours = allowed.filter((each) => each.endsWith('/') || each.endsWith('.ts'))
    const [imports = ''] = cell?.split(';') ?? []
    if (room === 'bin') expect(imports).toBe('all')
    else if (ours.length === 0) expect(imports).toBe('nothing of ours')
    else expect([...imports.matchAll(/`([^`]+)`/g)].map(([, name]) => name).sort()).toEqual(ours.toSorted())
  })

  it('have an entry for every room', () => {
    const rooms = new Set(sources.filter(({ path }) => path.includes('/')).map(({ room }) => room))
    expect([...rooms].sort()).toEqual([...Object.keys(boundaries), 'test'].sort())
  })

  it('let the conformance tests import only the contract, so that they run against any deployment', () => {
    const files = sources.filter(({ path }) => path.startsWith('test/conformance/'))
    expect(files).not.toEqual([])
    const own = files.flatMap(importsOf).filter((imported) => imported.endsWith('.ts'))
    expect(own.filter((imported) => !/^(contract|test\/conformance)\//.test(imported))).toEqual([])
  })

  it('keep the AWS SDK in the adapters', () => {
    const rooms = code.filter((file) => importsOf(file).some((imported) => /^(@aws-sdk|@smithy)\//.test(imported)))
    expect([...new Set(rooms.map(({ room }) => room))]).toEqual(['adapters'])
  })

  it('keep the clock, randomness and the environment out of the core and the contract', () => {
    const pure = code.filter(({ room }) => room === 'core' || room === 'contract')
    expect(linesWith(pure, /\bnew Date\(\)|\bDate\.now\(|\bMath\.random\(|\brandom(UUID|Bytes)\b/)).toEqual([])
    expect(linesWith(pure, /\bset(Timeout|Interval)\(|\bprocess\.|\bperformance\./)).toEqual([])
  })

  it('let only commands, functions and tests read environment variables', () => {
    const elsewhere = code.filter(
      // The worker sets the variables that Lambda sets.
      ({ path, room }) =>
        room !== 'bin' &&
        path !== 'client/cli/main.ts' &&
        path !== 'lambdas/environment.ts' &&
        path !== 'local/lambda/worker.ts',
    )
    expect(linesWith(elsewhere, /\bprocess\.env\b|\bprocess\[/)).toEqual([])
  })
})

describe('files', () => {
  it('have at most 250 lines, unless they are tests or generated', () => {
    const written = code.filter(({ text }) => !text.startsWith('// Written by `npm run schema`'))
    expect(pathsOf(written, ({ text }) => text.trimEnd().split('\n').length > 250)).toEqual([])
  })

  it('are at most 16 in a folder', () => {
    const perFolder = Map.groupBy(sources, ({ path }) => path.slice(0, path.lastIndexOf('/') + 1))
    const large = [...perFolder].filter(([, files]) => files.length > 16)
    expect(large.map(([folder, { length }]) => `${folder} has ${length}`)).toEqual([])
  })

  it('are named in kebab case, and so are their folders', () => {
    const name = /^[a-z][a-z0-9]*(-[a-z0-9]+)*(\.[a-z]+)*$/
    expect(pathsOf(sources, ({ path }) => !path.split('/').every((part) => name.test(part)))).toEqual([])
  })

  it('are never called utils, helpers, common, shared or misc', () => {
    const drawer = /(^|\/)(utils?|helpers?|common|shared|misc)(\.[a-z.]+)?$/
    expect(listPaths().filter((path) => drawer.test(path))).toEqual([])
  })

  it('are called index only if they are the entry point of a function', () => {
    const indexes = sources.filter(({ path }) => /(^|\/)index\.[a-z.]*ts$/.test(path)).map(({ path }) => path)
    expect(indexes).toEqual(functionNames.map((name) => `lambdas/${name}/index.ts`).sort())
  })

  it('have only named exports', () => {
    const named = sources.filter(({ path }) => !/\.(config|d)\.ts$/.test(path))
    expect(linesWith(named, /^export default\b|\bas default\b/)).toEqual([])
  })

  it('do not re-export, except the entries of the package: there are no barrels', () => {
    const others = sources.filter(({ path }) => !/^client\/(rate-search|browser)\.ts$/.test(path))
    expect(pathsOf(others, ({ text }) => /^export\s+(type\s+)?(\*|\{[^}]*\})[^'"`;(]*\bfrom\b/m.test(text))).toEqual([])
  })

  it('never reach themselves by imports, of types or of values', () => {
    const importsByPath = new Map(
      sources.map((file) => [file.path, importsOf(file).filter((path) => path !== file.path)]),
    )
    const isReached = (target: string) => {
      const visited = new Set<string>()
      const waiting = [...(importsByPath.get(target) ?? [])]
      for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
        if (path === target) return true
        if (visited.has(path)) continue
        visited.add(path)
        waiting.push(...(importsByPath.get(path) ?? []))
      }
      return false
    }
    expect([...importsByPath.keys()].filter(isReached)).toEqual([])
  })

  it('are imported with their extension, as Node requires', () => {
    const bare = sources.flatMap((file) =>
      importsOf(file)
        .filter((imported) => imported.includes('/') && /^[a-z]+\//.test(imported) && isThere(`${imported}.ts`))
        .map((imported) => `${file.path} imports ${imported}`),
    )
    expect(bare).toEqual([])
  })
})

describe('a path that is named in a comment or a document', () => {
  const documents = listPaths().filter(
    (path) => path.endsWith('.md') && !/^(CHANGELOG\.md|docs\/adr\/\d.*)$/.test(path),
  )
  const comment = /(^|\s)(\/\*\*?|\*|\/\/)\s.*/
  const texts = [
    ...documents.map((path) => ({ path, lines: readText(path).split('\n') })),
    ...sources.map(({ path, text }) => ({
      path,
      lines: text.split('\n').map((line) => comment.exec(line)?.[0] ?? ''),
    })),
  ]

  it('exists, from the root or in test/, with or without its ending', () => {
    const rooms = [...Object.keys(boundaries), 'docs', 'stages', 'test'].join('|')
    // Neither a pattern nor what an older commit had.
    const named = new RegExp(`(?<![\\w@./-])(?:${rooms})/(?![\\w./-]*(?:[<*{]|\` at commit))[\\w./-]*\\w`, 'g')
    const paths = listPaths().flatMap((path) => [path, path.replace(/^test\//, '')])
    const isNamed = (name: string) =>
      paths.some((path) => path === name || path.startsWith(`${name}.`) || path.startsWith(`${name}-`))
    const dead = texts.flatMap(({ path, lines }) =>
      lines.flatMap((line) =>
        (line.match(named) ?? []).filter((name) => !isNamed(name)).map((name) => `${path}: ${name}`),
      ),
    )
    expect(dead).toEqual([])
  })
})

describe('a double of a port', () => {
  const doubles = sources.filter(({ path }) => path.startsWith('test/doubles/'))
  const suites = sources.filter(({ path }) => /^test\/adapters\/.*\.test\.ts$/.test(path)).map(({ text }) => text)

  it("runs its adapter's contract suite", () => {
    const names = doubles.flatMap(({ text }) => [...text.matchAll(/export (?:function|const) (createMemory\w+)/g)])
    // The log has no adapter.
    const ports = names.map(([, name = '']) => name).filter((name) => name !== 'createMemoryLog')
    expect(ports.length).toBeGreaterThan(9)
    expect(ports.filter((name) => !suites.some((text) => text.includes(`${name}(`)))).toEqual([])
  })
})

describe('no file contains', () => {
  it.each([
    ['the type any', /(\bas\s|[:<,|&=>]\s*)any\b(?=\s*([\]>,;)=|&[{}]|$))/],
    ['a comment that silences the compiler', /@ts-(ignore|nocheck|expect-error)/],
    ['a non-null assertion', /[\w)\]]!(\.|\[|\)|,|;|$)/],
    ['a mocked module', /\bvi\.(do)?[mM]ock\(/],
    ['a focused or skipped test', /\b(it|test|describe)(\.\w+)*\.(only|skip|todo)\b/],
  ])('%s', (_, pattern) => {
    const lines = sources.flatMap(({ path, text }) =>
      (pattern.source.startsWith('@') ? text : withoutComments(text))
        .split('\n')
        .filter((line) => pattern.test(line))
        .map((line) => `${path}: ${line.trim()}`),
    )
    expect(lines).toEqual([])
  })

  it('a call of the console, outside tests', () => {
    expect(linesWith(code, /\bconsole\.\w+\(/)).toEqual([])
  })
})

describe('the name of a function', () => {
  const ownFolder = /^lambdas\/([^/]+)\/(index|handler)\.ts$/

  it('is the name of its folder in lambdas/, and no other folder exists', () => {
    const words = sources.flatMap(({ path }) => ownFolder.exec(path)?.[1] ?? [])
    expect([...new Set(words)].sort()).toEqual([...functionNames].sort())
  })

  it.each(functionNames)('%s is that of its entry point, handler and use case', (name) => {
    const room = sources.filter(({ path }) => path.startsWith(`lambdas/${name}/`))
    const lines = (file: string) =>
      room
        .find(({ path }) => path.endsWith(`/${file}`))
        ?.text.trimEnd()
        .split('\n').length
    expect(lines('index.ts')).toBeLessThanOrEqual(45)
    expect(lines('handler.ts')).toBeLessThanOrEqual(40)
    if (name === 'not-found' || name === 'get-page') return
    expect(pathsOf(code, ({ room, path }) => room === 'core' && path.endsWith(`/${name}.ts`))).toHaveLength(1)
  })

  it.each(functionNames)('%s is the name under which its entry point logs', (name) => {
    const index = sources.find(({ path }) => path === `lambdas/${name}/index.ts`)
    const words = [...(index?.text ?? '').matchAll(/\bcreateLog\('([^']+)'\)/g)].map(([, word]) => word)
    expect(words).toEqual([name])
    const camel = pascal(name).replace(/^./, (letter) => letter.toLowerCase())
    expect(index?.text).toContain(`export const handler = ${camel}Handler({`)
  })
})
