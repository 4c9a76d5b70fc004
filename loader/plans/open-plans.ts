import type { ActiveState, CatalogueEntry } from '../../core/catalogue/catalogue-entry.ts'
import { oncePer } from '../../core/once-per.ts'
import type { LoadedPlan } from '../../core/switching/plan-changes.ts'
import { isRemote } from '../../fetch/file-address.ts'
import { FileFinder, type FileToRead, type FoundFile } from '../../fetch/file-finder.ts'
import { LoadRefused, toOneLine } from '../../fetch/load-refused.ts'
import { splitZips } from '../../fetch/zip/zip-directory.ts'
import { nameSome } from '../../schema/phrases.ts'
import type { LoadDeps, LoadRequest } from '../publish/load-request.ts'
import type { ReadRun } from '../publish/sources/read-file.ts'
import { findActive } from './load-guards.ts'
import { type LeftOutPlan, nameOnly, planKey, Spellings, siftPlans } from './plan-names.ts'
import { findPublishers, findSuccession, type Succession } from './publishers.ts'
import { readContents } from './read-contents.ts'
import type { ListedFile, ListedPlan, TableOfContents } from './table-of-contents.ts'

/** The plans of a load, before any of its in-network files is read. */
export interface OpenedPlans extends Pick<ReadRun, 'request' | 'finder' | 'entity'> {
  /** The files to read, each once. */
  readonly files: readonly FileToRead[]
  /** Undefined if the operator names the files: only these say which plans they are for. */
  readonly loadable: readonly LoadablePlan[] | undefined
  readonly leftOut: readonly LeftOutPlan[]
  /** Findings of the table of contents. */
  readonly listing: TableOfContents['findings']
  /** The variants that the table of contents no longer lists. */
  readonly vanished: Succession['vanished']
  /** Active states, by `feeScheduleKey`. */
  readonly active: ReadonlyMap<string, ActiveState>
  /** The spellings of all plans in the catalogue and in the table of contents. */
  readonly spellings: Spellings
}

/** A listed plan that can be loaded if its files are valid; `partial` if not all of them were found. */
export interface LoadablePlan extends Omit<LoadedPlan, 'sources'> {
  /** Plans of one entry share their list. */
  readonly files: readonly FileToRead[]
}

/**
 * Reads the table of contents, if there is one, finds the files of its plans, and chooses the plans to load.
 *
 * @param read reads the table of contents
 * @throws LoadRefused
 */
export async function openPlans(
  request: LoadRequest,
  catalogue: readonly CatalogueEntry[],
  deps: Pick<LoadDeps, 'remote' | 'signal' | 'onProgress' | 'newId'>,
  read = readContents,
): Promise<OpenedPlans> {
  const fetching = deps.remote && { locations: deps.remote.locations, fetchesAll: request.fetch ?? false }
  const finder = await FileFinder.open(request.files, request.fileMap, fetching)
  const active = findActive(catalogue)
  const spellings = new Spellings(catalogue)
  const opened = { request, finder, active, spellings }
  if (request.toc === undefined) {
    const files = await splitZips(request.files.map((path) => ({ path, identity: finder.identify(path) })))
    const nothing = { loadable: undefined, leftOut: [], listing: [], vanished: [] }
    return { ...opened, ...nothing, entity: request.payer, files: distinct(files) }
  }
  const toc = await read(request.toc, request, deps)
  const filesOf = await findListedFiles(request.toc, toc.plans, request.files, finder)
  const publishers = findPublishers(request, active)
  // With --plan, other plans are unaffected.
  const succession =
    request.plan === undefined ? findSuccession(toc, request, { catalogue, publishers }, deps.newId) : undefined
  for (const plan of toc.plans) spellings.add(plan)
  const { plans, leftOut } = siftPlans(
    toc.plans.filter((plan) => isListedWithFiles(plan) || active.has(planKey(plan))),
    (plan) =>
      spellings.findFault(plan, request) ??
      publishers.findFault(plan) ??
      findMissing(plan, filesOf(plan.files), request.partial ?? false),
    toc.quarantined,
  )
  const loadable = plans.map((plan): LoadablePlan => {
    const { present, missing, ambiguous } = filesOf(plan.files)
    return {
      ...nameOnly(plan),
      facts: plan.facts ?? {},
      files: present,
      partial: missing.length + ambiguous.length + plan.faults.length > 0,
      origin: succession?.origin ?? active.get(planKey(plan))?.origin,
      publisher: publishers.of(plan),
    }
  })
  const files = distinct([...new Set(loadable.map((plan) => plan.files))].flat())
  const { entity, findings: listing } = toc
  return { ...opened, entity, files, loadable, leftOut, listing, vanished: succession?.vanished ?? [] }
}

