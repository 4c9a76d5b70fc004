import type { CatalogueContent, CatalogueEntry, LoadedFile } from '../core/catalogue-entry.ts'
import { formatTable } from './command/table.ts'

const counts = new Intl.NumberFormat('en')

/** What a list shows of a fee schedule. */
export interface EntrySummary {
  readonly payer: string
  readonly plan: string
  readonly planIds: readonly string[]
  readonly files: number
  readonly lastUpdatedOn: string | undefined
  readonly loadedAt: string | undefined
  readonly partial: boolean
}

/** Reduces a catalogue entry to what a list shows. */
export function summariseEntry(entry: CatalogueEntry): EntrySummary {
  const { payer, plan, planIds, sources, lastUpdatedOn, loadedAt, partial } = entry
  return { payer, plan, planIds, files: sources.length, lastUpdatedOn, loadedAt, partial }
}

/** Sorts fee schedules by payer and plan, as a reader looks them up. */
export function sortByName(entries: readonly EntrySummary[]): readonly EntrySummary[] {
  const { compare } = new Intl.Collator('en')
  return entries.toSorted((a, b) => compare(a.payer, b.payer) || compare(a.plan, b.plan))
}

/** Fee schedules as a table. */
export function describeEntries(entries: readonly EntrySummary[]): string {
  if (entries.length === 0) return 'no fee schedules'
  const rows = entries.map(({ payer, plan, planIds, files, lastUpdatedOn, loadedAt, partial }) => ({
    payer,
    plan,
    files,
    state: partial ? 'partial' : 'complete',
    'last updated on': lastUpdatedOn,
    'loaded at': loadedAt,
    'plan ids': planIds.join(', ') || undefined,
  }))
  return formatTable(['payer', 'plan', 'files', 'state', 'last updated on', 'loaded at', 'plan ids'], rows)
}

/** The content of a fee schedule, in lines: when it was loaded, its files, and what was found in each. */
export function describeContent({ planIds, lastUpdatedOn, partial, files, sources, loadedAt }: CatalogueContent) {
  return [
    `  plan ids: ${planIds.join(', ') || 'none'}`,
    `  last updated on: ${lastUpdatedOn ?? 'unknown'}`,
    `  loaded at: ${loadedAt ?? 'unknown'}`,
    `  complete: ${partial ? 'no, listed files were missing' : 'yes'}`,
    `  files: ${sources.length}`,
    ...(files ?? []).flatMap(describeFile),
  ]
}

function describeFile({ name, sourceId, prices, skipped, rates, findings }: LoadedFile): readonly string[] {
  const left = skipped === 0 ? '' : `, ${counts.format(skipped)} prices skipped`
  return [
    `    ${name} (source ${sourceId}): ${counts.format(rates)} rates of ${counts.format(prices)} prices${left}`,
    ...Object.entries(findings).map(([rule, count]) => `      ${rule}: ${counts.format(count)}`),
  ]
}
