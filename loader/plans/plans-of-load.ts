import type { CatalogueEntry } from '../../core/catalogue/catalogue-entry.ts'
import type { FileToRead } from '../fetch/file-finder.ts'
import type { LoadDeps, LoadRequest } from '../publish/load-request.ts'
import type { readSources } from '../publish/sources/read-sources.ts'
import { openPlans } from './open-plans.ts'
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

interface LoadOfPlans {
  readonly loadId: string
  readonly request: LoadRequest
  readonly catalogue: readonly CatalogueEntry[]
}

/** @throws LoadRefused */
export async function readPlansOfLoad(
  { loadId, request, catalogue }: LoadOfPlans,
  reading: LoadReading,
  deps: LoadDeps,
): Promise<PlansOfLoad> {
  const { toc, filesOf, finder, spellings, publishers } = await openPlans(request, catalogue, deps, reading.contents)
  const readBy = (entity: string | undefined) => (files: readonly FileToRead[]) =>
    reading.files(files, { loadId, request, finder, deps, entity })
  const named = { request, finder, spellings, publishers }
  if (request.toc === undefined || toc === undefined) {
    return { read: await readNamedPlans({ ...named, read: readBy(request.payer) }) }
  }
  // With --plan, other plans are unaffected.
  const succession =
    request.plan === undefined
      ? followOn(request.toc, toc, request, withoutOthers(catalogue, toc, publishers), deps.newId)
      : undefined
  const plans = await readListedPlans(toc, filesOf, { ...named, read: readBy(toc.entity) })
  return { read: plans, ...(succession && { succession }) }
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
  path: string,
  { plans, quarantined }: TableOfContents,
  request: LoadRequest,
  catalogue: readonly CatalogueEntry[],
  newId: () => string,
): Succession {
  const named = quarantined.map(({ likely }) => likely)
  const listed = [...plans, ...named.filter((plan) => plan !== undefined)]
  const succession = findSuccession({ ...request, toc: path, listed }, catalogue, newId)
  return named.includes(undefined) ? { ...succession, vanished: [] } : succession
}
