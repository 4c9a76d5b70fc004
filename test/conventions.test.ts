import { describe, expect, it } from 'vitest'
import { functionNames } from '../schema/function-names.ts'
import { boundaries, layers, packageFolders } from './templates/boundaries.ts'
import type { SourceFile } from './templates/source-files.ts'
import { importsOf, isThere, listPaths, readSources, readText, withoutComments } from './templates/source-files.ts'
import { pascal } from './templates/templates.ts'

const sources = readSources()
const code = sources.filter(({ topLevelFolder }) => topLevelFolder in boundaries)

/** True if an entry of the boundaries allows an import: `core/` a folder, `node:*` all that begin so. */
function isAllowedBy(entry: string, imported: string): boolean {
  if (entry.endsWith('*')) return imported.startsWith(entry.slice(0, -1))
  return entry.endsWith('/') ? imported.startsWith(entry) : imported === entry
}

/** The imports of files that a rule refuses, each with its file. */
const refusedImports = (files: readonly SourceFile[], isRefused: (imported: string, importer: string) => boolean) =>
  files.flatMap((file) =>
    importsOf(file)
      .filter((imported) => isRefused(imported, file.path))
      .map((imported) => `${file.path} imports ${imported}`),
  )

const filesOf = (folder: string) => code.filter(({ topLevelFolder }) => topLevelFolder === folder)

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

/** The rows of the table of top-level folders: the cell of imports by folder. */
const tableOfFolders = new Map(
  [...readText('CONTRIBUTING.md').matchAll(/^\| `([a-z]+)\/` \|.*\| ([^|]*) \|$/gm)].map(
    ([, folder = '', imports = '']) => [folder, imports] as const,
  ),
)

/** The entry of a path within its top-level folder: a folder, a listed file, or `.` for the other files beside them. */
function entryOf(levels: ReadonlyMap<string, number>, path: string): string {
  const [, entry = '', ...below] = path.split('/')
  return below.length > 0 || levels.has(entry) ? entry : '.'
}

