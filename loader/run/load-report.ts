import type { CatalogueEntry } from '../../core/catalogue/catalogue-entry.ts'
import type { Source } from '../../core/catalogue/content.ts'
import { type FeeSchedule, feeScheduleKey } from '../../core/catalogue/fee-schedule.ts'
import { LoadRefused, toOneLine } from '../../fetch/load-refused.ts'
import type { Occurrence } from '../../fetch/occurrences.ts'
import { countOf, formatNumber, nameSome } from '../../schema/phrases.ts'
import { type Finding, findingRules, isFindingRule } from '../decode/findings.ts'
import type { LeftOutPlan } from '../plans/plan-names.ts'
import type { ReadFile } from '../publish/sources/read-file.ts'

/** The outcome of a load, and which load it was. */
export interface LoadReport extends LoadOutcome {
  readonly loadId: string
  readonly startedAt: Date
  readonly endedAt: Date
}

export interface LoadOutcome {
  /** The files that were read; of equal files, only one. */
  readonly files: readonly FileReport[]
  /** Number of sources reused from earlier loads, because their files are unchanged. */
  readonly takenOver: number
  /** Findings of the table of contents. */
  readonly listing: readonly Occurrence<string>[]
  /** The catalogue entries that now point to another content. */
  readonly switched: readonly CatalogueEntry[]
  /** Number of fee schedules that needed no change. */
  readonly unchanged: number
  /** The plans that are not loaded, with the reasons. */
  readonly leftOut: readonly LeftOut[]
  /** Every file that was refused: its name and why. */
  readonly refused: readonly RefusedFile[]
  /** The fee schedules that were removed because the table of contents no longer lists them. */
  readonly removed: readonly FeeSchedule[]
}

/** Plans and files that a load left out. */
export type Lost = Pick<LoadOutcome, 'leftOut' | 'refused'>

export type RefusedFile = Pick<LeftOutPlan, 'name' | 'reason'>

export interface LeftOut extends LeftOutPlan {
  /** True if the plan has active content, which stays active. */
  readonly isKept: boolean
}

export interface FileReport extends Pick<Source, 'name' | 'bytes' | 'sourceId' | 'prices' | 'skipped' | 'rates'> {
  /** The path as the operator gave it, or the address without its query string. */
  readonly file: string
  readonly findings: readonly Finding[]
}

/** Describes the files of a load for its report. */
export function describeFiles(
  files: ReadonlyMap<string, ReadFile>,
): Pick<LoadReport, 'files' | 'refused' | 'takenOver'> {
  const ready = [...files].flatMap(([file, read]) => (read.outcome === 'ready' ? [{ file, ...read }] : []))
  const distinct = [...new Map(ready.toReversed().map((read) => [read.source.sourceId, read])).values()].toReversed()
  return {
    files: distinct.flatMap(({ file, source: { name, bytes, sourceId, prices, skipped, rates }, findings }) =>
      findings === undefined
        ? []
        : [{ file: toOneLine(file), name: toOneLine(name), bytes, sourceId, prices, skipped, rates, findings }],
    ),
    refused: [...files].flatMap(([file, read]) =>
      read.outcome === 'refused'
        ? [{ name: toOneLine(file), reason: read.error.file === file ? read.error.fault : read.error.message }]
        : [],
    ),
    takenOver: distinct.filter(({ findings }) => findings === undefined).length,
  }
}

/** Maximum number of fee schedules, and of reasons, that a report lists. */
const maxListed = 20

/**
 * Formats the report as lines, without a trailing line break: what was loaded, the findings, and what is active now.
 */
export function describeReport(report: LoadReport): string {
  const { loadId, startedAt, endedAt, files, takenOver, listing, switched, unchanged, removed } = report
  const names = new Set(switched.flatMap((entry) => (entry.variantOf === undefined ? feeScheduleKey(entry) : [])))
  const shown = switched.filter(
    ({ payer, variantOf }) => variantOf === undefined || !names.has(feeScheduleKey({ payer, plan: variantOf })),
  )
  const seconds = (endedAt.getTime() - startedAt.getTime()) / 1000
  return [
    `Loaded ${countOf(files.length, 'file')} in ${seconds.toFixed(1)} s`,
    ...listSome(files.map((file) => describeFile(file).join('\n'))),
    ...(takenOver === 0 ? [] : [`${countOf(takenOver, 'file')} unchanged since an earlier load, not read again`]),
    ...listing.map(describeListing),
    ...listBelow(`Searches now read, for ${countOf(shown.length, 'fee schedule')}`, shown.map(describeEntry)),
    ...(unchanged === 0 ? [] : [`${countOf(unchanged, 'fee schedule')} unchanged`]),
    ...listBelow(
      'Removed, because the table of contents no longer lists them (rollback undoes it)',
      removed.map((feeSchedule) => `  ${describeFeeSchedule(feeSchedule)}`),
    ),
    ...describeLost(report),
    ...(switched.length === 0 ? [] : [`For a day, npm run loads -- rollback ${loadId} undoes this load`]),
  ].join('\n')
}

