import type { CatalogueEntry } from '../../core/catalogue/catalogue-entry.ts'
import { FileFinder, type FileToRead } from '../fetch/file-finder.ts'
import { splitZips } from '../fetch/zip/zip-directory.ts'
import type { LoadDeps, LoadRequest } from '../publish/load-request.ts'
import { findListedFiles, type PlanFiles } from './files-to-load.ts'
import { Spellings } from './plan-names.ts'
import { findPublishers, type Publishers } from './publishers.ts'
import { readContents } from './read-contents.ts'
import type { ListedPlan, TableOfContents } from './table-of-contents.ts'

/** The plans of a load, before any of its in-network files is read. */
export interface OpenedPlans {
  readonly request: LoadRequest
  readonly finder: FileFinder
  /** The spellings of all plans in the catalogue; those of the load are added. */
  readonly spellings: Spellings
  readonly publishers: Publishers
  /** Undefined if the operator names the files. */
  readonly listed: ListedPlans | undefined
}

/** What a table of contents lists, with the local files of each plan. */
export interface ListedPlans {
  readonly path: string
  readonly toc: TableOfContents
  readonly filesOf: (plan: ListedPlan) => PlanFiles
}

/**
 * Reads the table of contents, if there is one, and finds the files of its plans.
 *
 * @param read how the table of contents is read
 * @throws LoadRefused
 */
export async function openPlans(
  request: LoadRequest,
  catalogue: readonly CatalogueEntry[],
  deps: Pick<LoadDeps, 'remote' | 'signal' | 'onProgress'>,
  read = readContents,
): Promise<OpenedPlans> {
  const fetching = deps.remote && { locations: deps.remote.locations, fetchesAll: request.fetch ?? false }
  const finder = await FileFinder.open(request.files, request.fileMap, fetching)
  const spellings = new Spellings()
  const publishers = findPublishers(request, catalogue)
  for (const { payer, plan, variantOf: published = plan, state } of catalogue) {
    if (state.status !== 'removed') spellings.add({ payer, plan: published }, Number.POSITIVE_INFINITY)
  }
  const opened = { request, finder, spellings, publishers }
  if (request.toc === undefined) return { ...opened, listed: undefined }
  const toc = await read(request.toc, request, deps)
  const filesOf = await findListedFiles(request.toc, toc.plans, request.files, finder)
  return { ...opened, listed: { path: request.toc, toc, filesOf } }
}

/** The files that the operator named, of archives their entries. */
export const listNamedFiles = ({ request, finder }: OpenedPlans): Promise<readonly FileToRead[]> =>
  splitZips(request.files.map((path) => ({ path, identity: finder.identify(path) })))
