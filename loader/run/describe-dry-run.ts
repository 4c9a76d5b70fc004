import type { DryRun, PlannedFile, PlannedPlan } from './dry-run.ts'
import { countOf, describeReasons, listBelow, listSome } from './load-report.ts'

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
