import { Decimal } from '../../../parquet/decimal.ts'
import { few } from '../../../schema/summary/percentiles.ts'
import { columnsByDimension } from '../../../schema/summary/summary-columns.ts'
import { compareTexts } from '../compare-texts.ts'
import { readText, showValue } from '../csv.ts'
import { groupRows, type ResultRow } from '../result-row.ts'
import { aboutColumns } from '../summary-rows.ts'
import { type ChangeKind, FigureCounter, rankChange, relativeChange, toPercent } from './change-figures.ts'
import type { Comparison, Plan, PlanFigures, Publication } from './compare-results.ts'
import { NotComparable } from './not-comparable.ts'
import { indexRows, pairRows, writeKey } from './pair-rows.ts'
import { amountScale, type Side } from './price-index.ts'

/** A summary: all of its columns, in order, and its rows. */
export interface Summary {
  readonly columns: readonly string[]
  readonly rows: Rows
}

/** A row whose median differs between two summaries, or which only one of them has. */
export interface MedianChange {
  readonly change: ChangeKind
  /** Change from the old median to the new one; null if there is none, or the old one is zero. */
  readonly percent: number | null
  readonly old: Decimal | null
  readonly new: Decimal | null
  readonly old_value_count: number | null
  readonly new_value_count: number | null
  /** `few values` if a median is of few, and so says little. */
  readonly remark: 'few values' | 'no median' | 'from zero' | null
  /** The plan, code, terms, place and dimensions of the row, as the newer summary has them if it has the row. */
  readonly row: Readonly<Record<string, string | null>>
}

/** The differences between two summaries. `matched_by` is `key` if a plan is compared with another one. */
export interface SummaryComparison extends Pick<Comparison, 'matched_by' | 'total' | 'plans' | 'published'> {
  /** The thing that counts once in both summaries. */
  readonly weight: string | null
  /** The plans that are compared with each other; null if each is compared with itself. */
  readonly across: Readonly<Record<Side, Plan>> | null
  /** The biggest relative change first; then changes with a remark, added and removed rows. */
  readonly changes: readonly MedianChange[]
}

type Rows = readonly ResultRow[]

/**
 * Compares the medians of two summaries, row by row: two days of the same plans, or two plans. Rows are matched by
 * plan, code, terms, place and dimensions. If each summary has one plan, another than the other's, rows are matched
 * without it, and the row for all places stands for a place that only the other plan has.
 *
 * @throws NotComparable if the summaries count by different weights, or a summary has two rows for the same
 */
export function compareSummaries(
  { rows: older, columns: olderColumns }: Summary,
  { rows: newer, columns: newerColumns }: Summary,
): SummaryComparison {
  const rowColumns = aboutColumns(newerColumns).filter((column) => olderColumns.includes(column))
  const weight = readWeight([...older, ...newer])
  const across = findAcross(listPlans(older), listPlans(newer))
  const columns = across === null ? rowColumns : rowColumns.filter((column) => column !== 'payer' && column !== 'plan')
  const [before, after] = [indexRows(older, columns), indexRows(newer, columns)]
  const total = new FigureCounter()
  const plans = new Map<string, CountedPlan>()
  const differences: Difference[] = []
  for (const [old, now] of pairRows(before, after, across !== null ? columns : undefined)) {
    const difference = compareMedians(old, now)
    const plan = readPlan(now ?? old)
    const entry = plans.get(keyOf(plan)) ?? { plan, counter: new FigureCounter() }
    plans.set(keyOf(plan), entry)
    for (const counter of [total, entry.counter]) counter.add(difference)
    if (difference.kind !== 'unchanged') differences.push(difference)
  }
  return {
    weight,
    matched_by: across === null ? 'plan' : 'key',
    across,
    total: total.figures,
    published: findPublication(older, newer),
    plans: across === null ? listFigures(plans, older, newer) : [],
    changes: differences
      .sort(compareDifferences(rowColumns))
      .map((difference) => describeMedian(difference, rowColumns)),
  }
}

/**
 * Requires that two summaries of unknown searches are divided by the same dimensions, as far as their rows show it.
 *
 * @throws NotComparable if one has values in a dimension in which the other has none
 */
export function requireSameDimensions(older: Summary, newer: Summary): void {
  if (older.rows.length === 0 || newer.rows.length === 0) return
  const hasValues = ({ rows }: Summary, column: string) => rows.some((row) => readText(row[column]) !== null)
  const differing = columnsByDimension.filter(({ columns }) =>
    columns.some(({ name }) => hasValues(older, name) !== hasValues(newer, name)),
  )
  if (differing.length > 0)
    throw new NotComparable(
      `only one summary is divided by ${differing.map(({ dimension }) => dimension).join(', ')}: summarise both by the same dimensions`,
    )
}

interface CountedPlan {
  readonly plan: Plan
  readonly counter: FigureCounter
}

/**
 * Lists the figures of plans, in their order.
 *
 * @param plans by key
 */
