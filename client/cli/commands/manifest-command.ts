import { type FilterValues, filterList, requestedValuesOf } from '../../../contract/filters.ts'
import type { Manifest } from '../../api.ts'
import { formatBytes, formatRows, formatTable } from '../../command-line/table.ts'
import { commandOnSearch } from '../command.ts'

export const manifestCommand = commandOnSearch(
  'manifest',
  'show the request of a search, the loads that it read, and its files with their checksums',
  `Shows the request of a search, the fee schedules that it read and when they were loaded, its attempts, and its files
with rows, bytes and checksums. --json prints everything, URLs included.`,
  async (client, jobId, signal) => {
    const manifest = await client.manifest(jobId, { signal })
    return [manifest, describeManifest(manifest)]
  },
)

/** URLs are not shown: they are long, and expire. */
function describeManifest(manifest: Manifest): string {
  const { request, fee_schedules, attempts } = manifest
  const tables = [
    formatTable(['search', manifest.job_id], describeFacts(manifest)),
    formatTable(
      ['ASKED FOR', 'COUNT', 'FIRST'],
      [
        ...filterList.map((filter) => listOf(filter.nouns[1], requestedValuesOf(request, filter))),
        ['fee schedules', String(request.fee_schedules.length), '-'],
      ],
    ),
    fee_schedules.length > 0 &&
      formatTable(
        ['PAYER', 'PLAN', 'UPDATED', 'LOADED', 'FILES', 'PLAN IDS', ''],
        fee_schedules.map((each) => [
          each.payer,
          each.plan,
          each.last_updated_on,
          each.loaded_at,
          each.file_count,
          each.plan_id_count,
          [
            each.partial ? 'partial' : [],
            each.superseded ? 'superseded' : [],
            each.without_descriptions ? 'without descriptions' : [],
          ]
            .flat()
            .join(', '),
        ]),
      ),
    attempts.length > 0 &&
      formatTable(
        ['ATTEMPT', 'OUTCOME', 'BYTES READ'],
        attempts.map((each) => [each.attempt, each.outcome, each.bytes_scanned]),
      ),
    manifest.status === 'completed' &&
      formatTable(
        ['FILE', 'ROWS', 'BYTES', 'CHECKSUM'],
        manifest.shards.map(({ name, rows, bytes, checksum }) => [
          name,
          rows,
          bytes,
          checksum && `${checksum.algorithm} ${checksum.value}`,
        ]),
      ),
  ]
  return tables.filter((table) => table !== false).join('\n\n')
}

function describeFacts(manifest: Manifest): readonly (readonly string[])[] {
  const { status, created_at, processing_at } = manifest
  const common = [['status', status], ['created', created_at], ...(processing_at ? [['started', processing_at]] : [])]
  if (manifest.status === 'failed') return [...common, ['failed', manifest.failed_at], ['error', manifest.error]]
  if (manifest.status !== 'completed') return common
  const { completed_at, bytes, results_until } = manifest
  return [
    ...common,
    ['completed', completed_at],
    ['rows', formatRows(manifest)],
    ['size', formatBytes(bytes)],
    ['kept until', results_until],
  ]
}

/** Number of values of a list to show. */
const maxShown = 5

function listOf(name: string, values: FilterValues | undefined): readonly string[] {
  if (values === undefined) return [name, 'all', '-']
  const more = values.length > maxShown ? ' …' : ''
  return [name, String(values.length), values.slice(0, maxShown).join(' ') + more]
}
