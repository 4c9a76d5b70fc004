import { oncePer } from '../../core/once-per.ts'
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
 * @returns the files of a plan; plans of one entry share them, as they share their list
 * @throws LoadRefused for a named file that is not listed
 */
export async function findListedFiles(
  toc: string,
  plans: readonly ListedPlan[],
  named: readonly string[],
  finder: FileFinder,
): Promise<(listed: ListedPlan['files']) => PlanFiles> {
  const listed = new Set([...new Set(plans.map(({ files }) => files))].flat())
  // Results are final only once all addresses have been looked up.
  for (const { location } of listed) finder.find(location, toc)
  const found = new Map([...listed].map((file) => [file, finder.find(file.location, toc)]))
  const paths = new Set([...found.values()].flatMap(pathsOf))
  const unlisted = named.find((path) => !paths.has(path))
  if (unlisted !== undefined) throw new LoadRefused(unlisted, `is not listed for any plan in ${toc}`)
  const sorted = new Map<ListedFile, PlanFiles>()
  for (const [file, result] of found) sorted.set(file, await sortOut(file, result))
  return oncePer((files) => {
    const own = files.flatMap((file) => sorted.get(file) ?? [])
    return {
      present: own.flatMap(({ present }) => present),
      missing: own.flatMap(({ missing }) => missing),
      ambiguous: [...new Set(own.flatMap(({ ambiguous }) => ambiguous))],
    }
  })
}

function pathsOf(file: FoundFile): readonly string[] {
  if (file.outcome === 'missing') return []
  return file.outcome === 'found' ? [file.path] : file.paths
}

async function sortOut({ identity }: ListedFile, found: FoundFile): Promise<PlanFiles> {
  const none = { present: [], missing: [], ambiguous: [] }
  if (found.outcome === 'found') return { ...none, present: await splitZips([{ identity, path: found.path }]) }
  return found.outcome === 'missing' ? { ...none, missing: [identity] } : { ...none, ambiguous: [found.reason] }
}
