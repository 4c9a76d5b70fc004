import type { FindingRule } from './findings.ts'
import type { PublishedNumber } from './published-number.ts'
import type { PublishedObject } from './published-object.ts'

/**
 * The parts of the CMS in-network file, schemas 1.x and 2.x, as typed values: every field has its type, and what did not
 * is counted. A part without a field that its rows need is undefined. Which schema a file follows is told by its shape,
 * since the stated version is often wrong.
 */

/** What the root says of the whole file. */
export interface FileHeader {
  readonly reportingEntityName: string | undefined
  readonly issuerName: string | undefined
  readonly planName: string | undefined
  readonly planId: string | undefined
  readonly planIdType: string | undefined
  readonly lastUpdatedOn: string | undefined
}

/** Each part knows its place in the file, for the load's report. */
interface Part {
  readonly at: { readonly path: string }
}

export interface ProviderReference extends Part {
  /** A number or a text; anything else cannot be referred to. */
  readonly providerGroupId: unknown
  readonly networkName: readonly string[]
  /** The address of a file with the groups, if they are not in place (schema 1.x). */
  readonly location: string | undefined
  /** Undefined if there is neither a list of groups nor an address. */
  readonly groups: Iterable<ProviderGroup | undefined> | undefined
}

export interface ProviderGroup extends Part {
  /** As published: numbers, texts or anything else. */
  readonly npis: readonly unknown[]
  readonly tin: Tin | undefined
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
  /** Whether the file writes the code as a number, which has no leading zeros. */
  readonly isNumber: boolean
}

