import type { CatalogueEntry } from '../../core/catalogue/catalogue-entry.ts'
import { FileFinder } from '../fetch/file-finder.ts'
import type { LoadDeps, LoadRequest } from '../publish/load-request.ts'
import { findListedFiles, type PlanFiles } from './files-to-load.ts'
import { Spellings } from './plan-names.ts'
import { Publishers } from './publishers.ts'
import { readContents } from './read-contents.ts'
import type { ListedPlan, TableOfContents } from './table-of-contents.ts'

/** The plans of a load, before any of its in-network files is read. */
export interface OpenedPlans {
  readonly finder: FileFinder
  /** The spellings of all plans in the catalogue. */
  readonly spellings: Spellings
  readonly publishers: Publishers
  /** Undefined if the operator names the files. */
  readonly toc: TableOfContents | undefined
  /** The files of each plan of the table of contents. */
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
  const publishers = new Publishers(request, catalogue)
  for (const { payer, plan, variantOf: published = plan, state } of catalogue) {
    if (state.status !== 'removed') spellings.addKnown({ payer, plan: published })
  }
  if (request.toc === undefined) return { finder, spellings, publishers, toc: undefined, filesOf: () => noFiles }
  const toc = await read(request.toc, request, deps)
  const filesOf = await findListedFiles(request.toc, toc.plans, request.files, finder)
  return { finder, spellings, publishers, toc, filesOf }
}

const noFiles: PlanFiles = { present: [], missing: [], ambiguous: [] }