const distinct = (files: readonly FileToRead[]) => [...new Map(files.map((file) => [file.path, file])).values()]

/** False for a plan that has only a file of allowed amounts, for example. */
const isListedWithFiles = ({ files, faults }: ListedPlan) => files.length + faults.length > 0

/** Finds the reason why a plan cannot be loaded completely; undefined if it can be, or need not be. */
function findMissing(plan: ListedPlan, files: PlanFiles, allowsPartial: boolean): string | undefined {
  if (!isListedWithFiles(plan)) return 'the table of contents no longer lists an in-network file for it'
  const reason = files.ambiguous[0] ?? plan.faults[0] ?? files.lack
  return allowsPartial && files.present.length > 0 ? undefined : reason
}

/** Says what helps: nothing is fetched that has no address, and nothing lies beside a remote table of contents. */
function describeMissing(missing: readonly string[], toc: string): string {
  const subject = missing.length === 1 ? 'a listed file is missing' : `${missing.length} listed files are missing`
  const remedies = [
    ...(isRemote(toc) ? [] : ['put it beside the table of contents']),
    'map it with --files',
    ...(missing.every(isRemote) ? ['fetch it with --fetch'] : []),
  ]
  return `${subject} (${nameSome(missing, 3, ', ', toOneLine)}): ${remedies.join(', ')}, or use --partial`
}

/** The local files of a plan. */
type PlanFiles = ReturnType<Awaited<ReturnType<typeof findListedFiles>>>

/**
 * Finds the local files of the plans that a table of contents lists.
 *
 * @param paths the files that the operator named; each must be listed for a plan
 * @returns the files of a plan; plans of one entry share them, as they share their list
 * @throws LoadRefused for a named file that is not listed
 */
async function findListedFiles(
  toc: string,
  plans: readonly ListedPlan[],
  paths: readonly string[],
  finder: FileFinder,
) {
  const listedFiles = new Set([...new Set(plans.map(({ files }) => files))].flat())
  // Results are final only once all addresses have been looked up.
  for (const { location } of listedFiles) finder.find(location, toc)
  const searches = new Map([...listedFiles].map((file) => [file, finder.find(file.location, toc)]))
  const listedPaths = new Set([...searches.values()].flatMap(pathsOf))
  const unlisted = paths.find((path) => !listedPaths.has(path))
  if (unlisted !== undefined) throw new LoadRefused(unlisted, `is not listed for any plan in ${toc}`)
  const present = new Map<ListedFile, readonly FileToRead[]>()
  for (const [file, result] of searches)
    if (result.outcome === 'found') present.set(file, await splitZips([{ identity: file.identity, path: result.path }]))
  return oncePer((files: ListedPlan['files']) => {
    const results = files.map((file) => searches.get(file))
    const missing = files.filter((file) => searches.get(file)?.outcome === 'missing').map(({ identity }) => identity)
    return {
      present: files.flatMap((file) => present.get(file) ?? []),
      missing,
      /** Names the missing files in a message, which plans that share the files also share. */
      lack: missing.length === 0 ? undefined : describeMissing(missing, toc),
      /** Reasons why addresses match several files, one for each address. */
      ambiguous: [...new Set(results.flatMap((result) => (result?.outcome === 'ambiguous' ? result.reason : [])))],
    }
  })
}

function pathsOf(file: FoundFile): readonly string[] {
  if (file.outcome === 'missing') return []
  return file.outcome === 'found' ? [file.path] : file.paths
}
