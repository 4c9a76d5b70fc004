import { countOf } from '../../schema/phrases.ts'
import type { DryRun, PlannedPlan } from './dry-run.ts'
import { describeReasons, listBelow, listSome } from './load-report.ts'
import type { PlannedFile } from './look-at-file.ts'

/**
 * Formats what a load would do as lines, without a trailing line break.
 *
 * @param workers number of files that it would read at a time
 */
export function describeDryRun(dryRun: DryRun, workers: number): string {
  const { plans, files, leftOut, removed, failure, unopened, bytes, unknownSizes, expectedSeconds } = dryRun
  const toRead = files.filter(({ outcome }) => outcome === 'new')
  const unchanged = files.filter(({ outcome }) => outcome === 'unchanged').length
  const refused = files.filter(({ outcome }) => outcome === 'refused')
  const unreachable = files.filter(({ outcome }) => outcome === 'unreachable')
  // A refused file whose plan is unknown is in both lists.
  const faulty = new Set([...refused, ...unreachable].map(({ file }) => file))
  const plansLeftOut = leftOut.filter(({ plan, name }) => plan !== undefined || !faulty.has(name))
  const unknown = unknownSizes === 0 ? '' : `, and ${countOf(unknownSizes, 'file')} of unknown size`
  return [
    `Would read ${countOf(toRead.length, 'file')}: ${formatBytes(bytes)}${unknown}`,
    ...listSome(toRead.toSorted(({ bytes: a = 0 }, { bytes: b = 0 }) => b - a).map(describeFile)),
    ...(unchanged === 0 ? [] : [`${countOf(unchanged, 'file')} unchanged since an earlier load, not read again`]),
    ...listBelow(
      `${countOf(unreachable.length, 'file')} cannot be read`,
      unreachable.map(({ reason = '' }) => `  ${reason}`),
    ),
    ...listBelow(
      `${countOf(refused.length, 'file')} would be refused`,
      refused.map(({ reason = '' }) => `  ${reason}`),
    ),
    ...(unopened === 0 ? [] : [`The heads of ${countOf(unopened, 'file')} were not read, because there are too many`]),
    ...listBelow(`Would load ${countOf(plans.length, 'plan')}`, plans.map(describePlan)),
    ...listBelow(`Would leave out ${countOf(plansLeftOut.length, 'plan')}`, describeReasons(plansLeftOut)),
    ...listBelow(
      `Would remove ${countOf(removed.length, 'plan')}, which the table of contents no longer lists`,
      removed.map((name) => `  ${name}`),
    ),
    ...(failure === undefined ? [] : [`The load would fail: ${failure}`]),
    `About ${formatTime(expectedSeconds)} with ${countOf(workers, 'worker')}, if fetching is no slower than reading`,
    'Nothing was loaded.',
  ].join('\n')
}

function describeFile({ file, bytes, linked = 0, missing = 0 }: PlannedFile): string {
  const size = bytes === undefined ? 'unknown size' : formatBytes(bytes)
  const references = linked === 0 ? '' : `, refers to ${countOf(linked, 'file')} (${missing} missing)`
  return `  ${file}: ${size}${references}`
}

function describePlan({ name, files, bytes, lastUpdatedOn, active }: PlannedPlan): string {
  const planned = [countOf(files, 'file'), formatBytes(bytes), ...describeDay(lastUpdatedOn)]
  const before =
    active === undefined
      ? 'new'
      : `now ${[countOf(active.files, 'file'), ...describeDay(active.lastUpdatedOn)].join(', ')}`
  return `  ${name}: ${planned.join(', ')}; ${before}`
}

const describeDay = (day: string | undefined) => (day === undefined ? [] : [`last updated on ${day}`])

const numberFormat = new Intl.NumberFormat('en', { maximumFractionDigits: 1 })

function formatBytes(bytes: number): string {
  if (bytes < 1e6) return `${numberFormat.format(bytes / 1e3)} kB`
  return bytes < 1e9 ? `${numberFormat.format(bytes / 1e6)} MB` : `${numberFormat.format(bytes / 1e9)} GB`
}

function formatTime(seconds: number): string {
  if (seconds < 90) return `${Math.ceil(seconds)} s`
  return seconds < 5400 ? `${Math.round(seconds / 60)} min` : `${numberFormat.format(seconds / 3600)} h`
}
