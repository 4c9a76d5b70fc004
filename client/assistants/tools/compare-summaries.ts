import { formatNumber } from '../../../schema/phrases.ts'
import type { CompletedManifest } from '../../api.ts'
import { requireComparable } from '../../results/comparison/comparable-requests.ts'
import { NotComparable } from '../../results/comparison/not-comparable.ts'
import type { ResultRow } from '../../results/result-row.ts'
import { type Answer, fitTable } from '../answer.ts'
import { describeSources } from '../completed-search.ts'
import type { ToolSession } from '../session.ts'
import { compareGroups } from '../summary/compare-groups.ts'
import { readGroups, type SummaryGroups } from '../summary/summary-groups.ts'
import { defineTool } from '../tool.ts'

export const compareSummaries = defineTool('compare_summaries', {
  title: 'Compare two plans or days',
  description:
    'Compares the medians of two plans or of two days, group by group, the largest difference first. Takes two completed summaries of summarise_rates with the same codes and weight (the second of another plan, or with as_of), or one summary of exactly two plans. Groups that only one of them has are counted and not compared, so say how many: plans with other terms are not comparable.',
  async answer(session, { first, second }, signal) {
    if (first === undefined) return { needs: [needOfFirst] }
    const one = await readSide(session, 'first', first, signal)
    if ('refusal' in one) return one.refusal
    if (second === undefined) return compareTwoPlans(one)
    const other = await readSide(session, 'second', second, signal)
    return 'refusal' in other ? other.refusal : compareTwo(one, other)
  },
})

const needOfFirst = {
  about: 'first',
  ask: 'Which two plans, or which plan and which two days? Call summarise_rates for them first.',
}

/** A completed summary with its groups. */
interface Side extends SummaryGroups {
  readonly manifest: CompletedManifest
}

/** The answer in place of a side that cannot be compared. */
interface Refused {
  readonly refusal: Answer
}

/** @param argument the one that names the search */
async function readSide(
  session: ToolSession,
  argument: 'first' | 'second',
  jobId: string,
  signal: AbortSignal,
): Promise<Side | Refused> {
  const manifest = await session.calls.manifest(jobId, { signal })
  if (manifest.status !== 'completed' || manifest.request.summary === undefined) {
    const ask = `Search ${jobId} is no completed summary. Call get_search until it has completed, or summarise_rates.`
    return { refusal: { state: manifest.status, job_id: jobId, needs: [{ about: argument, ask }] } }
  }
  const groups = await readGroups(session, manifest)
  if (groups.isWhole) return { manifest, ...groups }
  const ask = `Summary ${jobId} has ${formatNumber(manifest.rows)} groups, too many to compare. Which codes matter?`
  return { refusal: { state: 'not compared', job_id: jobId, needs: [{ about: argument, ask }] } }
}

const planOf = (row: ResultRow) => JSON.stringify([row['payer'], row['plan']])

/** Compares the two plans of one summary. */
function compareTwoPlans({ manifest, rows, about }: Side): Answer {
  const { fee_schedules: plans } = manifest
  const [first, second, ...others] = plans
  if (first === undefined || second === undefined || others.length > 0)
    return { needs: [{ about: 'second', ask: `The summary has ${plans.length} plans. Which other one is compared?` }] }
  const rowsOf = (plan: typeof first) => rows.filter((row) => planOf(row) === JSON.stringify([plan.payer, plan.plan]))
  const sides = { first: nameOf(first), second: nameOf(second) }
  const facts = { ...sides, ...describeSources(manifest) }
  return describe(manifest, facts, compareGroups(rowsOf(first), rowsOf(second), withoutPlan(about)))
}

const nameOf = ({ payer, plan }: { readonly payer: string; readonly plan: string }) => `${payer} / ${plan}`

const withoutPlan = (about: readonly string[]) => about.filter((name) => name !== 'payer' && name !== 'plan')

/** Compares two summaries, of one plan each or of the same plans. */
function compareTwo(one: Side, other: Side): Answer {
  try {
    requireComparable(one.manifest, other.manifest)
  } catch (error) {
    if (!(error instanceof NotComparable)) throw error
    return { state: 'not compared', needs: [{ about: 'second', ask: `${error.message}.` }] }
  }
  const plans = new Set([...one.rows, ...other.rows].map(planOf))
  const isOfTwoPlans = plans.size === 2 && [one, other].every(({ rows }) => new Set(rows.map(planOf)).size === 1)
  const about = isOfTwoPlans ? withoutPlan(one.about) : one.about
  const sides = { first: describeSide(one), second: describeSide(other) }
  return describe(one.manifest, sides, compareGroups(one.rows, other.rows, about))
}

/** Names the plans and the day of a summary. */
const describeSide = ({ manifest }: Side) => ({
  job_id: manifest.job_id,
  plans: manifest.fee_schedules
    .slice(0, 4)
    .map((plan) => ({ plan: nameOf(plan), last_updated_on: plan.last_updated_on })),
  as_of: manifest.request.as_of ?? manifest.created_at.slice(0, 'YYYY-MM-DD'.length),
})

/**
 * Describes the groups that two sides share.
 *
 * @param facts the plans and days of both sides
 */
function describe(
  { request }: CompletedManifest,
  facts: Readonly<Record<string, unknown>>,
  { pairs, columns, onlyInFirst, onlyInSecond }: ReturnType<typeof compareGroups>,
): Answer {
  const base = {
    state: 'compared',
    ...facts,
    counted: request.summary?.weight,
    groups_in_both: pairs.length,
    ...(onlyInFirst > 0 && { only_in_first: onlyInFirst }),
    ...(onlyInSecond > 0 && { only_in_second: onlyInSecond }),
  }
  const { same_in_all_rows, unshown, ...table } = fitTable(pairs, columns, JSON.stringify(base).length + 300)
  return {
    ...base,
    same_in_all_rows,
    ...table,
    ...(unshown > 0 && { left_out: `${formatNumber(unshown)} groups with smaller differences` }),
    next: 'percent is the change from first_median to second_median. Report groups apart, with their counts.',
  }
}