export interface NegotiatedRate extends Part {
  /** As published: numbers, texts or anything else. */
  readonly providerReferences: readonly unknown[]
  /** The groups that are in place (schema 1.x). */
  readonly groups: Iterable<ProviderGroup | undefined>
  /** Each undefined if it cannot be a row; undefined if there is no list of them. */
  readonly prices: Iterable<NegotiatedPrice | undefined> | undefined
  readonly priceCount: number
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

/** Reads what the root says of the whole file. Source: CMS schema, in-network-rates.json. */
export function readFileHeader(root: PublishedObject): FileHeader {
  const planIdType = root.optionalText('plan_id_type')
  const planId = root.text('plan_id') ?? readIdNumber(root, 'plan_id', planIdType)
  if (planId === undefined && root.has('plan_id')) root.count('unreadable-value', 'plan_id')
  return {
    reportingEntityName: root.optionalText('reporting_entity_name'),
    issuerName: root.optionalText('issuer_name'),
    planName: root.optionalText('plan_name'),
    planId,
    planIdType,
    lastUpdatedOn: root.text('last_updated_on'),
  }
}

/** Reads an element of `provider_references`. */
export function readProviderReference(reference: PublishedObject): ProviderReference {
  const groups = reference.array('provider_groups')
  return {
    at: reference,
    providerGroupId: reference.value('provider_group_id'),
    networkName: reference.texts('network_name'),
    location: reference.has('provider_groups') ? undefined : reference.text('location'),
    groups: groups && reference.objects('provider_groups', groups, 'unfit-group').map(readProviderGroup),
  }
}

/** Reads an element of `provider_groups`, in place or in a file of its own. */
export function readProviderGroup(group: PublishedObject | undefined): ProviderGroup | undefined {
  if (group === undefined) return undefined
  const npis = group.list('npi')
  if (npis.length === 0) return skip(group, 'unfit-group', 'npi')
  return { at: group, npis, tin: readTin(group.object('tin')) }
}

function readTin(tin: PublishedObject | undefined): Tin | undefined {
  const type = tin?.text('type')
  if (tin === undefined || type === undefined) return undefined
  const value = tin.text('value') ?? readIdNumber(tin, 'value', type)
  return value === undefined ? undefined : { type, value, businessName: tin.optionalText('business_name') }
}

/** Digits of an employer identification number. Source: IRS, "Employer identification number". */
const einDigits = 9

/** An id that the file writes as a number, which has no leading zeros. */
function readIdNumber(part: PublishedObject, field: string, type: string | undefined): string | undefined {
  const digits = part.digits(field)
  return type?.trim().toLowerCase() === 'ein' ? digits?.padStart(einDigits, '0') : digits
}

/** Reads an element of `in_network`, without its `negotiated_rates`. */
export function readItem(item: PublishedObject): InNetworkItem | undefined {
  const code = readBillingCode(item, 'unfit-item')
  if (code === undefined) return undefined
  const negotiationArrangement = item.text('negotiation_arrangement')
  if (negotiationArrangement === undefined) return skip(item, 'unfit-item', 'negotiation_arrangement')
  if (item.array('negotiated_rates') === undefined) return skip(item, 'unfit-item', 'negotiated_rates')
  return {
    at: item,
    negotiationArrangement,
    name: item.optionalText('name'),
    description: item.optionalText('description'),
    code,
    severityOfIllness: item.optionalText('severity_of_illness'),
    bundledCodes: readContainedCodes(item, 'bundled_codes'),
    coveredServices: readContainedCodes(item, 'covered_services'),
  }
}

function readContainedCodes(item: PublishedObject, field: string): readonly BillingCode[] {
  if (!item.has(field)) return []
  const elements = item.array(field)
  if (elements === undefined) item.count('unreadable-value', field)
  const codes = item.objects(field, elements ?? [], 'unfit-code')
  return [...codes].flatMap((code) => (code && readBillingCode(code, 'unfit-code')) ?? [])
}

/** Reads the code of an item, or one that its bundle contains; counts what is missing. */
export function readBillingCode(part: PublishedObject, rule: FindingRule): BillingCode | undefined {
  const type = part.text('billing_code_type')
  if (type === undefined) return skip(part, rule, 'billing_code_type')
  const text = part.text('billing_code')
  const code = text ?? part.digits('billing_code')
  if (code === undefined) return skip(part, rule, 'billing_code')
  return { type, version: part.optionalText('billing_code_type_version'), code, isNumber: text === undefined }
}

/** Reads an element of `negotiated_rates`. */
export function readNegotiatedRate(rate: PublishedObject): NegotiatedRate {
  const prices = rate.array('negotiated_prices')
  return {
    at: rate,
    providerReferences: rate.list('provider_references'),
    groups: readInlineGroups(rate),
    prices: prices && rate.objects('negotiated_prices', prices, 'unfit-price').map(readNegotiatedPrice),
    priceCount: prices?.length ?? 0,
  }
}

function readInlineGroups(rate: PublishedObject): Iterable<ProviderGroup | undefined> {
  if (!rate.has('provider_groups')) return []
  const groups = rate.array('provider_groups')
  if (groups === undefined) rate.count('unreadable-value', 'provider_groups')
  return rate.objects('provider_groups', groups ?? [], 'unfit-group').map(readProviderGroup)
}

function readNegotiatedPrice(price: PublishedObject | undefined): NegotiatedPrice | undefined {
  if (price === undefined) return undefined
  const negotiatedType = price.text('negotiated_type')
  if (negotiatedType === undefined) return skip(price, 'unfit-price', 'negotiated_type')
  const negotiatedRate = price.number('negotiated_rate')
  if (negotiatedRate === undefined) return skip(price, 'unfit-rate', 'negotiated_rate')
  return {
    at: price,
    negotiatedType,
    negotiatedRate,
    expirationDate: price.text('expiration_date'),
    billingClass: price.optionalText('billing_class'),
    setting: price.optionalText('setting'),
    serviceCodes: price.texts('service_code'),
    modifiers: price.texts('billing_code_modifier'),
    additionalInformation: price.optionalText('additional_information'),
  }
}

function skip(part: PublishedObject, rule: FindingRule, field: string): undefined {
  part.count(rule, field)
}
