import { formatNumber } from '../../../schema/phrases.ts'
import { few } from '../../../schema/summary/percentiles.ts'
import type { CompletedManifest } from '../../api.ts'
import { groupRows, type ResultRow } from '../../results/result-row.ts'
import { plainValue, statisticColumns } from '../../results/summary-rows.ts'
import { type Answer, fitTable, type Need, shortValue } from '../answer.ts'
import { describeSources } from '../completed-search.ts'
import type { ToolSession } from '../session.ts'
import { readGroups } from './summary-groups.ts'

/** Counts that are worth a column only if one is above zero. */
const remarks = ['left_out_count', 'expired_count', 'blanket_count']

/** Statistics and remarks of a group, in order. */
const statistics = [
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

/** Describes a summary by its groups, each in a row of its own, with what to ask if the choice among them matters. */
export async function describeSummary(
  session: ToolSession,
  manifest: CompletedManifest,
  code?: string,
): Promise<Answer> {
  const { rows, about, isWhole } = await readGroups(session, manifest, code)
  const hasAny = (name: string) => rows.some((row) => Number(row[name]) > 0)
  const shown = [...about, ...statistics.filter((name) => !remarks.includes(name) || hasAny(name))]
  const weight = manifest.request.summary?.weight
  const needs = isWhole ? askForChoices(rows, about) : []
  const base = {
    ...describeSources(manifest),
    ...(weight !== undefined && { counted: `${weight}: ${weights[weight]}` }),
    groups: manifest.rows,
    ...(needs.length > 0 && { needs }),
    ...(rows.some((row) => Number(row['value_count']) < few) && { caution }),
  }
  const { same_in_all_rows, unshown, ...table } = fitTable(rows, shown, JSON.stringify(base).length + charactersOfEnd)
  const hidden = code === undefined ? manifest.rows - rows.length + unshown : unshown
  return {
    ...base,
    same_in_all_rows,
    ...table,
    ...(hidden > 0 && { left_out: `${formatNumber(hidden)} more groups` }),
    next: nextOfSummary(manifest.job_id, rows.length, hidden),
  }
}

const caution = `Groups with a value_count below ${few} say little.`

/** Characters of the fields after the table, at most. */
const charactersOfEnd = 500

function nextOfSummary(jobId: string, rows: number, hidden: number): string {
  if (rows === 0) return 'No rate matches all lists. Search with fewer filters, or another plan.'
  const more = hidden > 0 ? `read_rows with job_id ${jobId} and a billing_code shows other groups. ` : ''
  return `${more}Report each group apart. start_search with the same filters finds the prices, providers and files behind them.`
}

/** Columns whose choice can change an answer, with the question to the user. */
const choices = {
  place_of_service: 'Where is the service performed (place of service; CSTM-00 means all, many more than 100)?',
  billing_code_modifier: 'Is a modifier billed (such as 26 for the reading of an image), or none?',
  network: 'Which network does the patient have?',
} as const

/** Least ratio of two medians that makes a choice worth a question. */
const minRatio = 1.1

/** Asks for each column whose choice alone changes the median of a group by more than a tenth. */
function askForChoices(rows: readonly ResultRow[], about: readonly string[]): readonly Need[] {
  return Object.entries(choices).flatMap(([column, ask]) => {
    const otherColumns = about.filter((name) => name !== column)
    const alternatives = groupRows(
      rows.filter((row) => medianOf(row) !== null),
      (row) => JSON.stringify(otherColumns.map((name) => plainValue(row[name]))),
    )
    const widest = [...alternatives.values()].sort((one, other) => ratioOf(other) - ratioOf(one))[0]
    if (widest === undefined || ratioOf(widest) <= minRatio) return []
    const options = widest.map((row) => ({ [column]: shortValue(row[column]) ?? 'none', median: medianOf(row) }))
    return [{ about: column, ask, choices: options.slice(0, maxOptions) }]
  })
}

const maxOptions = 8

const medianOf = (row: ResultRow) => plainValue(row['median'])

function ratioOf(rows: readonly ResultRow[]): number {
  const medians = rows.map((row) => Number(medianOf(row)))
  const least = Math.min(...medians)
  return least > 0 ? Math.max(...medians) / least : 1
}