function listFigures(plans: ReadonlyMap<string, CountedPlan>, older: Rows, newer: Rows): readonly PlanFigures[] {
  const groupByPlan = (rows: Rows) => groupRows(rows, (row) => keyOf(readPlan(row)))
  const [olderRows, newerRows] = [groupByPlan(older), groupByPlan(newer)]
  return [...plans]
    .sort(([one], [other]) => compareTexts(one, other))
    .map(([key, { plan, counter }]) => ({
      ...plan,
      ...counter.figures,
      published: findPublication(olderRows.get(key) ?? [], newerRows.get(key) ?? []),
    }))
}

function readWeight(rows: Rows): string | null {
  const weights = [...new Set(rows.map(({ weight }) => showValue(weight)))]
  if (weights.length > 1)
    throw new NotComparable(
      `the summaries count by ${weights.join(' and by ')}, so their medians differ for the same prices: use one weight for both`,
    )
  return weights[0] ?? null
}

const readPlan = (row: ResultRow | undefined): Plan => ({
  payer: readText(row?.['payer']),
  plan: readText(row?.['plan']),
})

const keyOf = ({ payer, plan }: Plan): string => JSON.stringify([payer, plan])

const listPlans = (rows: Rows): readonly Plan[] => [
  ...new Map(rows.map((row) => [keyOf(readPlan(row)), readPlan(row)])).values(),
]

/** Returns the single plans of both summaries if they differ. */
function findAcross(older: readonly Plan[], newer: readonly Plan[]): SummaryComparison['across'] {
  const [[old, ...olderOthers], [now, ...newerOthers]] = [older, newer]
  if (old === undefined || now === undefined || olderOthers.length + newerOthers.length > 0) return null
  return keyOf(old) === keyOf(now) ? null : { old, new: now }
}

interface Difference {
  readonly kind: ChangeKind | 'unchanged'
  readonly old: ResultRow | undefined
  readonly now: ResultRow | undefined
  readonly ratio: number | undefined
  readonly isDoubtful: boolean
}

const readMedian = (row: ResultRow | undefined): Decimal | null => {
  const median = row?.['median']
  return median instanceof Decimal ? median : null
}

function compareMedians(old: ResultRow | undefined, now: ResultRow | undefined): Difference {
  const [before, after] = [old, now].map((row) => readMedian(row)?.unscaledAt(amountScale))
  return { kind: kindOf(old, now, before === after), old, now, ratio: ratioOf(before, after), isDoubtful: false }
}

function kindOf(old: ResultRow | undefined, now: ResultRow | undefined, isEqual: boolean): Difference['kind'] {
  if (old === undefined) return 'added'
  if (now === undefined) return 'removed'
  return isEqual ? 'unchanged' : 'changed'
}

function ratioOf(before: bigint | undefined, after: bigint | undefined): number | undefined {
  return before === undefined || after === undefined ? undefined : relativeChange(before, after)
}

const readCount = (row: ResultRow | undefined): number | null => (row === undefined ? null : Number(row['value_count']))

function remarkOn({ kind, old, now, ratio }: Difference): MedianChange['remark'] {
  if (kind === 'changed' && ratio === undefined)
    return readMedian(old) === null || readMedian(now) === null ? 'no median' : 'from zero'
  return [old, now].some((row) => row !== undefined && Number(row['value_count']) < few) ? 'few values' : null
}

function describeMedian(difference: Difference, rowColumns: readonly string[]): MedianChange {
  const { kind, old, now, ratio } = difference
  if (kind === 'unchanged') throw new RangeError('the median is unchanged')
  const row = now ?? old ?? {}
  return {
    change: kind,
    percent: ratio === undefined ? null : toPercent(ratio),
    old: readMedian(old),
    new: readMedian(now),
    old_value_count: readCount(old),
    new_value_count: readCount(now),
    remark: remarkOn(difference),
    row: Object.fromEntries(rowColumns.map((column) => [column, readText(row[column])])),
  }
}

/** Orders differences: the biggest relative change first, then changes with a remark, added and removed rows. */
const compareDifferences =
  (rowColumns: readonly string[]) =>
  (one: Difference, other: Difference): number => {
    const write = ({ old, now }: Difference) => writeKey(now ?? old ?? {}, rowColumns)
    const size = Math.abs(other.ratio ?? 0) - Math.abs(one.ratio ?? 0)
    return rankOf(one) - rankOf(other) || size || compareTexts(write(one), write(other))
  }

const rankOf = (difference: Difference) => rankChange(difference.kind, remarkOn(difference) !== null)

function findPublication(older: Rows, newer: Rows): Publication {
  const find = (rows: Rows) => {
    const days = (column: string) =>
      rows
        .map((row) => readText(row[column]))
        .filter((day) => day !== null)
        .sort()
    const [oldest, newest] = [days('oldest_last_updated_on')[0], days('newest_last_updated_on').at(-1)]
    return oldest === undefined || newest === undefined ? null : ([oldest, newest] as const)
  }
  return { old: find(older), new: find(newer) }
}
