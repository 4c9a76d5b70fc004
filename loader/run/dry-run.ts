import { listAll } from '../../core/catalogue/list-catalogue.ts'
import { mapAtOnce } from '../../core/work-at-once.ts'
import { isRemote } from '../../fetch/file-address.ts'
import type { FileToRead } from '../../fetch/file-finder.ts'
import { LoadRefused, toOneLine } from '../../fetch/load-refused.ts'
import { type LoadablePlan, openPlans } from '../plans/open-plans.ts'
import { type LeftOutPlan, showPlan, siftPlans } from '../plans/plan-names.ts'
import type { LoadDeps, LoadRequest } from '../publish/load-request.ts'
import { type FormerSources, findFormerSources, lookAt } from '../publish/sources/former-sources.ts'
import { countOf, describeReasons, listBelow, listSome } from './load-report.ts'

/** What a load would read. */
export interface DryRun {
  /** The plans that would be loaded; empty without a table of contents, because only the files name them. */
  readonly plans: readonly PlannedPlan[]
  readonly leftOut: readonly LeftOutPlan[]
  readonly files: readonly PlannedFile[]
  /** Size of the files to read; of those with a known size. */
  readonly bytes: number
  /** Number of files to read whose size is unknown. */
  readonly unknownSizes: number
  /** Calculated from the sizes, without the time to fetch. */
  readonly expectedSeconds: number
}

export interface PlannedPlan {
  /** For messages. */
  readonly name: string
  readonly files: number
  /** Of those with a known size. */
  readonly bytes: number
}

export interface PlannedFile {
  /** Path, or address without its query string. */
  readonly file: string
  /** Undefined if the server does not say, and for a pipe. */
  readonly bytes: number | undefined
  /** `unchanged`: an earlier load's rows are used. */
  readonly outcome: 'new' | 'unchanged' | 'unreachable'
  /** Why it cannot be read. */
  readonly reason?: string
}

/** JSON text that a worker reads in a second. */
const textRate = 50e6

/** How much larger the JSON text of payers' files is than its gzip. */
const packing = 20

/** Files that are looked at concurrently; those of a host also wait for its slots. */
const filesAtOnce = 64

type DryRunDeps = Omit<LoadDeps, 'records' | 'repeat'>

/**
 * Finds out what a load would read, without reading in-network files: of remote ones, size and entity tag are asked for.
 *
 * @throws LoadRefused as the load would before it reads files
 */
export async function planLoad(request: LoadRequest, deps: DryRunDeps): Promise<DryRun> {
  const opened = await openPlans(request, await listAll(deps.catalogue), deps)
  const former = await findFormerSources(opened.files, { ...opened, deps })
  const planned = new Map(
    await mapAtOnce(
      opened.files,
      filesAtOnce,
      async (file) => [file.path, await planFile(file, former, deps)] as const,
    ),
  )
  const filesOf = ({ files }: LoadablePlan) => files.flatMap(({ path }) => planned.get(path) ?? [])
  const readableOf = (plan: LoadablePlan) => filesOf(plan).filter(({ outcome }) => outcome !== 'unreachable')
  const findReason = (plan: LoadablePlan) =>
    request.partial && readableOf(plan).length > 0 ? undefined : filesOf(plan).find(({ reason }) => reason)?.reason
  const { plans, leftOut } = siftPlans(opened.loadable ?? [], findReason, opened.leftOut)
  const toRead = [...planned.values()].filter(({ outcome }) => outcome === 'new')
  const seconds = toRead.map(expectSeconds)
  return {
    plans: plans.map((plan) => {
      const readable = readableOf(plan)
      return { name: showPlan(plan), files: readable.length, bytes: sumBytes(readable) }
    }),
    leftOut,
    files: [...planned.values()],
    bytes: sumBytes(toRead),
    unknownSizes: toRead.filter(({ bytes }) => bytes === undefined).length,
    expectedSeconds: Math.max(0, ...seconds, sum(seconds) / (deps.workers ?? 1)),
  }
}

async function planFile(file: FileToRead, former: FormerSources, deps: DryRunDeps): Promise<PlannedFile> {
  const shown = toOneLine(file.path)
  try {
    using _slot = isRemote(file.path) ? await deps.remote?.hosts.take(file.path) : undefined
    const facts = await lookAt(file.path, deps)
    const source = await former.findUnchanged(file, facts)
    return { file: shown, bytes: facts.size, outcome: source === undefined ? 'new' : 'unchanged' }
  } catch (error) {
    if (!(error instanceof LoadRefused)) throw error
    return { file: shown, bytes: undefined, outcome: 'unreachable', reason: error.message }
  }
}

const expectSeconds = ({ file, bytes = 0 }: PlannedFile) =>
  (bytes * (/\.(gz|zip)(\?…)?$/i.test(file) ? packing : 1)) / textRate

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0)

const sumBytes = (files: readonly PlannedFile[]) => sum(files.map(({ bytes = 0 }) => bytes))

/**
 * Formats what a load would read as lines, without a trailing line break.
 *
 * @param workers how many files it would read at a time
 */
export function describeDryRun(dryRun: DryRun, workers: number): string {
  const { plans, files, leftOut, bytes, unknownSizes, expectedSeconds } = dryRun
  const toRead = files.filter(({ outcome }) => outcome === 'new')
  const unchanged = files.filter(({ outcome }) => outcome === 'unchanged').length
  const unreachable = files.filter(({ outcome }) => outcome === 'unreachable')
  const unknown = unknownSizes === 0 ? '' : `, and ${countOf(unknownSizes, 'file')} of unknown size`
  return [
    `Would read ${countOf(toRead.length, 'file')}: ${formatBytes(bytes)}${unknown}`,
    ...listSome(toRead.toSorted((a, b) => (b.bytes ?? 0) - (a.bytes ?? 0)).map(describeFile)),
    ...(unchanged === 0 ? [] : [`${countOf(unchanged, 'file')} unchanged since an earlier load, not read again`]),
    ...listBelow(
      `${countOf(unreachable.length, 'file')} cannot be read`,
      unreachable.map(({ reason = '' }) => `  ${reason}`),
    ),
    ...listBelow(`Would load ${countOf(plans.length, 'plan')}`, plans.map(describePlan)),
    ...listBelow(`Would leave out ${countOf(leftOut.length, 'plan')}`, describeReasons(leftOut)),
    `About ${formatTime(expectedSeconds)} with ${countOf(workers, 'worker')}, if fetching is no slower than reading`,
    'Nothing was loaded.',
  ].join('\n')
}

const describeFile = ({ file, bytes }: PlannedFile) =>
  `  ${file}: ${bytes === undefined ? 'unknown size' : formatBytes(bytes)}`

const describePlan = ({ name, files, bytes }: PlannedPlan) =>
  `  ${name}: ${countOf(files, 'file')}, ${formatBytes(bytes)}`

const numberFormat = new Intl.NumberFormat('en', { maximumFractionDigits: 1 })

function formatBytes(bytes: number): string {
  const [unit, size] =
    bytes < 1e6 ? (['kB', 1e3] as const) : bytes < 1e9 ? (['MB', 1e6] as const) : (['GB', 1e9] as const)
  return `${numberFormat.format(bytes / size)} ${unit}`
}

function formatTime(seconds: number): string {
  if (seconds < 90) return `${Math.ceil(seconds)} s`
  return seconds < 5400 ? `${Math.round(seconds / 60)} min` : `${numberFormat.format(seconds / 3600)} h`
}
