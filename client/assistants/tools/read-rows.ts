import { usualToolRows } from '../../../contract/schemas/tools.ts'
import { formatNumber } from '../../../schema/phrases.ts'
import type { CompletedManifest } from '../../api.ts'
import { columnMeanings } from '../../results/column-meanings.ts'
import type { ResultRow } from '../../results/result-row.ts'
import { plainValue } from '../../results/summary-rows.ts'
import { type Answer, fitTable, shortValue, withoutEmpty } from '../answer.ts'
import { describeSources } from '../completed-search.ts'
import { describeUnfinished } from '../describe-search.ts'
import { findRows } from '../result-rows.ts'
import type { ToolSession } from '../session.ts'
import { describeSummary } from '../summary/describe-summary.ts'
import { defineTool } from '../tool.ts'

/** The columns of a price in a list, in order. */
const priceColumns = [
  ...['payer', 'plan', 'billing_code_type', 'billing_code', 'billing_code_modifier', 'negotiated_rate', 'rate_unit'],
  ...['negotiated_type', 'billing_class', 'setting', 'service_code', 'npi', 'provider_name', 'provider_city'],
  ...['provider_state', 'tin_value', 'tin_business_name', 'network_name', 'flags', 'last_updated_on', 'source_file'],
  'price_id',
]

/** Maximum number of providers that the explanation of a price names, and of rows that are read for them. */
const [maxProviders, maxProviderRows] = [15, 2_000]

export const readRows = defineTool('read_rows', {
  title: 'Read rows, or explain a price',
  description:
    'Reads some rows of a completed search: each price once, with its amount, unit, terms, a provider, and the file and month that it comes from. With price_id it explains one price: all of its columns with their meanings, the file and its checksum, doubts (flags), and its providers. Rows have no order, so they are examples, never the lowest or a typical price: use summarise_rates for those.',
  async answer(session, args, signal) {
    const manifest = await session.calls.manifest(args.job_id, { signal })
    if (manifest.status !== 'completed') return describeUnfinished(manifest)
    const code = args.billing_code?.trim().toUpperCase()
    if (manifest.request.summary !== undefined) return await describeSummary(session, manifest, code)
    const { price_id, npi, limit = usualToolRows } = args
    if (price_id !== undefined) return await explainPrice(session, manifest, price_id)
    return await listPrices(session, manifest, { code, npi, limit })
  },
})

/** Filters of the rows of a list. */
interface RowFilter {
  readonly code: string | undefined
  readonly npi: number | undefined
  /** Maximum number of prices. */
  readonly limit: number
}

/** Lists prices of a result, each once: a price has a row for each of its providers. */
async function listPrices(
  session: ToolSession,
  manifest: CompletedManifest,
  { code, npi, limit }: RowFilter,
): Promise<Answer> {
  const facts = describeSources(manifest)
  const priceIds = new Set<unknown>()
  const { rows, isWhole } = await findRows(
    session,
    manifest,
    {
      by: ['price_id', ...(code === undefined ? [] : ['billing_code']), ...(npi === undefined ? [] : ['npi'])],
      matches: (row) => {
        if (code !== undefined && row['billing_code'] !== code) return false
        if (npi !== undefined && Number(row['npi']) !== npi) return false
        // An own relation of the operator may lack the column.
        const { price_id: priceId } = row
        if (priceId !== undefined && priceIds.has(priceId)) return false
        priceIds.add(priceId)
        return true
      },
      limit,
    },
    priceColumns,
  )
  const { same_in_all_rows, unshown, ...table } = fitTable(
    rows.map(({ row }) => nameFacility(row)),
    priceColumns,
    JSON.stringify(facts).length + charactersOfEnd,
  )
  const isComplete = isWhole && unshown === 0
  return {
    ...facts,
    same_in_all_rows,
    ...table,
    prices_shown: table.rows.length,
    ...(!isComplete && { left_out: 'Further prices; rows have no order, so these are examples.' }),
    next: 'Each price has one of its providers here: read_rows with its price_id explains it and names the others. For all rows, in a shell: rate-search download.',
  }
}

/** Characters of the fields after the table, at most. */
const charactersOfEnd = 400

/**
 * Leaves out the provider's name of an institutional price: a facility bills it, while the NPI is often a person's.
 * The business has a name of its own.
 */
const nameFacility = (row: ResultRow): ResultRow =>
  row['billing_class'] === 'institutional' ? { ...row, provider_name: null } : row

/** Explains one price: what it says, where it was published, and for whom it holds. */
async function explainPrice(session: ToolSession, manifest: CompletedManifest, priceId: string): Promise<Answer> {
  const { status, job_id } = manifest
  const { rows, isWhole } = await findRows(session, manifest, {
    by: ['price_id'],
    matches: (row) => row['price_id'] === priceId,
    limit: maxProviderRows,
  })
  const [first] = rows
  if (first === undefined)
    return {
      state: status,
      job_id,
      needs: [{ about: 'price_id', ask: 'This result has no such price. Which row of read_rows is meant?' }],
      ...(!isWhole && { left_out: 'Only a part of the result was looked at: search for fewer codes or providers.' }),
    }
  const { row, file } = first
  const shard = manifest.shards[file]
  const plan = manifest.fee_schedules.find((each) => each.payer === row['payer'] && each.plan === row['plan'])
  return {
    state: status,
    job_id,
    price: describeRow(row),
    providers: rows.slice(0, maxProviders).map((each) => describeProvider(each.row)),
    ...(rows.length > maxProviders && { further_provider_rows: rows.length - maxProviders }),
    ...(!isWhole && { left_out: `There may be more providers than the ${formatNumber(rows.length)} rows read.` }),
    published_in: withoutEmpty({
      file: shortValue(row['source_file']),
      publisher: shortValue(row['reporting_entity_name']),
      last_updated_on: plainValue(row['last_updated_on']),
      loaded_at: plan?.loaded_at,
    }),
    ...(shard !== undefined && { result_file: { name: shard.name, bytes: shard.bytes, checksum: shard.checksum } }),
    meanings: meaningsOf(row),
  }
}

/** Columns that differ between the rows of a price, or say where it was published. */
const otherColumns = [
  ...['npi', 'provider_name', 'provider_taxonomy', 'provider_city', 'provider_state', 'provider_zip', 'tin_type'],
  ...['tin_value', 'tin_business_name', 'source_file', 'reporting_entity_name', 'last_updated_on', 'plan_ids'],
]

const describeRow = (row: ResultRow) =>
  withoutEmpty(
    Object.fromEntries(
      Object.entries(row).flatMap(([column, value]) =>
        otherColumns.includes(column) ? [] : [[column, shortValue(value)]],
      ),
    ),
  )

const describeProvider = (row: ResultRow) =>
  withoutEmpty({
    npi: plainValue(row['npi']),
    name: shortValue(row['provider_name']),
    city: shortValue(row['provider_city']),
    state: row['provider_state'],
    tin: row['tin_value'],
    tin_name: shortValue(row['tin_business_name']),
  })

/** Columns whose values are easily misread. */
const explainedColumns = [
  ...['negotiated_rate', 'rate_unit', 'negotiated_type', 'service_code', 'billing_code_modifier', 'flags'],
  ...['additional_information', 'expiration_date', 'price_key'],
]

const meaningsOf = (row: ResultRow) =>
  Object.fromEntries(
    explainedColumns.flatMap((column) =>
      row[column] === null || row[column] === undefined ? [] : [[column, columnMeanings[column]]],
    ),
  )
