import { posix } from 'node:path'
import type { SourceFile } from '../templates/source-files.ts'
import { findDependents, readDependencies } from './dependencies.ts'

/** A test file in the project of vitest.config.ts that runs it. */
export interface TestFile {
  readonly path: string
  readonly project: string
  /** Files that the project runs before its tests, such as one that starts the service. */
  readonly setups: readonly string[]
}

export interface Choice {
  /** Test files in the same folder of `test/` as a changed file in its own. */
  readonly first: readonly TestFile[]
  /** Other test files that are not slow. */
  readonly soon: readonly TestFile[]
  /** Slow and browser tests that import a changed file. */
  readonly late: readonly TestFile[]
  /** Test files that meet a changed file only in a service that is started for them. */
  readonly leftOut: readonly TestFile[]
  /** The changed file because of which every test is run. */
  readonly everythingFor: string | undefined
}

/** Projects whose files take minutes. */
const lateProjects = ['page', 'resilience']

/** Reading this module, a test looks at files by their paths: conventions, documents, the template. */
const fileReader = 'test/templates/source-files.ts'

/** Files without importers, on which everything depends. */
const settings = /^(package(-lock)?\.json|tsconfig\.json|vitest\.config\.ts|cdk\.json|page\/tsconfig\.json)$/

/**
 * Chooses the tests near a change.
 *
 * A test is near if it imports a changed file, directly or through others, or if it or such a file names one in a
 * text. Tests that read files by their paths are always near. If a changed file is a setting or is reached by no test,
 * every test that is not slow is near.
 *
 * @param changed paths from the root; a file may have been removed
 * @param paths all files of the project
 */
export function chooseTests(
  changed: readonly string[],
  sources: readonly SourceFile[],
  paths: ReadonlySet<string>,
  tests: readonly TestFile[],
): Choice {
  const imports = new Map<string, readonly string[]>()
  const all = new Map<string, readonly string[]>()
  for (const source of sources) {
    const dependencies = readDependencies(source, paths)
    imports.set(source.path, dependencies.imports)
    all.set(source.path, [...dependencies.imports, ...dependencies.names])
  }
  const isNear = isIn(findDependents(changed, all))
  const isImporter = isIn(findDependents(changed, imports))
  const isReader = isIn(findDependents([fileReader], imports))
  const isLate = ({ project }: TestFile) => lateProjects.includes(project)

  const everythingFor = changed.find((path) => {
    if (settings.test(path)) return true
    if (/\.(md|png)$/.test(path) || /^(docs|\.ci)\//.test(path)) return false
    const isReached = isIn(findDependents([path], all))
    return !tests.some(isReached)
  })
  const fast = tests.filter((test) => !isLate(test) && (everythingFor || isNear(test) || isReader(test)))
  const folders = new Set(changed.map((path) => posix.join('test', posix.dirname(path.replace(/^test\//, '')))))
  const isBeside = ({ path }: TestFile) => folders.has(posix.dirname(path))
  const late = tests.filter((test) => isLate(test) && isImporter(test))
  const isChosen = isIn(new Set([...fast, ...late].map(({ path }) => path)))
  const leftOut = tests.filter((test) => {
    if (isChosen(test)) return false
    return isLate(test) || test.setups.some((setup) => isNear({ path: setup }))
  })
  return {
    first: fast.filter(isBeside),
    soon: fast.filter((test) => !isBeside(test)),
    late,
    leftOut,
    everythingFor,
  }
}

const isIn =
  (paths: ReadonlySet<string>) =>
  ({ path }: { readonly path: string }) =>
    paths.has(path)

/** Returns a file, or the files below a folder; folders among the paths are left out. */
export function filesIn(place: string, paths: readonly string[]): readonly string[] {
  const isFolder = (path: string) => paths.some((other) => other.startsWith(`${path}/`))
  return paths.filter((path) => (path === place || path.startsWith(`${place}/`)) && !isFolder(path))
}