describe('a top-level folder', () => {
  it.each(Object.entries(boundaries))('imports only what its boundaries allow: %s', (folder, allowed) => {
    const files = filesOf(folder)
    expect(files).not.toEqual([])
    const entries = [`${folder}/`, ...allowed]
    const crossings = refusedImports(files, (imported) => !entries.some((entry) => isAllowedBy(entry, imported)))
    expect(crossings).toEqual([])
  })

  it.each(Object.entries(boundaries))('uses everything that its boundaries allow: %s', (folder, allowed) => {
    const imports = filesOf(folder).flatMap(importsOf)
    const stale = allowed.filter((entry) => !imports.some((imported) => isAllowedBy(entry, imported)))
    expect(stale).toEqual([])
  })

  it.each(Object.entries(packageFolders))('imports the package only in its folders: %s', (name, entries) => {
    const importers = pathsOf(code, (file) => importsOf(file).includes(name))
    expect(importers.filter((path) => !entries.some((entry) => path.startsWith(entry)))).toEqual([])
    expect(entries.filter((entry) => !importers.some((path) => path.startsWith(entry)))).toEqual([])
  })

  it.each(Object.entries(boundaries))('matches its row in the table of CONTRIBUTING.md: %s', (folder, allowed) => {
    const cell = tableOfFolders.get(folder)
    const projectImports = allowed.filter((entry) => entry.endsWith('/') || entry.endsWith('.ts'))
    const [imports = ''] = cell?.split(';') ?? []
    if (folder === 'bin') expect(imports).toBe('all')
    else if (projectImports.length === 0) expect(imports).toBe('nothing of ours')
    else expect([...imports.matchAll(/`([^`]+)`/g)].map(([, name]) => name).sort()).toEqual(projectImports.toSorted())
  })

  it('appears in the boundaries, the layers and the table of CONTRIBUTING.md', () => {
    const folders = new Set(sources.filter(({ path }) => path.includes('/')).map((file) => file.topLevelFolder))
    const names = [...folders].sort()
    expect(names).toEqual([...Object.keys(boundaries), 'test'].sort())
    expect(names).toEqual([...Object.keys(layers), 'test'].sort())
    expect(names).toEqual([...tableOfFolders.keys()].sort())
  })
})

describe('the layers', () => {
  it.each(Object.entries(layers))('permit imports only from the same layer or from above: %s', (folder, order) => {
    const files = filesOf(folder)
    const levels = new Map(
      order.toReversed().flatMap((entry, index) => [entry].flat().map((entry) => [entry, index + 1] as const)),
    )
    const entryOfPath = (path: string) => entryOf(levels, path)
    // Files that are beside the folders and not listed are at the bottom.
    const levelOf = (path: string) => levels.get(entryOfPath(path)) ?? 0
    const climbs = refusedImports(files, (imported, importer) => {
      if (!imported.startsWith(`${folder}/`) || entryOfPath(imported) === entryOfPath(importer)) return false
      const [to, from] = [levelOf(imported), levelOf(importer)]
      return to > from || (to === from && to > 0)
    })
    expect(climbs).toEqual([])
  })

  it.each(Object.entries(layers))('list each folder, and only files that exist: %s', (folder, order) => {
    const files = filesOf(folder)
    const entries = order.flat()
    const folders = new Set(files.flatMap(({ path }) => path.split('/').slice(1, -1)[0] ?? []))
    expect(entries.filter((entry) => !/\./.test(entry)).sort()).toEqual([...folders].sort())
    const missing = entries.filter((entry) => /\.tsx?$/.test(entry) && !isThere(`${folder}/${entry}`))
    expect(missing).toEqual([])
    expect(new Set(entries).size).toBe(entries.length)
  })
})

describe('a rule of the tree', () => {
  it('lets the conformance tests import only the contract, so that they run against any deployment', () => {
    const files = sources.filter(({ path }) => path.startsWith('test/conformance/'))
    expect(files).not.toEqual([])
    const projectImports = files.flatMap(importsOf).filter((imported) => imported.endsWith('.ts'))
    expect(projectImports.filter((imported) => !/^(contract|test\/conformance)\//.test(imported))).toEqual([])
  })

  it('keeps the AWS SDK in the adapters, except its signer, with which local endpoints check signatures', () => {
    const users = code.filter((file) => importsOf(file).some((imported) => /^(@aws-sdk|@smithy)\//.test(imported)))
    const others = users.filter((file) => file.topLevelFolder !== 'adapters')
    expect(others.map(({ path }) => path)).toEqual(['local/signing/signature-v4.ts'])
    expect(users.length).toBeGreaterThan(others.length)
  })

  it('keeps the clock, randomness and the environment out of the core and the contract', () => {
    const pure = [...filesOf('core'), ...filesOf('contract')]
    expect(linesWith(pure, /\bnew Date\(\)|\bDate\.now\(|\bMath\.random\(|\brandom(UUID|Bytes)\b/)).toEqual([])
    expect(linesWith(pure, /\bset(Timeout|Interval)\(|\bprocess\.|\bperformance\./)).toEqual([])
  })

  it('lets only commands, functions and tests read environment variables', () => {
    const elsewhere = code.filter(
      // The worker sets the variables that Lambda sets.
      ({ path, topLevelFolder }) =>
        topLevelFolder !== 'bin' &&
        path !== 'client/cli/main.ts' &&
        path !== 'lambdas/environment.ts' &&
        // Proxies are a setting of the process, as those of the SDK are.
        !['client/network/proxies.ts', 'adapters/request-limits.ts'].includes(path) &&
        path !== 'local/lambda/worker.ts',
    )
    expect(linesWith(elsewhere, /\bprocess\.env\b|\bprocess\[/)).toEqual([])
  })
})

describe('files', () => {
  it('stay within 250 lines, unless they are tests or generated', () => {
    const written = code.filter(({ text }) => !text.startsWith('// Written by `npm run schema`'))
    expect(pathsOf(written, ({ text }) => text.trimEnd().split('\n').length > 250)).toEqual([])
  })

  it('number at most 16 in a folder', () => {
    const perFolder = Map.groupBy(sources, ({ path }) => path.slice(0, path.lastIndexOf('/') + 1))
    const large = [...perFolder].filter(([, files]) => files.length > 16)
    expect(large.map(([folder, { length }]) => `${folder} has ${length}`)).toEqual([])
  })

  it('carry names in kebab case, and so do their folders', () => {
    const name = /^[a-z][a-z0-9]*(-[a-z0-9]+)*(\.[a-z]+)*$/
    expect(pathsOf(sources, ({ path }) => !path.split('/').every((part) => name.test(part)))).toEqual([])
  })

  it('never carry the names utils, helpers, common, shared or misc', () => {
    const drawer = /(^|\/)(utils?|helpers?|common|shared|misc)(\.[a-z.]+)?$/
    expect(listPaths().filter((path) => drawer.test(path))).toEqual([])
  })

  it('carry the name index only if they are the entry point of a function', () => {
    const indexes = sources.filter(({ path }) => /(^|\/)index\.[a-z.]*ts$/.test(path)).map(({ path }) => path)
    expect(indexes).toEqual(functionNames.map((name) => `lambdas/${name}/index.ts`).sort())
  })

  it('export only by name', () => {
    const modules = sources.filter(({ path }) => !/\.(config|d)\.ts$/.test(path))
    expect(linesWith(modules, /^export default\b|\bas default\b/)).toEqual([])
  })

  it('do not re-export, except the entries of the package: there are no barrels', () => {
    const modules = sources.filter(({ path }) => !/^client\/(rate-search|browser)\.ts$/.test(path))
    expect(pathsOf(modules, ({ text }) => /^export\s+(type\s+)?(\*|\{[^}]*\})[^'"`;(]*\bfrom\b/m.test(text))).toEqual(
      [],
    )
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

  it('import each other with their extensions, as Node requires', () => {
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
    const folders = [...Object.keys(boundaries), 'docs', 'stages', 'test'].join('|')
    // Neither a pattern nor what an older commit had.
    const pathPattern = new RegExp(`(?<![\\w@./-])(?:${folders})/(?![\\w./-]*(?:[<*{]|\` at commit))[\\w./-]*\\w`, 'g')
    const paths = listPaths().flatMap((path) => [path, path.replace(/^test\//, '')])
    const isNamed = (name: string) =>
      paths.some((path) => path === name || path.startsWith(`${name}.`) || path.startsWith(`${name}-`))
    const dead = texts.flatMap(({ path, lines }) =>
      lines.flatMap((line) =>
        (line.match(pathPattern) ?? []).filter((name) => !isNamed(name)).map((name) => `${path}: ${name}`),
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

describe('the code', () => {
  it.each([
    ['avoids the type any', /(\bas\s|[:<,|&=>]\s*)any\b(?=\s*([\]>,;)=|&[{}]|$))/],
    ['avoids comments that silence the compiler', /@ts-(ignore|nocheck|expect-error)/],
    ['avoids non-null assertions', /[\w)\]]!(\.|\[|\)|,|;|$)/],
    ['mocks no module', /\bvi\.(do)?[mM]ock\(/],
    ['neither focuses nor skips tests', /\b(it|test|describe)(\.\w+)*\.(only|skip|todo)\b/],
  ])('%s', (_, pattern) => {
    const lines = sources.flatMap(({ path, text }) =>
      (pattern.source.startsWith('@') ? text : withoutComments(text))
        .split('\n')
        .filter((line) => pattern.test(line))
        .map((line) => `${path}: ${line.trim()}`),
    )
    expect(lines).toEqual([])
  })

  it('calls no console outside tests', () => {
    expect(linesWith(code, /\bconsole\.\w+\(/)).toEqual([])
  })
})

describe('the name of a function', () => {
  const ownFolder = /^lambdas\/([^/]+)\/(index|handler)\.ts$/

  it('equals the name of its folder in lambdas/, and no other folder exists', () => {
    const words = sources.flatMap(({ path }) => ownFolder.exec(path)?.[1] ?? [])
    expect([...new Set(words)].sort()).toEqual([...functionNames].sort())
  })

  it.each(functionNames)('equals the name of its short entry point, handler and use case: %s', (name) => {
    const files = sources.filter(({ path }) => path.startsWith(`lambdas/${name}/`))
    const lines = (file: string) =>
      files
        .find(({ path }) => path.endsWith(`/${file}`))
        ?.text.trimEnd()
        .split('\n').length
    expect(lines('index.ts')).toBeLessThanOrEqual(45)
    // A call that only reads has its handler in lambdas/http/serve-call.ts.
    expect(lines('handler.ts') ?? 0).toBeLessThanOrEqual(40)
    // These have no use case of their own: assistants' tools call the API.
    if (name === 'not-found' || name === 'get-page' || name === 'serve-assistants') return
    expect(pathsOf(filesOf('core'), ({ path }) => path.endsWith(`/${name}.ts`))).toHaveLength(1)
  })

  it.each(functionNames)('equals the name under which its entry point logs: %s', (name) => {
    const index = sources.find(({ path }) => path === `lambdas/${name}/index.ts`)
    const words = [...(index?.text ?? '').matchAll(/\bcreateLog\('([^']+)'\)/g)].map(([, word]) => word)
    expect(words).toEqual([name])
    const camel = pascal(name).replace(/^./, (letter) => letter.toLowerCase())
    const composition = new RegExp(
      `^export const handler = (${camel}Handler\\(|serve(Search|Page)\\(${camel}, )\\{`,
      'm',
    )
    expect(index?.text).toMatch(composition)
  })
})
