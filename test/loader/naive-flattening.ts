import { createHash } from 'node:crypto'
import { ratesColumns } from '../../core/rates.ts'

/**
 * What an in-network file means, written down a second time as plainly as possible: nested loops over the JSON, without
 * a line of the loader. For files without value faults, whose numbers a float holds exactly enough.
 */

export type JsonRow = Record<string, unknown>

interface Names {
  readonly payer: string
  readonly plan: string
  readonly sourceFile: string
}

interface Code {
  readonly billing_code_type: string
  readonly billing_code_type_version: string
  readonly billing_code: string
}

interface Price {
  readonly negotiated_type: string
  readonly negotiated_rate: number
  readonly expiration_date: string
  readonly billing_class: string
  readonly setting?: string
  readonly service_code?: string[]
  readonly billing_code_modifier?: string[]
  readonly additional_information?: string
}

interface Item extends Code {
  readonly negotiation_arrangement: string
  readonly name: string
  readonly description: string
  readonly severity_of_illness?: string
  readonly bundled_codes?: Code[]
  readonly covered_services?: Code[]
  readonly negotiated_rates: {
    readonly provider_references?: number[]
    readonly provider_groups?: Group[]
    readonly negotiated_prices: Price[]
  }[]
}

interface Group {
  readonly npi: number[]
  readonly tin: { readonly type: string; readonly value: string; readonly business_name?: string }
}

interface Reference {
  readonly provider_group_id: number | null
  readonly network_name?: string[]
  readonly provider_groups: Group[]
}

interface File {
  readonly reporting_entity_name: string
  readonly plan_id?: string
  readonly plan_id_type?: string
  readonly last_updated_on: string
  readonly provider_references?: Reference[]
  readonly in_network: Item[]
}

/** Every row of `rates`, values as DuckDB writes them in JSON: bigint and decimal as strings. */
export function flattenNaively(text: string, { payer, plan, sourceFile }: Names): JsonRow[] {
  const file: File = JSON.parse(text)
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 16)
  const rows: JsonRow[] = []
  let ordinal = 0
  for (const item of file.in_network) {
    for (const rate of item.negotiated_rates) {
      for (const price of rate.negotiated_prices) {
        ordinal += 1
        // Groups in place are a reference of their own, without an id.
        const inline = { provider_group_id: null, provider_groups: rate.provider_groups ?? [] }
        for (const id of [...(rate.provider_references ?? []), null]) {
          const named = file.provider_references?.filter((reference) => reference.provider_group_id === id) ?? []
          const definitions: Reference[] = id === null ? [inline] : named
          const all = definitions.flatMap((reference) => reference.provider_groups.flatMap((group) => group.npi))
          for (const reference of definitions) {
            for (const group of reference.provider_groups) {
              for (const npi of new Set(group.npi)) {
                rows.push({
                  payer,
                  plan,
                  npi: String(npi),
                  billing_code_type: item.billing_code_type,
                  billing_code: canonical(item.billing_code_type, item.billing_code),
                  negotiated_rate: price.negotiated_rate.toFixed(4),
                  rate_unit: unit(item, price),
                  negotiated_type: price.negotiated_type,
                  negotiation_arrangement: item.negotiation_arrangement,
                  billing_class: price.billing_class,
                  setting: price.setting ?? null,
                  service_code: list(price.service_code),
                  billing_code_modifier: list(price.billing_code_modifier),
                  severity_of_illness: item.severity_of_illness ?? null,
                  additional_information: price.additional_information ?? null,
                  expiration_date: price.expiration_date,
                  billing_code_type_version: item.billing_code_type_version,
                  billing_code_published: item.billing_code,
                  name: item.name,
                  description: item.description,
                  bundled_codes: list(item.bundled_codes?.map(contained)),
                  covered_services: list(item.covered_services?.map(contained)),
                  tin_type: group.tin.type,
                  tin_value: group.tin.value.replace('-', ''),
                  tin_business_name: group.tin.business_name ?? null,
                  network_name: reference.network_name ?? null,
                  provider_group_id: id === null ? null : String(id),
                  provider_group_npi_count: new Set(all.filter((each) => each !== 0)).size,
                  price_id: `${hash}-${ordinal}`,
                  plan_ids: file.plan_id === undefined ? null : [`${file.plan_id_type}|${file.plan_id}`],
                  plan_id_count: file.plan_id === undefined ? 0 : 1,
                  reporting_entity_name: file.reporting_entity_name,
                  last_updated_on: file.last_updated_on,
                  source_file: sourceFile,
                })
              }
            }
          }
        }
      }
    }
  }
  return sortRows(rows)
}

/** Brings rows into one order, so that two multisets of rows can be compared. */
export function sortRows(rows: readonly JsonRow[]): JsonRow[] {
  const orderOf = (row: JsonRow) =>
    [
      String(row['price_id']).replace(/\d+$/, (n) => n.padStart(9, '0')),
      ...ratesColumns.map(({ name }) => JSON.stringify(row[name])),
    ].join('\u0000')
  return rows
    .map((row) => ({ row, order: orderOf(row) }))
    .sort((a, b) => (a.order < b.order ? -1 : a.order > b.order ? 1 : 0))
    .map(({ row }) => row)
}

function canonical(type: string, code: string): string {
  if (type === 'RC') return code.padStart(4, '0')
  if (type === 'ICD') return code.replace('.', '')
  if (type === 'MS-DRG') return code.padStart(3, '0')
  return code
}

function unit(item: Item, price: Price): string {
  if (item.negotiation_arrangement === 'capitation') return 'unspecified'
  if (price.negotiated_type === 'percentage') return 'percent_of_charges'
  if (price.negotiated_type === 'per diem') return 'usd_per_day'
  return 'usd'
}

function list(texts: string[] | undefined): string[] | null {
  return texts === undefined || texts.length === 0 ? null : [...new Set(texts)].sort()
}

function contained(code: Code): string {
  return `${code.billing_code_type}|${code.billing_code_type_version}|${code.billing_code}`
}
