import { createHash } from 'node:crypto'
import { ratesColumns } from '../../schema/columns/rates.ts'
import type { JsonRow } from './json-row.ts'
import { flagNaively, type GroupedRow } from './naive-flags.ts'
import * as published from './naive-values.ts'

/**
 * A second, deliberately simple implementation of flattening: nested loops over the JSON, without code of the loader.
 * For files with numbers of up to fifteen digits.
 */

/** The provider columns of searches while no NPPES month is loaded. */
const unknownProvider = {
  ...{ provider_name: null, provider_taxonomy: null },
  ...{ provider_city: null, provider_state: null, provider_zip: null },
}

interface Names {
  readonly payer: string
  readonly plan: string
  readonly sourceFile: string
}

interface Member {
  readonly npi: number
  readonly tin: published.Tin
  readonly networks: string[] | null
}

/**
 * Returns every row of `rates`, with values as DuckDB writes them in JSON: bigint and decimal as strings.
 *
 * @param isKept true for a row that the filter of the load keeps
 */
export function flattenNaively(
  text: string,
  { payer, plan, sourceFile }: Names,
  isKept: (row: JsonRow) => boolean = () => true,
): JsonRow[] {
  const file = published.parse(text)
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 16)
  const planId = published.planId(file)
  const references = published
    .objects(file['provider_references'] ?? file['provider_group_reference'])
    .filter((each) => published.isId(each['provider_group_id']))
  const rows: GroupedRow[] = []
  let ordinal = 0
  for (const item of published.objects(file['in_network'])) {
    for (const rate of published.objects(item['negotiated_rates'])) {
      const ids = new Set(published.list(rate['provider_references']).flatMap((id) => findId(references, id) ?? []))
      // Inline groups act as a separate reference without an id.
      const inline = { provider_groups: rate['provider_groups'] }
      const groups = [...ids].map((id) => ({ id, members: membersOf(references.filter((each) => idOf(each) === id)) }))
      const all = [...groups, { id: null, members: membersOf([inline]) }]
      for (const price of published.array(rate['negotiated_prices'])) {
        ordinal += 1
        const fields = priceFields(item, price)
        if (fields === undefined) continue
        for (const { id, members } of all) {
          for (const { npi, tin, networks } of members) {
            const row = {
              payer,
              plan,
              npi: String(npi),
              ...fields,
              tin_type: tin.type,
              tin_value: tin.value,
              tin_business_name: tin.businessName,
              network_name: networks,
              provider_group_id: id,
              provider_group_npi_count: new Set(members.map((each) => each.npi).filter((each) => each !== 0)).size,
              price_id: `${hash}-${ordinal}`,
              plan_ids: planId === null ? null : [planId],
              plan_id_count: planId === null ? 0 : 1,
              reporting_entity_name: published.name(file['reporting_entity_name']),
              last_updated_on: published.date(file['last_updated_on']),
              source_file: sourceFile,
            }
            const provider_group_tin_count = countTins(members)
            const whole = { ...row, price_key: priceKey(row), ...unknownProvider, provider_group_tin_count }
            rows.push({ row: whole, group: JSON.stringify(id ?? members) })
          }
        }
      }
    }
  }
  return sortRows(flagNaively(rows.filter(({ row }) => isKept(row))))
}

/** Returns the fields of an item and its price; undefined if they make no rows. */
function priceFields(item: published.Fields, price: unknown): JsonRow | undefined {
  const code = published.billingCode(item)
  const arrangement = published.term(['ffs', 'bundle', 'capitation'], item['negotiation_arrangement'])
  if (code === undefined || arrangement === null || !published.isObject(price)) return undefined
  const types = ['negotiated', 'derived', 'fee schedule', 'percentage', 'per diem']
  const type = published.term(types, price['negotiated_type'])
  const rate = published.rate(price['negotiated_rate'])
  if (type === null || rate === undefined) return undefined
  return {
    billing_code_type: code.type,
    billing_code: code.code,
    negotiated_rate: rate,
    rate_unit: unit(arrangement, type),
    negotiated_type: type,
    negotiation_arrangement: arrangement,
    billing_class: published.word(['professional', 'institutional', 'both'], price['billing_class']),
    setting: published.word(['inpatient', 'outpatient', 'both'], price['setting']),
    service_code: published.set(
      price['service_code'],
      (part) => published.places.includes(part),
      (part) => part.replace(/^([1-9]|\d\d)\.0*$/, '$1').replace(/^[1-9]$/, '0$&'),
    ),
    billing_code_modifier: published.set(price['billing_code_modifier'], (part) => /^[A-Z\d][A-Z\d]$/.test(part)),
    severity_of_illness: published.optional(item['severity_of_illness']),
    additional_information: published.optional(price['additional_information']),
    expiration_date: published.date(price['expiration_date']),
    billing_code_type_version: published.optional(item['billing_code_type_version']),
    billing_code_published: code.published,
    name: published.optional(item['name']),
    description: published.optional(item['description']),
    bundled_codes: published.containedCodes(item['bundled_codes']),
    covered_services: published.containedCodes(item['covered_services']),
  }
}

