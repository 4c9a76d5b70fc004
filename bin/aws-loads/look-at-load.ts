import { formatBytes } from '../../client/command-line/table.ts'
import type { LoadRecord } from '../../core/loads/load-record.ts'
import { type LoadProgressFacts, readProgress } from '../../core/loads/read-progress.ts'
import { countOf, formatNumber } from '../../schema/phrases.ts'
import { type CostRange, describeCosts, priceHours, sumHours } from './load-costs.ts'
import type { OpenedLoads } from './open-aws-loads.ts'

/** The state of a load on AWS at one time, for operators. */
export interface LoadLook {
  readonly record: LoadRecord
  readonly progress: LoadProgressFacts
  /** Containers that run now. */
  readonly running: number
  /** Hours that containers have run. */
  readonly hours: number
  readonly costs: CostRange
  /** True while an execution drives the load; without one, the load has stopped. */
  readonly isDriven: boolean
  readonly at: Date
}

export async function lookAtLoad(
  record: LoadRecord,
  { work, loads: { jobs, worker, executions } }: Pick<OpenedLoads, 'work' | 'loads'>,
  now: Date,
): Promise<LoadLook> {
  const { loadId, endedAt } = record
  const [progress, containers, execution] = await Promise.all([
    readProgress(loadId, work, now),
    jobs.listContainers(loadId),
    endedAt === undefined ? executions.findRunning(loadId) : undefined,
  ])
  const hours = sumHours(containers, now)
  return {
    record,
    progress,
    running: containers.filter(({ stoppedAt }) => stoppedAt === undefined).length,
    hours,
    costs: priceHours(hours, worker),
    isDriven: execution !== undefined,
    at: now,
  }
}

/**
 * One line: files, bytes, prices, time left, costs.
 *
 * @param first an earlier look, from which the speed is taken
 */
export function describeLook(look: LoadLook, first: LoadLook): string {
  const { files, bytes, bytesLeft, prices } = look.progress
  const all = files.open + files.leased + files.done + files.refused
  // A load that left nothing out has nothing to resume: what its workers shared is gone.
  const planning = look.record.endedAt === undefined ? 'planning; ' : ''
  if (all === 0) return `${planning}${countOf(look.running, 'container')}; ${describeCosts(look.costs)}`
  const refused = files.refused === 0 ? '' : ` (${formatNumber(files.refused)} refused)`
  return [
    `${formatNumber(files.done + files.refused)} of ${countOf(all, 'file')}${refused}`,
    `${formatBytes(bytes)} of ${formatBytes(bytes + bytesLeft)}`,
    `${formatNumber(prices)} prices`,
    `${countOf(look.running, 'container')}`,
    ...describeTimeLeft(look, first),
    describeCosts(look.costs),
  ].join('; ')
}

/** Nothing until a file was settled between the looks. */
function describeTimeLeft({ progress, at }: LoadLook, first: LoadLook): readonly string[] {
  const bytes = progress.bytes - first.progress.bytes
  if (bytes <= 0 || progress.bytesLeft === 0) return []
  const minutes = (progress.bytesLeft / bytes) * ((at.getTime() - first.at.getTime()) / 60_000)
  return [minutes < 90 ? `about ${Math.ceil(minutes)} min left` : `about ${Math.round(minutes / 60)} h left`]
}
