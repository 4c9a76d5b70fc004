import type { CatalogueEntry } from '../../core/catalogue/catalogue-entry.ts'
import type { FileToRead } from '../fetch/file-finder.ts'
import type { LoadDeps, LoadRequest } from '../publish/load-request.ts'
import type { ReadRun } from '../publish/sources/read-file.ts'
import type { readSources } from '../publish/sources/read-sources.ts'
import { type ListedPlans, openPlans } from './open-plans.ts'
import type { Publishers } from './publishers.ts'
import type { readContents } from './read-contents.ts'
import { type ReadPlans, readListedPlans, readNamedPlans } from './read-plans.ts'
import type { TableOfContents } from './table-of-contents.ts'
import { findSuccession, type Succession } from './vanished-plans.ts'

/** What a load consists of. */
interface PlansOfLoad {
  readonly read: ReadPlans
  /** Undefined if the load does not affect the plans that it does not name. */
  readonly succession?: Succession
}

/** How a load learns what its table of contents lists, and what its files contain. */
export interface LoadReading {
  readonly contents: typeof readContents
  readonly files: typeof readSources
}

/** @throws LoadRefused */
export async function readPlansOfLoad(
  { loadId, request }: Pick<ReadRun, 'loadId' | 'request'>,
  catalogue: readonly CatalogueEntry[],
  reading: LoadReading,
  deps: LoadDeps,
): Promise<PlansOfLoad> {
  const opened = await openPlans(request, catalogue, deps, reading.contents)
  const { listed, finder, publishers } = opened
  const entity = listed === undefined ? request.payer : listed.toc.entity
  const read = (files: readonly FileToRead[]) => reading.files(files, { loadId, request, finder, deps, entity })
  if (listed === undefined) return { read: await readNamedPlans(opened, read) }
  // With --plan, other plans are unaffected.
  const succession =
    request.plan === undefined
      ? followOn(listed, request, withoutOthers(catalogue, listed.toc, publishers), deps.newId)
      : undefined
  return { read: await readListedPlans(listed, opened, read), ...(succession && { succession }) }
}

/** Only entries of the publishers of a table of contents may end with it. */
function withoutOthers(catalogue: readonly CatalogueEntry[], { plans }: TableOfContents, publishers: Publishers) {
  if (publishers.areAsked) return catalogue
  const own = new Set(plans.map((plan) => publishers.of(plan)))
  return catalogue.filter(
    ({ state }) => state.status !== 'active' || state.publisher === undefined || own.has(state.publisher),
  )
}

/** Without a complete list of plans, none are removed. */
function followOn(
  { path, toc: { plans, quarantined } }: ListedPlans,
  request: LoadRequest,
  catalogue: readonly CatalogueEntry[],
  newId: () => string,
): Succession {
  const named = quarantined.map(({ plan }) => plan)
  const listed = [...plans, ...named.filter((plan) => plan !== undefined)]
  const succession = findSuccession({ ...request, toc: path, listed }, catalogue, newId)
  return named.includes(undefined) ? { ...succession, vanished: [] } : succession
}
