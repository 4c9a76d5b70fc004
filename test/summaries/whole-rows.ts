import type { SummaryRequest } from '../../contract/summaries.ts'
import { runDuckdb, sqlText } from '../local/athena/warehouse-fixture.ts'
import { describeRows } from '../trino/rows.ts'

/**
 * A second implementation of summaries, over the whole rows of a search in SQL of DuckDB alone. It shares no code with
 * the service, and names its columns again.
 */

const groups = [
  ...['payer', 'plan', 'billing_code_type', 'billing_code', 'service_name', 'billing_code_modifier', 'rate_unit'],
  ...['negotiated_type', 'negotiation_arrangement', 'billing_class', 'setting', 'severity_of_illness'],
  ...['additional_information', 'bundled_codes', 'covered_services', 'place'],
]

const dimensions: readonly (readonly [name: SummaryRequest['by'][number], columns: readonly string[]])[] = [
  ['state', ['provider_state']],
  ['zip', ['provider_zip']],
  ['taxonomy', ['provider_taxonomy']],
  ['network', ['network']],
  ['npi', ['npi']],
  ['tin', ['tin_type', 'tin_value']],
]

const units = {
  tins: "tin_type || '/' || tin_value",
  prices: 'price_id',
  npis: 'CAST(nullif(npi, 0) AS varchar)',
} as const

const doubt = "['placeholder', 'outlier_high', 'outlier_low']"

/**
 * Returns the rows of a summary of Parquet files with whole rows.
 *
 * @param networks the filter of the search: a price is in other networks too, whose prices the files do not all have
 */
export async function summarizeWholeRows(
  paths: readonly string[],
  summary: SummaryRequest,
  networks?: readonly string[],
) {
  if (paths.length === 0) return []
  return describeRows(await runDuckdb(wholeRowsSummary(paths, summary, networks)))
}

function wholeRowsSummary(
  paths: readonly string[],
  { weight, by, includeDoubtful, countProviders }: SummaryRequest,
  networks: readonly string[] | undefined,
) {
  const names =
    networks === undefined
      ? 'network_name'
      : `list_filter(network_name, lambda n: list_contains([${networks.map(sqlText).join(', ')}], n))`
  const isSound = includeDoubtful ? 'true' : `NOT list_has_any(coalesce(flags, []), ${doubt})`
  const asked = dimensions.flatMap(([name, columns]) => (by.includes(name) ? columns : []))
  const keys = [...groups, ...asked].join(', ')
  const values = (condition: string) => `list(DISTINCT {a: negotiated_rate, u: ${units[weight]}})
      FILTER (WHERE ${units[weight]} IS NOT NULL AND (${condition}))`
  const flags = ['blanket', 'expired', 'outlier_high', 'outlier_low', 'placeholder']
  const countSound = (value: string, condition = 'true') =>
    `count(DISTINCT ${value}) FILTER (WHERE is_sound AND ${condition})`
  const tins = weight === 'prices' ? 'NULL' : countSound('tin_value', "tin_type = 'ein'")
  const npiTins = weight === 'prices' ? 'NULL' : countSound('tin_value', "tin_type <> 'ein'")
  const providers = weight === 'npis' || countProviders ? countSound('npi', 'npi <> 0') : 'NULL'
  const percentile = (percent: number, least: number) =>
    `CASE WHEN n >= ${least} THEN list_sort(list_transform(counted, lambda v: v.a))[(n * ${percent} + 99) // 100] END`
  return `
    WITH named AS (
      SELECT *, CASE WHEN billing_code_type = 'CSTM-ALL' THEN name END AS service_name, ${isSound} AS is_sound,
        unnest(CASE WHEN len(coalesce(service_code, [])) = 0 THEN [NULL]
          WHEN len(service_code) > 100 THEN ['many'] ELSE service_code END) AS place
      FROM (SELECT * REPLACE (${names} AS network_name) FROM read_parquet([${paths.map(sqlText).join(', ')}]))
    ), at_networks AS (
      SELECT *, unnest(CASE WHEN NOT ${by.includes('network')} OR len(coalesce(network_name, [])) = 0 THEN [NULL]
        WHEN len(network_name) > 100 OR len(network_name) * coalesce(len(service_code), 0) > 1000 THEN ['many']
        ELSE network_name END) AS network FROM named
    ), gathered AS (
      SELECT ${keys}, ${values('is_sound')} AS counted, coalesce(len(counted), 0) AS n, ${values('true')} AS known,
        ${countSound('price_id')} AS prices, ${tins} AS tins, ${npiTins} AS npi_tins, ${providers} AS providers,
        ${flags.map((flag) => `coalesce(len(known), 0) - coalesce(len(${values(`NOT list_contains(coalesce(flags, []), '${flag}')`)}), 0) AS ${flag}`).join(', ')},
        min(last_updated_on) AS oldest, max(last_updated_on) AS newest, count(DISTINCT source_file) AS files
      FROM at_networks GROUP BY ${keys}
    )
    SELECT ${groups.join(', ')},
      ${dimensions.flatMap(([, columns]) => columns.map((column) => (asked.includes(column) ? column : 'NULL'))).join(', ')},
      '${weight}', n, list_min(list_transform(counted, lambda v: v.a)), ${percentile(10, 11)}, ${percentile(25, 5)},
      ${percentile(50, 1)}, ${percentile(75, 5)}, ${percentile(90, 11)}, ${percentile(100, 1)},
      prices, tins, npi_tins, providers, coalesce(len(known), 0) - n, ${flags.join(', ')}, oldest, newest, files
    FROM gathered`
}