/** Returns the key of a price. Each of its hashes covers the columns twice, with two sets of separators. */
function priceKey(row: JsonRow): string {
  const hashOf = (...columns: string[]) => {
    const write = (end: string, separator: string, none: string) =>
      columns.map((name) => {
        const value = row[name]
        // SQL sorts networks in the order of UTF-8; other lists are stored in the order of UTF-16.
        const order = name === 'network_name' ? compareBytes : undefined
        return `${Array.isArray(value) ? [...new Set(value)].sort(order).join(separator) : (value ?? none)}${end}`
      })
    return createHash('md5')
      .update([...write(',', '/', '!'), ...write(';', '|', '?')].join(''))
      .digest('hex')
  }
  const planColumns = [row['plan_ids'] === null ? 'plan' : 'none', 'plan_ids']
  const plan = ['payer', ...(row['network_name'] === null ? planColumns : [])]
  const terms = [
    ...['billing_code_type', 'billing_code', 'rate_unit', 'negotiated_type', 'negotiation_arrangement'],
    ...['billing_class', 'setting', 'severity_of_illness', 'additional_information'],
    ...['service_code', 'billing_code_modifier', 'bundled_codes', 'covered_services'],
  ]
  const tin = hashOf('tin_type', 'tin_value', 'network_name')
  return hashOf(...plan).slice(0, 12) + tin.slice(0, 16) + hashOf(...terms).slice(0, 16)
}

const countTins = (members: readonly Member[]) => new Set(members.map(({ tin }) => `${tin.type} ${tin.value}`)).size

const compareBytes = (one: unknown, other: unknown) =>
  Buffer.compare(Buffer.from(String(one)), Buffer.from(String(other)))

const idOf = (reference: published.Fields) => published.characters(reference['provider_group_id'])

/**
 * Returns the defined id that a reference matches: the one with the same characters, or the only one with its number.
 */
function findId(references: readonly published.Fields[], id: unknown): string | undefined {
  if (!published.isId(id)) return undefined
  const characters = published.characters(id)
  const defined = [...new Set(references.map(idOf))]
  if (defined.includes(characters)) return characters
  const equal = defined.filter((each) => published.isSameNumber(each, characters))
  return equal.length === 1 ? equal[0] : undefined
}

/** Returns the NPIs of each TIN, each once. */
function membersOf(references: readonly published.Fields[]): Member[] {
  const members = new Map<string, Member>()
  for (const reference of references) {
    const networks = published.names(reference['network_name'])
    for (const group of published.objects(reference['provider_groups'])) {
      const groupTin = published.tin(group['tin'])
      if (groupTin === undefined) continue
      const fallback = published.name(group['business_name']) ?? published.name(reference['business_name'])
      const tin = { ...groupTin, businessName: groupTin.businessName ?? fallback }
      const isWhole = published.isEmpty(group['npi'])
      for (const each of isWhole ? [0] : published.list(group['npi'])) {
        const npi = isWhole ? 0 : published.npi(each)
        if (npi !== undefined) members.set(JSON.stringify([npi, tin, networks]), { npi, tin, networks })
      }
    }
  }
  return [...members.values()]
}

/** Sorts rows, so that two multisets of rows can be compared. */
export function sortRows(rows: readonly JsonRow[]): JsonRow[] {
  const orderOf = (row: JsonRow) =>
    [
      String(row['price_id']).replace(/\d+$/, (n) => n.padStart(9, '0')),
      ...ratesColumns.map(({ name }) => JSON.stringify(row[name])),
    ].join('\u0000')
  return rows
    .map((row) => ({ row, order: orderOf(row) }))
    .sort((a, b) => Number(a.order > b.order) - Number(a.order < b.order))
    .map(({ row }) => row)
}

function unit(arrangement: string, type: string): string {
  if (arrangement === 'capitation') return 'unspecified'
  if (type === 'percentage') return 'percent_of_charges'
  if (type === 'per diem') return 'usd_per_day'
  return ['negotiated', 'derived', 'fee schedule'].includes(type) ? 'usd' : 'unspecified'
}
