import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, posix, sep } from 'node:path'

export const root = join(import.meta.dirname, '../..')

/** A TypeScript file of this project. */
export interface SourceFile {
  readonly path: string
  readonly topLevelFolder: string
  readonly text: string
}

/** Files and folders of the project, except installed, generated or downloaded ones. */
export function listPaths(): readonly string[] {
  const folders = readdirSync(root, { withFileTypes: true })
  const sourceEntries = folders.filter(({ name }) => !/^(\.|node_modules$|cdk\.out$|build$)/.test(name))
  return sourceEntries.flatMap((entry) => {
    if (!entry.isDirectory()) return [entry.name]
    const below = readdirSync(join(root, entry.name), { recursive: true, encoding: 'utf8' })
    const sourcesBelow = below.filter(
      (path) => !path.split(sep).some((part) => part === 'node_modules' || part === 'build'),
    )
    return [entry.name, ...sourcesBelow.map((path) => posix.join(entry.name, path))]
  })
}

/** Every TypeScript file of the project, those with JSX included. */
export function readSources(): readonly SourceFile[] {
  const paths = listPaths().filter((path) => /\.tsx?$/.test(path))
  return paths.sort().map((path) => ({ path, topLevelFolder: path.split('/')[0] ?? '', text: readText(path) }))
}

export const readText = (path: string) => readFileSync(join(root, path), 'utf8')

export const isThere = (path: string) => existsSync(join(root, path))

/** Returns the imports of a file, in every form: packages by name, project files by path from the root. */
export function importsOf({ path, text }: SourceFile): readonly string[] {
  const ways = [
    /^(?:import|export)\b[^'"`]*?\bfrom\s+['"]([^'"]+)['"]/gm,
    /^import\s+['"]([^'"]+)['"]/gm,
    /\b(?:import|require|resolve)\(\s*['"]([^'"]+)['"]/g,
    /\bnew URL\(\s*['"]([^'"]+)['"]\s*,\s*import\.meta\.url/g,
  ]
  const specifiers = ways.flatMap((way) => [...text.matchAll(way)].map(([, name = '']) => name))
  return specifiers.map((name) => (name.startsWith('.') ? posix.join(posix.dirname(path), name) : name))
}

/** A file's text without comments, for rules about code. */
export const withoutComments = (text: string) => text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '$1')
