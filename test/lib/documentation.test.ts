import { posix } from 'node:path'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { httpStatusOf } from '../../contract/errors.ts'
import { failureWords } from '../../contract/failure-words.ts'
import { type AnyRoute, routes } from '../../contract/routes.ts'
import { functionNames } from '../../schema/function-names.ts'
import { isThere, listPaths, readText } from '../templates/source-files.ts'

const manifest = v.parse(
  v.object({
    scripts: v.record(v.string(), v.string()),
    dependencies: v.optional(v.record(v.string(), v.string()), {}),
    devDependencies: v.optional(v.record(v.string(), v.string()), {}),
    optionalDependencies: v.optional(v.record(v.string(), v.string()), {}),
  }),
  JSON.parse(readText('package.json')),
)
const dependencies = { ...manifest.dependencies, ...manifest.devDependencies, ...manifest.optionalDependencies }
const readme = readText('README.md')
const documents = listPaths().filter((path) => path.endsWith('.md') && !path.startsWith('test/fixtures/'))

/** The text below a heading, up to the next heading of its level. */
function section(text: string, heading: string): string {
  const [, below = ''] = text.split(`\n## ${heading}\n`)
  return below.split('\n## ')[0] ?? ''
}

/** The rows of a section's table, as cells. */
const rowsOf = (text: string) =>
  text
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .slice(2)
    .map((line) => line.split('|').slice(1, -1))

const withoutCode = (text: string) => text.replace(/^ *```[\s\S]*?^ *```$/gm, '')

/** Returns the anchors of a document's headings, as GitHub makes them. */
function anchorsOf(text: string): ReadonlySet<string> {
  const anchors = new Set<string>()
  for (const [, heading = ''] of withoutCode(text).matchAll(/^#{1,6} +(.+?) *$/gm)) {
    const words = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase()
    const anchor = words.replaceAll(/[^\p{L}\p{N}\s_-]/gu, '').replaceAll(' ', '-')
    let repetitions = 0
    while (anchors.has(repetitions === 0 ? anchor : `${anchor}-${repetitions}`)) repetitions++
    anchors.add(repetitions === 0 ? anchor : `${anchor}-${repetitions}`)
  }
  return anchors
}

const spansOf = (text: string) => [...text.matchAll(/`([^`\n]+)`/g)].map(([, span = '']) => span)

/** Names in backticks; `-s3` after `@aws-sdk/client-athena` means `@aws-sdk/client-s3`. */
function namesOf(text: string): readonly string[] {
  let family = ''
  return spansOf(text).map((span) => {
    if (span.startsWith('-')) return `${family}${span}`
    family = span.replace(/-\w+$/, '')
    return span
  })
}

describe('package.json', () => {
  it('pins the exact version of each package', () => {
    const loose = Object.entries(dependencies).filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))
    expect(loose).toEqual([])
  })

  it('runs files that exist', () => {
    const files = Object.values(manifest.scripts).flatMap((script) => script.match(/\b[\w./-]+\.[jt]s\b/g) ?? [])
    expect(files.length).toBeGreaterThan(5)
    expect(files.filter((path) => !isThere(path))).toEqual([])
  })
})

describe('documents and messages', () => {
  it('name only commands of npm that a dependency provides', () => {
    const sources = listPaths().filter((path) => /\.tsx?$/.test(path) && !path.startsWith('test/'))
    const npmNames = [...documents, ...sources].flatMap((path) => {
      const commands = readText(path).matchAll(
        /\b(?:npx|npm exec|npm (?:i|install) (?:-g|--global)) +(?:--?\S+ +)*([\w@./-]+)/g,
      )
      return [...commands].map(([, name = '']) => ({ path, name }))
    })
    expect(npmNames).toContainEqual({ path: 'docs/deploying.md', name: 'cdk' })
    const isInstalled = (name: string) =>
      name.startsWith('./') || (name !== 'rate-search' && isThere(`node_modules/.bin/${name}`))
    expect(npmNames.filter(({ name }) => !isInstalled(name))).toEqual([])
  })

  it('belong to a client that cannot be published by accident', () => {
    expect(JSON.parse(readText('client/package.json'))).toMatchObject({ name: 'rate-search', private: true })
  })
})

describe('the list of dependencies', () => {
  const explained = rowsOf(readText('docs/dependencies.md')).flatMap(([names = '']) => namesOf(names))

  it('gives a reason for each dependency', () => {
    expect(Object.keys(dependencies).filter((name) => !explained.includes(name))).toEqual([])
  })

  it('lists no dependency that does not exist', () => {
    expect(explained.filter((name) => !(name in dependencies))).toEqual([])
  })
})

describe('the README', () => {
  it('stays within 150 lines', () => {
    expect(readme.trimEnd().split('\n').length).toBeLessThanOrEqual(150)
  })

  it('points contributors only to files that exist', () => {
    const rows = rowsOf(section(readme, 'I want to change …'))
    expect(rows.length).toBeGreaterThan(5)
    const paths = rows.flatMap(([, open = '']) => {
      let folder = '.'
      return spansOf(open).map((span) => {
        // A bare name belongs to the folder of the file before it.
        if (span.includes('/')) folder = posix.dirname(span)
        return span.includes('/') ? span : posix.join(folder, span)
      })
    })
    const files = paths.flatMap((path) =>
      path.includes('<operation>') ? functionNames.map((operation) => path.replace('<operation>', operation)) : [path],
    )
    expect(files.filter((path) => !isThere(path))).toEqual([])
  })
})

describe('every route', () => {
  // HEAD is documented as part of GET.
  const documented = routes
    .filter(({ method }: AnyRoute) => method !== 'HEAD')
    .map(({ method, path }) => `${method} ${path}`)

  it.each(['README.md', 'docs/api.md'])('appears in a table of %s', (path) => {
    const rows = readText(path)
      .split('\n')
      .filter((line) => line.startsWith('|'))
    const isDescribed = (route: string) =>
      rows.some((row) => row.startsWith(`| \`${route}\``) || row.startsWith(`| \`${route}?`))
    expect(documented.filter((route) => !isDescribed(route))).toEqual([])
  })
})

