import type { FileFinder, FileToRead, FoundFile } from '../fetch/file-finder.ts'
import { LoadRefused } from '../fetch/load-refused.ts'
import { splitZips } from '../fetch/zip/zip-directory.ts'
import type { ListedFile, ListedPlan } from './table-of-contents.ts'

/** The local files of a plan. */
export interface PlanFiles {
  readonly present: readonly FileToRead[]
  /** The addresses of missing files. */
  readonly missing: readonly string[]
  /** Why an address matches several files, one message per address. */
  readonly ambiguous: readonly string[]
}

/**
 * Finds the local files of the plans that a table of contents lists.
 *
 * @param named the paths of the files that the operator named; each must be listed for a plan
 * @throws LoadRefused for a named file that is not listed
 */
export async function findListedFiles(
  toc: string,
  plans: readonly ListedPlan[],
  named: readonly string[],
  finder: FileFinder,
): Promise<(plan: ListedPlan) => PlanFiles> {
  const listed = new Set([...new Set(plans.map(({ files }) => files))].flat())
  // Results are final only once all addresses have been looked up.
  for (const { location } of listed) finder.find(location, toc)
  const found = new Map([...listed].map((file) => [file, finder.find(file.location, toc)]))
  const paths = new Set([...found.values()].flatMap(pathsOf))
  const unlisted = named.find((path) => !paths.has(path))
  if (unlisted !== undefined) throw new LoadRefused(unlisted, `is not listed for any plan in ${toc}`)
  const parts = new Map<ListedFile, readonly FileToRead[]>()
  for (const [file, result] of found)
    if (result.outcome === 'found') parts.set(file, await splitZips([{ identity: file.identity, path: result.path }]))
  // Plans of one entry share their list.
  const known = new Map<readonly ListedFile[], PlanFiles>()
  return ({ files }) => {
    const plan = known.get(files) ?? sortOut(files, found, parts)
    known.set(files, plan)
    return plan
  }
}

function pathsOf(file: FoundFile): readonly string[] {
  if (file.outcome === 'missing') return []
  return file.outcome === 'found' ? [file.path] : file.paths
}

function sortOut(
  files: readonly ListedFile[],
  found: ReadonlyMap<ListedFile, FoundFile>,
  parts: ReadonlyMap<ListedFile, readonly FileToRead[]>,
): PlanFiles {
  const present: FileToRead[] = []
  const missing: string[] = []
  const ambiguous = new Set<string>()
  for (const file of files) {
    const result = found.get(file)
    if (result?.outcome === 'found') present.push(...(parts.get(file) ?? []))
    else if (result?.outcome === 'ambiguous') ambiguous.add(result.reason)
    else missing.push(file.identity)
  }
  return { present, missing, ambiguous: [...ambiguous] }
}
