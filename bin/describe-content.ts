import type { CatalogueContent, LoadedFile } from '../core/catalogue-entry.ts'

const counts = new Intl.NumberFormat('en')

/** What counts for a fee schedule, in lines: when it was loaded, its files, and what was found in each. */
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