describe('docs/api.md', () => {
  const api = readText('docs/api.md')
  /** The first two cells of each row; the first is code. */
  const pairsOf = (text: string) => rowsOf(text).map(([name = '', fact = '']) => [spansOf(name)[0], fact.trim()])

  it('explains every reason of a failed search, in the words of the contract', () => {
    const [, table = ''] = section(api, 'A job').split('\nA failed job')
    expect(pairsOf(table)).toEqual(Object.entries(failureWords))
  })

  it('lists every type of error with its status', () => {
    const types = Object.entries(httpStatusOf).map(([type, status]) => [type, String(status)])
    expect(pairsOf(section(api, 'Errors'))).toEqual(types)
  })
})

describe('every document', () => {
  it.each(documents)('%s names commands that exist', (path) => {
    // Sections of earlier releases name the commands of their time.
    const text = path === 'CHANGELOG.md' ? section(readText(path), 'Unreleased') : readText(path)
    const code = [...(text.match(/^```[\s\S]*?^```/gm) ?? []), ...spansOf(text)].join('\n')
    const commands = [...code.matchAll(/\bnpm (run )?([a-z][\w:-]*)/g)].map(([, run, name = '']) => ({ run, name }))
    const builtIn = new Set(['ci', 'install', 'pack', 'version'])
    const unknown = commands.filter(
      ({ run, name }) => !(name in manifest.scripts) && (run !== undefined || !builtIn.has(name)),
    )
    expect(unknown.map(({ name }) => name)).toEqual([])
  })

  it.each(documents)('%s has no line over 160 characters, except in tables and code', (path) => {
    const prose = readText(path).replace(/^```[\s\S]*?^```/gm, '')
    expect(prose.split('\n').filter((line) => line.length > 160 && !line.startsWith('|'))).toEqual([])
  })

  it.each(documents)('%s has no broken links', (path) => {
    const targets = [...readText(path).matchAll(/\]\((?!https?:|mailto:|#)([^)#\s]+)[^)]*\)/g)].map(
      ([, target = '']) => target,
    )
    expect(targets.filter((target) => !isThere(posix.join(posix.dirname(path), target)))).toEqual([])
  })
})

describe('the link to a section', () => {
  const links = documents.flatMap((path) =>
    [...withoutCode(readText(path)).matchAll(/\]\((?!https?:)([^)#\s]*)#([^)\s]+)\)/g)].map(
      ([, file = '', anchor = '']) => ({
        path,
        target: file === '' ? path : posix.join(posix.dirname(path), file),
        anchor,
      }),
    ),
  )

  it('leads to a heading of the document', () => {
    expect(links.length).toBeGreaterThan(10)
    expect(links.filter(({ target, anchor }) => !anchorsOf(readText(target)).has(anchor))).toEqual([])
  })

  it('counts equal headings, and drops punctuation and links', () => {
    const text = "# A's `b`, c_d\n```\n# code\n```\n## [New](x.md) – 2\n## Twice\n## Twice\n"
    expect([...anchorsOf(text)]).toEqual(['as-b-c_d', 'new--2', 'twice', 'twice-1'])
  })
})

describe('the decision records', () => {
  const adrs = listPaths().filter((path) => /^docs\/adr\/\d{4}-/.test(path))
  const index = readText('docs/adr/README.md')

  it('appear in their index', () => {
    expect(adrs).not.toEqual([])
    expect(adrs.filter((path) => !index.includes(`](${posix.basename(path)})`))).toEqual([])
  })

  it('carry consecutive numbers', () => {
    const numbers = adrs.map((path) => Number(posix.basename(path).slice(0, 4))).sort((one, other) => one - other)
    expect(numbers).toEqual(numbers.map((_, position) => position + 1))
  })
})
