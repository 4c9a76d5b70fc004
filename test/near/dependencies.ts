import { posix } from 'node:path'
import { importsOf, type SourceFile, withoutComments } from '../templates/source-files.ts'

/** The files that a source file depends on, by path from the root. */
export interface Dependencies {
  /** Files whose code it runs by importing them. Types are left to the compiler. */
  readonly imports: readonly string[]
  /** Files that its texts name: commands that it starts, modules that it bundles, documents that it reads. */
  readonly names: readonly string[]
}

/** Imports that leave nothing in the code that runs. */
const typeImport = /^(?:import|export)\s+type\b[^'"`;]*?\bfrom\s+['"][^'"]+['"]/gm

/**
 * Reads the dependencies of a source file.
 *
 * A text names a file from the root, from the folder of the source file, or by its name alone if it is not code. A
 * value in a text (`bin/${command}.ts`) stands for every name in that folder.
 *
 * @param paths all files of the project
 */
export function readDependencies(source: SourceFile, paths: ReadonlySet<string>): Dependencies {
  const text = withoutComments(source.text)
  const imports = importsOf({ ...source, text: text.replace(typeImport, '') })
  const literals = [...text.matchAll(/'([^'\n]+)'|"([^"\n]+)"|`([^`\n]+)`/g)].map((match) => match.slice(1).join(''))
  const names = literals.flatMap((literal) => namedFiles(literal, source.path, paths))
  return { imports, names }
}

function namedFiles(literal: string, importer: string, paths: ReadonlySet<string>): readonly string[] {
  if (!/^[\w./${}\-()?: ']+\.\w+$/.test(literal)) return []
  if (literal.includes('${')) {
    const [start = '', ...others] = literal.split(/\$\{[^}]*\}/)
    if (!/^\w+\//.test(start)) return []
    const pattern = new RegExp(`^${[start, ...others].map((part) => RegExp.escape(part)).join('[\\w-]+')}$`)
    return [...paths].filter((path) => pattern.test(path))
  }
  const places = [posix.normalize(literal), posix.join(posix.dirname(importer), literal)]
  const files = places.filter((path) => paths.has(path))
  if (files.length > 0 || literal.includes('/') || /\.tsx?$/.test(literal)) return files
  return [...paths].filter((path) => path.endsWith(`/${literal}`))
}

/** Returns the changed files and all that reach them, directly or through others. */
export function findDependents(
  changed: readonly string[],
  dependencies: ReadonlyMap<string, readonly string[]>,
): ReadonlySet<string> {
  const dependents = new Map<string, string[]>()
  for (const [path, targets] of dependencies)
    for (const target of targets) dependents.set(target, [...(dependents.get(target) ?? []), path])
  const reached = new Set(changed)
  // A set yields what is added to it while it is iterated.
  for (const path of reached) for (const dependent of dependents.get(path) ?? []) reached.add(dependent)
  return reached
}
