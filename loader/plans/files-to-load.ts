import { oncePer } from '../../core/once-per.ts'
import type { FileFinder, FileToRead, FoundFile } from '../fetch/file-finder.ts'
import { LoadRefused } from '../fetch/load-refused.ts'
import { splitZips } from '../fetch/zip/zip-directory.ts'
import type { ListedFile, ListedPlan } from './table-of-contents.ts'

/** The local files of a plan. */
export type PlanFiles = ReturnType<Awaited<ReturnType<typeof findListedFiles>>>

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
) {
  const listed = new Set([...new Set(plans.map(({ files }) => files))].flat())
  // Results are final only once all addresses have been looked up.
  for (const { location } of listed) finder.find(location, toc)
  const found = new Map([...listed].map((file) => [file, finder.find(file.location, toc)]))
  const paths = new Set([...found.values()].flatMap(pathsOf))
  const unlisted = named.find((path) => !paths.has(path))
  if (unlisted !== undefined) throw new LoadRefused(unlisted, `is not listed for any plan in ${toc}`)
  const present = new Map<ListedFile, readonly FileToRead[]>()
  for (const [file, result] of found)
    if (result.outcome === 'found') present.set(file, await splitZips([{ identity: file.identity, path: result.path }]))
  return oncePer((files: ListedPlan['files']) => {
    const results = files.map((file) => found.get(file))
    return {
      present: files.flatMap((file) => present.get(file) ?? []),
      missing: files.filter((file) => found.get(file)?.outcome === 'missing').map(({ identity }) => identity),
      /** Why an address matches several files, one message per address. */
      ambiguous: [...new Set(results.flatMap((result) => (result?.outcome === 'ambiguous' ? result.reason : [])))],
    }
  })
}

function pathsOf(file: FoundFile): readonly string[] {
  if (file.outcome === 'missing') return []
  return file.outcome === 'found' ? [file.path] : file.paths
}
