import { type PlanFacts, readFacts } from '../../core/catalogue/plan-facts.ts'
import { derivedColumnsOf, publishedColumnsOf } from '../../schema/columns/rates.ts'
import type { PublishedNumber } from './json/published-number.ts'
import { type BillingCode, codeFields, readBillingCode } from './published-code.ts'
import { findMissing, type PublishedValue, readColumns } from './published-column.ts'
import type { PublishedObject } from './published-object.ts'

/**
 * The objects of the CMS in-network file, schemas 1.x and 2.x, as typed values. Values of the wrong type are counted,
 * and an object that lacks a required field is undefined. The schema is detected from the file's shape, because the
 * stated version is often wrong.
 */

/** The fields of the root, which apply to the whole file. */
export interface FileHeader {
  readonly reportingEntityName: string | undefined
  readonly issuerName: string | undefined
  readonly planName: string | undefined
  readonly planId: string | undefined
  readonly planIdType: string | undefined
  readonly facts: PlanFacts
  /** As the file states it, in any form. */
  readonly lastUpdatedOn: string | undefined
}

export interface ProviderReference {
  readonly at: PublishedObject
  /** A number or a text; a reference with anything else is unusable. */
  readonly providerGroupId: unknown
  readonly networkName: readonly string[]
  /** The address of a file with the groups, if they are not inline (schema 1.x). */
  readonly location: string | undefined
  /** True if the reference has a list of groups or an address. */
  readonly isDefined: boolean
}

export interface InNetworkItem {
  readonly code: BillingCode
  /** The values of `itemColumns`. */
  readonly values: readonly PublishedValue[]
}

export interface NegotiatedPrice {
  readonly negotiatedRate: number | PublishedNumber
  /** The values of `termColumns`. */
  readonly terms: readonly PublishedValue[]
}

/** The columns that are derived from an item's code, and those read from its fields. Its prices share both. */
export const derivedItemColumns = derivedColumnsOf('item')
export const itemColumns = publishedColumnsOf('item')

/** The columns of a price's fields, which many prices share: all but the rate. */
export const termColumns = publishedColumnsOf('terms')

/** The fields of the root that say whose rates a file has. */
export const namingFields: ReadonlySet<string> = new Set([
  'reporting_entity_name',
  'issuer_name',
  'plan_name',
  'plan_id',
  'plan_id_type',
])

/** The fields of the root that `readFileHeader` reads. */
export const headerFields: ReadonlySet<string> = new Set<string>([
  ...namingFields,
  'plan_sponsor_name',
  'plan_market_type',
  'network_name',
  'product_type',
  'last_updated_on',
])

/** The fields of the root that every file must have besides its rates. Source: CMS in-network schema. */
export const requiredFields = ['reporting_entity_name', 'reporting_entity_type', 'last_updated_on', 'version']

/** Reads the fields of the root. Source: CMS schema, in-network-rates.json. */
export function readFileHeader(root: PublishedObject): FileHeader {
  const planIdType = root.optionalText('plan_id_type')
  const planId = root.text('plan_id') ?? root.digits('plan_id')
  if (planId === undefined && root.has('plan_id')) root.count('unreadable-value', 'plan_id')
  return {
    reportingEntityName: root.optionalText('reporting_entity_name'),
    issuerName: root.optionalText('issuer_name'),
    planName: root.optionalText('plan_name'),
    planId,
    planIdType,
    facts: readFacts({
      sponsors: [root.text('plan_sponsor_name')],
      markets: [root.text('plan_market_type')],
      issuers: [root.text('issuer_name')],
      networks: root.texts('network_name'),
      productTypes: [root.text('product_type')],
    }),
    lastUpdatedOn: readStatedDay(root),
  }
}

/** Reads the day of a file as it states it. A value that is no day is one, too, because it cannot be compared. */
function readStatedDay(root: PublishedObject): string | undefined {
  const text = root.text('last_updated_on') ?? root.digits('last_updated_on')
  const value = root.value('last_updated_on')
  return text ?? (typeof value === 'string' || !root.has('last_updated_on') ? undefined : JSON.stringify(value))
}

const fieldsOf = (columns: typeof itemColumns, ...others: readonly string[]): ReadonlySet<string> =>
  new Set([...columns.map(({ name }) => name), ...others])

/** The known fields of each kind of object. Source: CMS schemas 1.x and 2.x, in-network-rates.json. */
const referenceFields = fieldsOf(
  [],
  'provider_group_id',
  'provider_groups',
  'network_name',
  'location',
  'business_name',
)
const itemFields = fieldsOf(itemColumns, ...codeFields, 'negotiated_rates')
export const rateFields = fieldsOf([], 'provider_references', 'provider_groups', 'negotiated_prices')
const priceFields = fieldsOf(termColumns, 'negotiated_rate')

/**
 * Reads an element of `provider_references`, without its groups.
 *
 * @param isRead true if groups of it were read before, and an empty list is in their place
 */
export function readProviderReference(reference: PublishedObject, isRead = false): ProviderReference {
  reference.countUnknown(referenceFields)
  const groups = reference.array('provider_groups')
  const location = isRead || groups?.length ? undefined : reference.text('location')
  return {
    at: reference,
    providerGroupId: reference.value('provider_group_id'),
    networkName: reference.texts('network_name'),
    location,
    isDefined: groups !== undefined || location !== undefined,
  }
}

/** Reads an element of `in_network`, without its `negotiated_rates`. */
export function readItem(item: PublishedObject): InNetworkItem | undefined {
  item.countUnknown(itemFields)
  const code = readBillingCode(item, 'unfit-item')
  if (code === undefined) return undefined
  const missing = findMissing(item, itemColumns)
  if (missing !== undefined) return item.count('unfit-item', missing)
  if (item.array('negotiated_rates') === undefined) return item.count('unfit-item', 'negotiated_rates')
  return { code, values: readColumns(item, itemColumns) }
}

/** Reads an element of `negotiated_prices`. */
export function readNegotiatedPrice(price: PublishedObject): NegotiatedPrice | undefined {
  price.countUnknown(priceFields)
  const missing = findMissing(price, termColumns)
  if (missing !== undefined) return price.count('unfit-price', missing)
  const negotiatedRate = price.number('negotiated_rate')
  if (negotiatedRate === undefined) return price.count('unfit-rate', 'negotiated_rate')
  return { negotiatedRate, terms: readColumns(price, termColumns) }
}
