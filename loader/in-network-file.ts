import type { JsonObject } from './json-object.ts'

/**
 * The CMS in-network file, schema 2.x, as typed values: every field has its type, no value has been judged yet. Groups
 * and items come one by one, so that only one is held beside the parsed file.
 */
export interface InNetworkFile {
  readonly reportingEntityName: string
  readonly issuerName: string | undefined
  readonly planName: string | undefined
  readonly planId: string | undefined
  readonly planIdType: string | undefined
  readonly lastUpdatedOn: string | undefined
  readonly providerReferences: Iterable<ProviderReference>
  readonly items: Iterable<InNetworkItem>
}

/** Each part knows its JSON path, for the load's report. */
interface Part {
  readonly path: string
}

export interface ProviderReference extends Part {
  readonly providerGroupId: string
  readonly networkName: readonly string[]
  readonly groups: readonly ProviderGroup[]
}

export interface ProviderGroup extends Part {
  /** As published: any number, or digits in a string. */
  readonly npis: readonly string[]
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
  readonly negotiatedRates: readonly NegotiatedRate[]
}

export interface BillingCode {
  readonly type: string
  readonly version: string | undefined
  readonly code: string
}

export interface NegotiatedRate extends Part {
  readonly providerReferences: readonly string[]
  readonly prices: readonly NegotiatedPrice[]
}

export interface NegotiatedPrice extends Part {
  readonly negotiatedType: string
  /** The number's own characters. */
  readonly negotiatedRate: string
  readonly expirationDate: string | undefined
  readonly billingClass: string | undefined
  readonly setting: string | undefined
  readonly serviceCodes: readonly string[]
  readonly modifiers: readonly string[]
  readonly additionalInformation: string | undefined
}

/**
 * Reads the root of a file. Source: CMS schema, in-network-rates.json.
 *
 * @throws LoadRefused where the file is another kind of file, or (here and while its parts are read) where a field has
 *   the wrong type
 */
export function readInNetworkFile(root: JsonObject): InNetworkFile {
  refuseOtherKinds(root)
  return {
    reportingEntityName: root.text('reporting_entity_name'),
    issuerName: root.optionalText('issuer_name'),
    planName: root.optionalText('plan_name'),
    planId: root.optionalText('plan_id'),
    planIdType: root.optionalText('plan_id_type'),
    lastUpdatedOn: root.optionalText('last_updated_on'),
    providerReferences: root.objects('provider_references').map(readProviderReference),
    items: root.objects('in_network').map(readItem),
  }
}

function refuseOtherKinds(root: JsonObject): void {
  if (root.has('in_network')) return
  const kind = root.has('reporting_structure')
    ? 'this is a table of contents, which lists files of rates; load those'
    : root.has('out_of_network')
      ? 'this is a file of allowed amounts, not of negotiated rates'
      : 'this is not an in-network file'
  root.refuse('in_network', `is missing: ${kind}`)
}

function readProviderReference(reference: JsonObject): ProviderReference {
  if (!reference.has('provider_groups') && reference.has('location')) {
    reference.refuse('location', 'points to another file (schema 1.x), which this loader does not read')
  }
  return {
    path: reference.path,
    providerGroupId: reference.id('provider_group_id'),
    networkName: reference.texts('network_name'),
    groups: [...reference.requiredObjects('provider_groups').map(readProviderGroup)],
  }
}

function readProviderGroup(group: JsonObject): ProviderGroup {
  if (!group.has('npi')) group.refuse('npi', 'must be an array; it is missing')
  const tin = group.object('tin')
  return {
    path: group.path,
    npis: group.ids('npi'),
    tin: { type: tin.text('type'), value: tin.text('value'), businessName: tin.optionalText('business_name') },
  }
}

function readItem(item: JsonObject): InNetworkItem {
  return {
    path: item.path,
    negotiationArrangement: item.text('negotiation_arrangement'),
    name: item.optionalText('name'),
    description: item.optionalText('description'),
    code: readBillingCode(item),
    severityOfIllness: item.optionalText('severity_of_illness'),
    bundledCodes: [...item.objects('bundled_codes').map(readBillingCode)],
    coveredServices: [...item.objects('covered_services').map(readBillingCode)],
    negotiatedRates: [...item.requiredObjects('negotiated_rates').map(readNegotiatedRate)],
  }
}

function readBillingCode(part: JsonObject): BillingCode {
  return {
    type: part.text('billing_code_type'),
    version: part.optionalText('billing_code_type_version'),
    code: part.text('billing_code'),
  }
}

function readNegotiatedRate(rate: JsonObject): NegotiatedRate {
  if (rate.has('provider_groups')) {
    rate.refuse('provider_groups', 'spells providers out in place (schema 1.x), which this loader does not read')
  }
  return {
    path: rate.path,
    providerReferences: rate.ids('provider_references'),
    prices: [...rate.requiredObjects('negotiated_prices').map(readNegotiatedPrice)],
  }
}

function readNegotiatedPrice(price: JsonObject): NegotiatedPrice {
  return {
    path: price.path,
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