/** The files that were refused, each with its reason, and the plans that are not loaded, by reason. */
export function describeLost({ refused, leftOut }: Lost): readonly string[] {
  // A refused file whose plan is unknown is in both lists.
  const refusedNames = new Set(refused.map(({ name }) => name))
  const plans = leftOut.filter(({ plan, name }) => plan !== undefined || !refusedNames.has(name))
  const keptCount = plans.filter(({ isKept }) => isKept).length
  return [
    ...listBelow(`Refused: ${countOf(refused.length, 'file')}`, describeRefused(refused)),
    ...listBelow(
      `Left out: ${countOf(plans.length, 'plan')} (${keptCount} keep their active content)`,
      describeReasons(plans),
    ),
  ]
}

export const describeRefused = (refused: readonly RefusedFile[]): readonly string[] =>
  refused.map(({ name, reason }) => `  ${name}: ${reason}`)

/** The reasons why plans are not loaded, the most frequent first. */
export function describeReasons(leftOut: readonly LeftOutPlan[]): readonly string[] {
  const reasons = [...Map.groupBy(leftOut, ({ reason }) => reason)].sort(([, a], [, b]) => b.length - a.length)
  return reasons.map(([reason, plans]) => `  ${toOneLine(`${nameSome(plans.map(({ name }) => name))}: ${reason}`)}`)
}

/** The first lines of a list that may be long, and how many more there are. */
export const listSome = (lines: readonly string[], most = maxListed) =>
  lines.length <= most ? lines : [...lines.slice(0, most), `  and ${formatNumber(lines.length - most)} more`]

/** A heading and the first lines below it; nothing if there are none. */
export const listBelow = (heading: string, lines: readonly string[]) =>
  lines.length === 0 ? [] : [heading, ...listSome(lines)]

function describeFile({ file, prices, skipped, rates, findings }: FileReport): readonly string[] {
  const suffix = skipped === 0 ? '' : `, ${countOf(skipped, 'price')} skipped`
  const summary = `  ${file}: ${countOf(rates, 'rate')} of ${countOf(prices, 'price')}${suffix}`
  return [summary, ...findings.flatMap(describeFinding)]
}

function describeListing({ rule, count, examples }: Occurrence<string>): string {
  const shown = `(${examples.join(', ')}${count > examples.length ? ', …' : ''})`
  return isFindingRule(rule)
    ? `Table of contents: ${formatNumber(count)} ${findingRules[rule]} ${shown}`
    : `Not read: ${countOf(count, `listed ${rule === 'folder' ? rule : `${rule} file`}`)}, no rate files ${shown}`
}

function describeFinding({ rule, count, examples }: Finding): readonly string[] {
  const more = count > examples.length ? ', …' : ''
  return [`    ${formatNumber(count)} ${findingRules[rule]}`, `      ${examples.join(', ')}${more}`]
}

function describeEntry({ state, ...feeSchedule }: CatalogueEntry): string {
  const name = `  ${describeFeeSchedule(feeSchedule)}`
  if (state.status === 'ambiguous') return `${name}: ambiguous, name one of its ${state.variants} plan ids`
  if (state.status !== 'active') return `${name}: ${state.status}`
  return [
    `${name}: ${countOf(state.sourceCount, 'file')}`,
    ...(state.lastUpdatedOn === undefined ? [] : [`last updated on ${state.lastUpdatedOn}`]),
    ...(state.partial ? ['partial: files are missing'] : []),
  ].join(', ')
}

export const describeFeeSchedule = ({ payer, plan }: FeeSchedule) => `${payer} / ${plan}`

/** All plans of a load are left out, or more than it allows. */
export class NothingLoaded extends LoadRefused {
  readonly leftOut: LoadReport['leftOut']
  readonly refused: LoadReport['refused']

  constructor(file: string, fault: string, { leftOut, refused }: Lost) {
    const [first] = leftOut
    super(file, first === undefined ? fault : `${fault}; ${first.name}: ${first.reason}`)
    this.leftOut = leftOut
    this.refused = refused
  }
}
