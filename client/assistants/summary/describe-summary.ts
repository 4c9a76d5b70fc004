import { formatNumber, nameSome } from '../../../schema/phrases.ts'
import { few } from '../../../schema/summary/percentiles.ts'
import type { CompletedManifest } from '../../api.ts'
import { joinPlaces } from '../../results/equal-places.ts'
import type { ResultRow } from '../../results/result-row.ts'
import { statisticColumns } from '../../results/summary-rows.ts'
import { type Answer, fitTable, shortText } from '../answer.ts'
import { describeSources } from '../completed-search.ts'
import type { ToolSession } from '../session.ts'
import { askForChoices } from './ask-for-choices.ts'
import { readGroups } from './summary-groups.ts'

/** Counts that are worth a column only if one is above zero. */
const remarks = ['left_out_count', 'expired_count', 'blanket_count']

/** Columns that only summaries of the first ranks have. */
const ranks = ['rank', 'ranked_count']

/** Columns that are shown if a group has something in them. */
const optional = [...ranks, ...remarks]

/** Ranks, statistics and remarks of a group, in order. */
const statistics = [
  ...ranks,
  ...statisticColumns,
  'provider_count',
  ...remarks,
  ...['oldest_last_updated_on', 'newest_last_updated_on', 'file_count'],
]

const weights = {
  tins: 'each TIN once for each amount',
  prices: 'each published price once',
  npis: 'each NPI once for each amount',
} as const

/**
 * Describes a summary by its groups, each in a row of its own, with what to ask if the choice among them matters.
 * Groups that differ only in their place of service share a row.
 */
export async function describeSummary(
  session: ToolSession,
  manifest: CompletedManifest,
  code?: string,
): Promise<Answer> {
  const { rows, about, isWhole } = await readGroups(session, manifest, code)
  const hasAny = (name: string) => rows.some((row) => Number(row[name]) > 0)
  const shown = [...about, ...statistics.filter((name) => !optional.includes(name) || hasAny(name))]
  const groups = joinPlaces(rows, shown)
  const { weight, order } = manifest.request.summary ?? {}
  // Of the first ranks alone, medians say nothing of what a choice changes.
  const needs = isWhole && order === undefined ? askForChoices(groups, about) : []
  const cautions = listCautions(groups)
  const base = {
    ...describeSources(manifest),
    ...(weight !== undefined && { counted: `${weight}: ${weights[weight]}` }),
    groups: isWhole ? groups.length : manifest.rows,
    ...(needs.length > 0 && { needs }),
    ...(cautions.length > 0 && { caution: cautions.join(' ') }),
  }
  const { same_in_all_rows, unshown, ...table } = fitTable(groups, shown, JSON.stringify(base).length + charactersOfEnd)
  const unread = isWhole || code !== undefined ? 0 : manifest.rows - rows.length
  const hidden = unread + unshown
  return {
    ...base,
    same_in_all_rows,
    ...table,
    // Groups that were not read may share rows.
    ...(hidden > 0 && { left_out: `${unread > 0 ? 'up to ' : ''}${formatNumber(hidden)} more groups` }),
    next: nextOfSummary(manifest.job_id, rows.length, hidden),
  }
}

/** Says why groups may mislead: by few prices, or without a class. */
function listCautions(groups: readonly ResultRow[]): readonly string[] {
  const mixed = groups.filter(({ billing_class: word }) => word === null || word === undefined || word === 'both')
  const plans = new Set(mixed.map(({ plan }) => shortText(String(plan))))
  return [
    ...(groups.some((row) => Number(row['value_count']) < few)
      ? [`Groups with a value_count below ${few} say little.`]
      : []),
    ...(plans.size > 0
      ? [`Without a billing_class, or with "both", prices may be professional or institutional: ${nameSome(plans)}.`]
      : []),
  ]
}

/** Characters of the fields after the table, at most. */
const charactersOfEnd = 500

function nextOfSummary(jobId: string, rows: number, hidden: number): string {
  if (rows === 0) return 'No rate matches all lists. Search with fewer filters, or another plan.'
  const more = hidden > 0 ? `read_rows with job_id ${jobId} and a billing_code shows other groups. ` : ''
  return `${more}Report each group apart. start_search with the same filters finds the prices, providers and files behind them.`
}
