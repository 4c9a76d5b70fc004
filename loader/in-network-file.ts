import type { JsonObject } from './json-object.ts'
import type { PublishedId, PublishedNumber } from './published-number.ts'

/**
 * The parts of the CMS in-network file, schemas 1.x and 2.x, as typed values: every field has its type, no value has been
 * judged yet. Which schema a file follows is told by its shape, since the stated version often lies.
 */

/** What the root says of the whole file. */
export interface FileHeader {
  readonly reportingEntityName: string
  readonly issuerName: string | undefined
  readonly planName: string | undefined
  readonly planId: string | undefined
  readonly planIdType: string | undefined
  readonly lastUpdatedOn: string | undefined
}

/** Each part knows where it stands, for the load's report. */
interface Part {
  readonly at: { readonly path: string }
}

export interface ProviderReference extends Part {
  readonly providerGroupId: PublishedId
  readonly networkName: readonly string[]
  /** The address of a file with the groups, where they are not in place (schema 1.x). */
  readonly location: string | undefined
  readonly groups: Iterable<ProviderGroup>
}

export interface ProviderGroup extends Part {
  /** As published: any number, or digits in a string. */
  readonly npis: readonly PublishedId[]
  readonly tin: Tin
}

export interface Tin {
  readonly type: string
  readonly value: string
  readonly businessName: string | undefined
}

export interface InNetworkItem extends Part {
  readonly negotiationArrangement: string
  readonly name: string | undefined
  readonly description: string | undefined
  readonly code: BillingCode
  readonly severityOfIllness: string | undefined
  readonly bundledCodes: readonly BillingCode[]
  readonly coveredServices: readonly BillingCode[]
}

export interface BillingCode {
  readonly type: string
  readonly version: string | undefined
  readonly code: string
}

export interface NegotiatedRate extends Part {
  readonly providerReferences: readonly PublishedId[]
  /** The groups that stand in place (schema 1.x). */
  readonly groups: Iterable<ProviderGroup>
  readonly prices: Iterable<NegotiatedPrice>
}

export interface NegotiatedPrice extends Part {
  readonly negotiatedType: string
  readonly negotiatedRate: number | PublishedNumber
  readonly expirationDate: string | undefined
  readonly billingClass: string | undefined
  readonly setting: string | undefined
  readonly serviceCodes: readonly string[]
  readonly modifiers: readonly string[]
  readonly additionalInformation: string | undefined
}

/** The fields of the root that `readFileHeader` reads. */
export const headerFields: ReadonlySet<string> = new Set([
  'reporting_entity_name',
  'issuer_name',
  'plan_name',
  'plan_id',
  'plan_id_type',
  'last_updated_on',
])

/**
 * Reads what the root says of the whole file. Source: CMS schema, in-network-rates.json.
 *
 * @throws LoadRefused, as all readers here, where a field has the wrong type
 */
export function readFileHeader(root: JsonObject): FileHeader {
  return {
    reportingEntityName: root.text('reporting_entity_name'),
    issuerName: root.optionalText('issuer_name'),
    planName: root.optionalText('plan_name'),
    planId: root.optionalText('plan_id'),
    planIdType: root.optionalText('plan_id_type'),
    lastUpdatedOn: root.optionalText('last_updated_on'),
  }
}

/** Reads an element of `provider_references`. */
export function readProviderReference(reference: JsonObject): ProviderReference {
  const isElsewhere = !reference.has('provider_groups') && reference.has('location')
  return {
    at: reference,
    providerGroupId: reference.id('provider_group_id'),
    networkName: reference.texts('network_name'),
    location: isElsewhere ? reference.text('location') : undefined,
    groups: isElsewhere ? [] : reference.requiredObjects('provider_groups').map(readProviderGroup),
  }
}

/** Reads an element of `provider_groups`, wherever that stands. */
export function readProviderGroup(group: JsonObject): ProviderGroup {
  if (!group.has('npi')) group.refuse('npi', 'must be an array; it is missing')
  const tin = group.object('tin')
  return {
    at: group,
    npis: group.ids('npi'),
    tin: { type: tin.text('type'), value: tin.text('value'), businessName: tin.optionalText('business_name') },
  }
}

/** Reads an element of `in_network`, without its `negotiated_rates`. */
export function readItem(item: JsonObject): InNetworkItem {
  return {
    at: item,
    negotiationArrangement: item.text('negotiation_arrangement'),
    name: item.optionalText('name'),
    description: item.optionalText('description'),
    code: readBillingCode(item),
    severityOfIllness: item.optionalText('severity_of_illness'),
    bundledCodes: [...item.objects('bundled_codes').map(readBillingCode)],
    coveredServices: [...item.objects('covered_services').map(readBillingCode)],
  }
}

function readBillingCode(part: JsonObject): BillingCode {
  return {
    type: part.text('billing_code_type'),
    version: part.optionalText('billing_code_type_version'),
    code: part.text('billing_code'),
  }
}

/** Reads an element of `negotiated_rates`. */
export function readNegotiatedRate(rate: JsonObject): NegotiatedRate {
  return {
    at: rate,
    providerReferences: rate.ids('provider_references'),
    groups: rate.objects('provider_groups').map(readProviderGroup),
    prices: rate.requiredObjects('negotiated_prices').map(readNegotiatedPrice),
  }
}

function readNegotiatedPrice(price: JsonObject): NegotiatedPrice {
  return {
    at: price,
    negotiatedType: price.text('negotiated_type'),
    negotiatedRate: price.number('negotiated_rate'),
    expirationDate: price.optionalText('expiration_date'),
    billingClass: price.optionalText('billing_class'),
    setting: price.optionalText('setting'),
    serviceCodes: price.texts('service_code'),
    modifiers: price.texts('billing_code_modifier'),
    additionalInformation: price.optionalText('additional_information'),
  }
}
