import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'

/**
 * Computes the rows that searches must find by nested loops over the JSON of the sample files. Uses no code of the
 * service, so that it cannot share its mistakes.
 */

export const gold = { payer: 'Blue Harbor Health', plan: 'Harbor PPO Gold' }
export const silver = { payer: 'Blue Harbor Health', plan: 'Harbor HMO Silver' }
export const choice = { payer: 'Summit Ridge Insurance', plan: 'Ridge Choice PPO' }
export const choicePlus = { payer: 'Blue Harbor Health', plan: 'Harbor Choice Plus' }
export const openAccess = { payer: 'Summit Ridge Insurance', plan: 'Ridge Open Access' }
export const dental = { payer: 'Summit Ridge Insurance', plan: 'Ridge Select Dental' }

/** An NPI that no sample file contains. */
export const absentNpi = 1999999999

/** A search with sixteen rows in one file. */
export const smallSearch = {
  npis: [1000100002, 1000100010],
  billing_codes: ['99213', '27447', '73721'],
  fee_schedules: [gold, choice],
}

/** A search with more than 3,000 rows: enough for several files if the engine starts a new one every thousand rows. */
export const largeSearch = {
  billing_codes: ['99203', '99204', '99212', '99213', '99214', '99215', '450'],
  fee_schedules: [gold, silver],
}

interface SampleFile {
  readonly issuer_name: string
  readonly plan_name: string
  readonly provider_references: readonly {
    readonly provider_group_id: number
    readonly provider_groups: readonly { readonly npi: readonly number[]; readonly tin: { readonly value: string } }[]
  }[]
  readonly in_network: readonly {
    readonly billing_code_type: string
    readonly billing_code: string
    readonly name: string
    readonly negotiated_rates: readonly {
      readonly provider_references: readonly number[]
      readonly negotiated_prices: readonly SamplePrice[]
    }[]
  }[]
}

interface SamplePrice {
  readonly negotiated_type: string
  readonly negotiated_rate: number
  readonly expiration_date: string
  readonly billing_class: string
  readonly setting: string
  readonly service_code?: readonly string[]
  readonly billing_code_modifier?: readonly string[]
}

export type SampleRow = Readonly<Record<string, unknown>>

/** The columns of a result that are compared with the samples. */
export const comparedColumns = [
  ...['payer', 'plan', 'npi', 'tin_value', 'provider_group_id', 'billing_code_type', 'billing_code', 'name'],
  ...['billing_code_published', 'negotiated_type', 'negotiated_rate', 'expiration_date', 'billing_class', 'setting'],
  ...['service_code', 'billing_code_modifier', 'source_file'],
]

const folder = join(import.meta.dirname, '../../local/samples')

const october = join(folder, '2026-10')

/** The rows of the files that are active. */
const sampleRows = flattenFolder(folder)

function flattenFolder(path: string): readonly SampleRow[] {
  return readdirSync(path)
    .filter((name) => /\.json(\.gz)?$/.test(name))
    .flatMap((name) => flatten(JSON.parse(readText(join(path, name))), name))
}

function readText(path: string): string {
  const bytes = readFileSync(path)
  return String(path.endsWith('.gz') ? gunzipSync(bytes) : bytes)
}

/** A search, with codes in the canonical form of their type. */
interface Filter {
  readonly tins?: readonly string[]
  readonly npis?: readonly number[]
  readonly codes?: readonly string[]
  readonly plans: readonly { readonly payer: string; readonly plan: string }[]
}

/** The rows of the samples that a search must find. */
export const findSampleRows = (filter: Filter): readonly SampleRow[] => select(sampleRows, filter)

/** The rows that a search must find as of a day at the end of October. */
export const findOctoberRows = (filter: Filter): readonly SampleRow[] => select(flattenFolder(october), filter)

function select(rows: readonly SampleRow[], { npis, tins, codes, plans }: Filter): readonly SampleRow[] {
  return rows.filter(
    (row) =>
      plans.some(({ payer, plan }) => row['payer'] === payer && row['plan'] === plan) &&
      (npis?.some((npi) => row['npi'] === npi) ?? true) &&
      (tins?.some((tin) => row['tin_value'] === tin) ?? true) &&
      (codes?.some((code) => row['billing_code'] === code) ?? true),
  )
}

function flatten(file: SampleFile, sourceFile: string): SampleRow[] {
  const rows: SampleRow[] = []
  for (const item of file.in_network) {
    for (const rate of item.negotiated_rates) {
      for (const price of rate.negotiated_prices) {
        for (const id of rate.provider_references) {
          for (const reference of file.provider_references) {
            if (reference.provider_group_id !== id) continue
            for (const { npi: npis, tin } of reference.provider_groups) {
              for (const npi of npis) {
                rows.push({
                  payer: file.issuer_name,
                  plan: file.plan_name,
                  npi,
                  tin_value: tin.value.replace('-', ''),
                  provider_group_id: String(id),
                  billing_code_type: item.billing_code_type,
                  billing_code: canonical(item.billing_code_type, item.billing_code),
                  name: item.name,
                  billing_code_published: item.billing_code,
                  negotiated_type: price.negotiated_type,
                  negotiated_rate: price.negotiated_rate,
                  expiration_date: price.expiration_date,
                  billing_class: price.billing_class,
                  setting: price.setting,
                  service_code: price.service_code ?? null,
                  billing_code_modifier: price.billing_code_modifier ?? null,
                  source_file: sourceFile,
                })
              }
            }
          }
        }
      }
    }
  }
  return rows
}

function canonical(type: string, code: string): string {
  if (type === 'RC') return code.padStart(4, '0')
  return type === 'MS-DRG' ? code.padStart(3, '0') : code
}
