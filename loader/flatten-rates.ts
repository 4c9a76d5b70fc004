import { canonicalBillingCode } from '../core/billing-code.ts'
import { parseExactRate } from './exact-rate.ts'
import type { Findings } from './findings.ts'
import type { BillingCode, InNetworkItem, NegotiatedPrice, NegotiatedRate } from './in-network-file.ts'
import type { ProviderGroups } from './provider-groups.ts'
import { parsePublishedDate } from './published-date.ts'
import { rateUnitOf } from './rate-unit.ts'
import type { Row } from './warehouse-row.ts'

/** What the prices of one file are flattened with. */
export interface FlatteningContext {
  readonly groups: ProviderGroups
  /** Makes a price's id from its ordinal in the file, from 1. */
  readonly priceIdOf: (ordinal: number) => string
  readonly findings: Findings
}

/**
 * The rows of `negotiated_rates`: one a published price and provider reference. Prices that cannot be rows are counted
 * in `findings`; they keep their ordinal, so that a price's id says where it stands in its file.
 */
export function* flattenRates(items: Iterable<InNetworkItem>, context: FlatteningContext): Generator<Row> {
  let ordinal = 0
  for (const item of items) {
    const itemColumns = flattenItem(item)
    for (const rate of item.negotiatedRates) {
      const keys = resolveReferences(rate, context)
      for (const price of rate.prices) {
        ordinal++
        if (rate.providerReferences.length === 0) context.findings.count('price-without-provider', price.path)
        if (keys.length === 0) continue
        const priceColumns = flattenPrice(price, item.negotiationArrangement, context.findings)
        if (priceColumns === undefined) continue
        const row = { ...itemColumns, ...priceColumns, price_id: context.priceIdOf(ordinal) }
        for (const key of keys) yield { ...row, provider_group_key: key }
      }
    }
  }
}

function flattenItem(item: InNetworkItem) {
  const type = canonicalType(item.code.type)
  return {
    billing_code_type: type,
    billing_code: canonicalBillingCode(type, item.code.code),
    billing_code_published: item.code.code,
    billing_code_type_version: item.code.version ?? null,
    negotiation_arrangement: item.negotiationArrangement,
    severity_of_illness: item.severityOfIllness ?? null,
    name: item.name ?? null,
    description: item.description ?? null,
    bundled_codes: asSet(item.bundledCodes.map(formatContainedCode)),
    covered_services: asSet(item.coveredServices.map(formatContainedCode)),
  }
}

function flattenPrice(price: NegotiatedPrice, negotiationArrangement: string, findings: Findings) {
  const rate = parseExactRate(price.negotiatedRate)
  if (rate === undefined) {
    findings.count('unfit-rate', `${price.path}.negotiated_rate`)
    return undefined
  }
  if (rate.rounded) findings.count('rounded-rate', `${price.path}.negotiated_rate`)
  const expirationDate = parsePublishedDate(price.expirationDate)
  if (expirationDate === undefined) findings.count('unreadable-date', `${price.path}.expiration_date`)
  return {
    negotiated_rate: rate.tenThousandths,
    rate_unit: rateUnitOf(price.negotiatedType, negotiationArrangement),
    negotiated_type: price.negotiatedType,
    billing_class: price.billingClass ?? null,
    setting: price.setting ?? null,
    service_code: asSet(price.serviceCodes),
    billing_code_modifier: asSet(price.modifiers),
    additional_information: price.additionalInformation ?? null,
    expiration_date: expirationDate ?? null,
  }
}

/** The keys of the provider groups that a rate is agreed with, each once. */
function resolveReferences(rate: NegotiatedRate, { groups, findings }: FlatteningContext): readonly string[] {
  const keys = new Set<string>()
  for (const [index, key] of rate.providerReferences.entries()) {
    const path = `${rate.path}.provider_references[${index}]`
    if (!groups.has(key)) findings.count('dangling-reference', path)
    else if (keys.has(key)) findings.count('repeated-reference', path)
    else keys.add(key)
  }
  return [...keys]
}

function formatContainedCode({ type, version = '', code }: BillingCode): string {
  return [canonicalType(type), version.trim(), code.trim()].join('|')
}

const canonicalType = (type: string) => type.trim().toUpperCase()

/** A list is NULL where nothing was published; payers write empty strings for nothing. */
function asSet(texts: readonly string[]): readonly string[] | null {
  const distinct = new Set(texts.map((text) => text.trim()))
  distinct.delete('')
  return distinct.size === 0 ? null : [...distinct].sort()
}
