import type { ActiveState } from '../../core/catalogue/catalogue-entry.ts'
import { listAll } from '../../core/catalogue/list-catalogue.ts'
import { oncePer } from '../../core/once-per.ts'
import { mapAtOnce } from '../../core/work-at-once.ts'
import { isRemote } from '../../fetch/file-address.ts'
import { findEarlyHarm, joinReasons } from '../plans/load-guards.ts'
import { openPlans } from '../plans/open-plans.ts'
import { type LeftOutPlan, planKey, showPlan, siftPlans } from '../plans/plan-names.ts'
import { assignFiles, type PlanOfFiles } from '../plans/read-plans.ts'
import type { LoadDeps, LoadRequest } from '../publish/load-request.ts'
import { findFormerSources } from '../publish/sources/former-sources.ts'
import { findTooFew } from './load-files.ts'
import { describeFeeSchedule } from './load-report.ts'
import { type HeadSource, lookAtFile, type PlannedFile } from './look-at-file.ts'

/** The foreseeable outcome of a load. */
export interface DryRun {
  /** The plans that would be loaded. */
  readonly plans: readonly PlannedPlan[]
  readonly leftOut: readonly LeftOutPlan[]
  /** The fee schedules that would be removed, because the table of contents no longer lists them; for messages. */
  readonly removed: readonly string[]
  /** The reason for which the load would fail; absent if it would load something. */
  readonly failure?: string | undefined
  readonly files: readonly PlannedFile[]
  /** Number of files to read whose head was not read, because there are too many on servers. */
  readonly unopened: number
  /** Size of the files to read, as far as the sizes are known. */
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
  /** Size of its files, as far as the sizes are known. */
  readonly bytes: number
  /** The newest day of its files; absent if it is not known, or they state none. */
  readonly lastUpdatedOn?: string | undefined
  /** The content that is active for it now; absent if none is. */
  readonly active?: { readonly files: number; readonly lastUpdatedOn?: string | undefined } | undefined
}

/** JSON text that a worker reads in a second. */
const textRate = 50e6

/** Ratio of the size of JSON text to the size of its gzip, in payers' files. */
const packing = 20

/** Files that are looked at concurrently; those of a host also wait for its slots. */
const filesAtOnce = 64

/** Remote files whose heads are read: each is a request that takes up to some hundred kilobytes. */
const maxRemoteHeads = 1000

type DryRunDeps = Omit<LoadDeps, 'records' | 'repeat' | 'machine'>

/**
 * Finds out what a load would do, without reading rates: it asks for the sizes of the files, and reads their heads.
 *
 * @throws LoadRefused as the load would before it reads files
 */
export async function planLoad(request: LoadRequest, deps: DryRunDeps): Promise<DryRun> {
  const opened = await openPlans(request, await listAll(deps.catalogue), deps)
  const former = await findFormerSources(opened.files, { ...opened, deps })
  const remote = opened.files.filter(({ path }) => isRemote(path))
  // A file that an operator names must be read to know its plan.
  const unopened = new Set(opened.loadable === undefined ? [] : remote.slice(maxRemoteHeads))
  const looking = { opened, former, deps }
  const files = new Map(
    await mapAtOnce(
      opened.files,
      filesAtOnce,
      async (file) => [file.path, await lookAtFile(file, !unopened.has(file), looking)] as const,
    ),
  )
  const planned = [...files.values()].map((file) => file.planned)
  // A named file that is refused would end the load: all of them are told, not only the first.
  const partial = request.partial === true || opened.loadable === undefined
  const assigned = assignFiles<Ready>({ ...opened, request: { ...request, partial } }, files, () => undefined)
  // Plans share their lists of files.
  const summaryOf = oncePer(summarise)
  const findFault = (plan: PlanOfFiles<Ready>) => {
    const active = opened.active.get(planKey(plan))
    return active && findHarm(summaryOf(plan.ready), active, request)
  }
  const { plans, leftOut } = siftPlans(assigned.plans, findFault, assigned.leftOut)
  const toRead = planned.filter(({ outcome }) => outcome === 'new')
  const seconds = toRead.map(expectSeconds)
  return {
    plans: plans.map((plan) => ({
      name: showPlan(plan),
      ...summaryOf(plan.ready),
      active: describeActive(opened.active.get(planKey(plan))),
    })),
    leftOut,
    removed: opened.vanished.map(describeFeeSchedule),
    failure: isFileFatal(leftOut, request) ? fatalFile : findTooFew(plans.length, leftOut.length, request),
    files: planned,
    unopened: unopened.size,
    bytes: sumBytes(toRead),
    unknownSizes: toRead.filter(({ bytes }) => bytes === undefined).length,
    expectedSeconds: Math.max(findLargest(seconds), sum(seconds) / (deps.workers ?? 1)),
  }
}

/** A file whose head has been read, or that has not changed. */
interface Ready {
  readonly outcome: 'ready'
  readonly planned: PlannedFile
  readonly source: HeadSource
}

const fatalFile = 'a file is refused, and it is not known for which plan it is (--partial loads the other files)'

/** Without a table of contents, a refused file ends the load. */
const isFileFatal = (leftOut: readonly LeftOutPlan[], { toc, partial }: LoadRequest): boolean =>
  toc === undefined && !partial && leftOut.some(({ plan }) => plan === undefined)

/** Finds the harm that shows in the heads of a plan's files. */
function findHarm(files: FilesSummary, active: ActiveState, request: LoadRequest): string | undefined {
  // With --add, files that are not looked at stay.
  const { lastUpdatedOn, unreadableDay } = request.add ? {} : files
  const { older, fewer } = findEarlyHarm({ lastUpdatedOn, unreadableDay, files: files.files }, active, request)
  return joinReasons([older, fewer])
}

type FilesSummary = Pick<PlannedPlan, 'files' | 'bytes' | 'lastUpdatedOn'> & Pick<HeadSource, 'unreadableDay'>

const summarise = (ready: readonly Ready[]): FilesSummary => ({
  files: ready.length,
  bytes: sumBytes(ready.map(({ planned }) => planned)),
  lastUpdatedOn: newestDay(ready),
  unreadableDay: ready.find(({ source }) => source.unreadableDay !== undefined)?.source.unreadableDay,
})

/** The newest day of files; undefined if not all are known, or they state none. */
function newestDay(ready: readonly Ready[]): string | undefined {
  if (!ready.every(({ source }) => source.isDated)) return undefined
  return ready
    .flatMap(({ source }) => source.lastUpdatedOn ?? [])
    .sort()
    .at(-1)
}

const describeActive = (active: ActiveState | undefined): PlannedPlan['active'] =>
  active && { files: active.sourceCount, lastUpdatedOn: active.lastUpdatedOn }

const expectSeconds = ({ file, bytes = 0 }: PlannedFile) =>
  (bytes * (/\.(gz|zip)(\?…)?$/i.test(file) ? packing : 1)) / textRate

const findLargest = (numbers: readonly number[]) => numbers.reduce((largest, number) => Math.max(largest, number), 0)

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0)

const sumBytes = (files: readonly PlannedFile[]) => sum(files.map(({ bytes = 0 }) => bytes))
