import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'

/** An in-network file of schema 2.x, as far as the samples use it. Source: CMS, price-transparency-guide. */
export interface InNetworkFile {
  readonly reporting_entity_name: string
  readonly reporting_entity_type: string
  readonly plan_name: string
  readonly issuer_name: string
  readonly plan_sponsor_name?: string
  readonly plan_id_type: 'ein' | 'hios'
  readonly plan_id: string
  readonly plan_market_type: 'group' | 'individual'
  readonly last_updated_on: string
  readonly version: string
  readonly provider_references: readonly ProviderReference[]
  readonly in_network: readonly InNetworkItem[]
}

export interface ProviderReference {
  readonly provider_group_id: number
  readonly network_name: readonly string[]
  readonly provider_groups: readonly {
    readonly npi: readonly number[]
    readonly tin: { readonly type: 'ein'; readonly value: string; readonly business_name: string }
  }[]
}

export interface InNetworkItem {
  readonly negotiation_arrangement: string
  readonly name: string
  readonly billing_code_type: string
  readonly billing_code_type_version: string
  readonly billing_code: string
  readonly description: string
  readonly negotiated_rates: readonly NegotiatedRate[]
}

export interface NegotiatedRate {
  readonly provider_references: readonly number[]
  readonly negotiated_prices: readonly NegotiatedPrice[]
}

export interface NegotiatedPrice {
  readonly negotiated_type: 'negotiated' | 'derived' | 'fee schedule' | 'percentage' | 'per diem'
  readonly negotiated_rate: number
  readonly expiration_date: string
  readonly service_code?: readonly string[]
  readonly billing_class: 'professional' | 'institutional'
  readonly setting: 'inpatient' | 'outpatient'
  readonly billing_code_modifier?: readonly string[]
}

/** Reads a sample, which may be compressed. */
export function readInNetworkFile(path: string): InNetworkFile {
  const bytes = readFileSync(path)
  return JSON.parse(String(path.endsWith('.gz') ? gunzipSync(bytes) : bytes))
}

/** Formats a file with a line for each provider group and item, so that people can read it. */
export function formatInNetworkFile({ provider_references, in_network, ...head }: InNetworkFile): string {
  const listOf = (items: readonly object[]) =>
    `[\n    ${items.map((item) => JSON.stringify(item)).join(',\n    ')}\n  ]`
  const fields = Object.entries(head).map(([name, value]) => `  ${JSON.stringify(name)}: ${JSON.stringify(value)}`)
  const lists = [`  "provider_references": ${listOf(provider_references)}`, `  "in_network": ${listOf(in_network)}`]
  return `{\n${[...fields, ...lists].join(',\n')}\n}\n`
}
