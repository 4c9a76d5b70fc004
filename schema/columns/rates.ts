import type { Column } from './column.ts'
import type { ColumnReading, ColumnUnit, PublishedReading, PublishedUnit } from './column-record.ts'
import { derived, published } from './column-record.ts'
import { flagNames } from './flags.ts'

/** Maximum number of plan ids in a row or a list; further ids are only counted. */
export const maxShownPlanIds = 32

const otherTypes = 'others as published'
const types = `negotiated, derived, fee schedule, percentage, per diem; ${otherTypes}`
const contained = 'each type|version|code, the code in canonical form'
const groupId = "the file's own characters; NULL = inline group"
const sorted = 'plan ids of the fee schedule, ein|222222222, sorted, leading zeros kept'
const ofNppes = 'NULL if NPPES is not loaded or has no such NPI'
const planIds = `${sorted}; NULL if there are none, or more than ${maxShownPlanIds}`

/**
 * The columns of `rates` and of results. One row is one published price x one TIN of its provider group x one NPI x one
 * fee schedule. The loader's tables, the view, the UNLOAD, the empty shard, the footer check and docs/result-schema.md
 * are made from these records. Source fields are those of CMS's schema 2.x.
 */
const records = {
  payer: derived('name', 'varchar', 'required', {
    meaning: 'the name that searches use',
    field: 'issuer_name, reporting_entity_name',
  }),
  plan: derived('name', 'varchar', 'required', { meaning: 'the name that searches use', field: 'plan_name' }),
  npi: derived('member', 'bigint', 'required', { meaning: '0 = a rate agreed for the whole TIN', field: 'npi[]' }),
  billing_code_type: derived('item', 'varchar', 'required', {
    meaning: 'upper case; as the schema writes it',
    field: 'billing_code_type',
  }),
  billing_code: derived('item', 'varchar', 'required', {
    meaning: 'canonical form of its type',
    field: 'billing_code',
  }),
  negotiated_rate: derived('price', 'decimal(18,4)', 'required', {
    meaning: 'a number of rate_unit',
    field: 'negotiated_rate',
  }),
  rate_unit: derived('price', 'varchar', 'required', { meaning: 'usd, usd_per_day, percent_of_charges, unspecified' }),
  negotiated_type: published('terms', 'word', 'required', types),
  negotiation_arrangement: published('item', 'word', 'required', `ffs, bundle, capitation; ${otherTypes}`),
  billing_class: published('terms', 'word', 'nullable', `professional, institutional, both; ${otherTypes}`),
  setting: published('terms', 'word', 'nullable', `inpatient, outpatient, both; ${otherTypes}; NULL in 1.x`),
  service_code: published('terms', 'set', 'nullable', 'places of service; CSTM-00 = all'),
  billing_code_modifier: published('terms', 'set', 'nullable', 'modifiers that the price depends on'),
  severity_of_illness: published('item', 'text', 'nullable', 'DRG severity'),
  additional_information: published('terms', 'text', 'nullable', "the payer's terms; may alone tell two rates apart"),
  expiration_date: published('terms', 'date', 'nullable', '9999-12-31 is kept; NULL = unreadable'),
  billing_code_type_version: derived('item', 'varchar', 'nullable', {
    meaning: 'version of the code set',
    field: 'billing_code_type_version',
  }),
  billing_code_published: derived('item', 'varchar', 'present', {
    meaning: 'as the file writes it',
    field: 'billing_code',
  }),
  name: published('item', 'text', 'nullable', "the item's name; tells CSTM-ALL rows apart"),
  description: published('item', 'text', 'nullable', "the item's description"),
  bundled_codes: published('item', 'codes', 'nullable', contained),
  covered_services: published('item', 'codes', 'nullable', contained),
  tin_type: derived('tin', 'varchar', 'required', { meaning: 'ein, npi', field: 'type' }),
  tin_value: derived('tin', 'varchar', 'required', { meaning: 'digits, leading zeros kept', field: 'value' }),
  tin_business_name: derived('tin', 'varchar', 'nullable', { meaning: '2.x', field: 'business_name' }),
  network_name: derived('reference', 'varchar ARRAY', 'nullable', {
    meaning: '2.x; as published',
    field: 'network_name[]',
  }),
  provider_group_id: derived('reference', 'varchar', 'nullable', { meaning: groupId, field: 'provider_group_id' }),
  provider_group_npi_count: derived('member', 'integer', 'present', {
    meaning: 'distinct NPIs of the whole reference, 0 not counted',
  }),
  price_id: derived('price', 'varchar', 'present', { meaning: 'one published price; count prices by it, never rows' }),
  plan_ids: derived('name', 'varchar ARRAY', 'nullable', { meaning: planIds, field: 'plan_id, plan_id_type' }),
  plan_id_count: derived('name', 'integer', 'present', { meaning: 'how many plan ids the fee schedule has' }),
  reporting_entity_name: derived('source', 'varchar', 'present', {
    meaning: 'the publisher as written',
    field: 'reporting_entity_name',
  }),
  last_updated_on: derived('source', 'date', 'nullable', {
    meaning: 'date of the published snapshot',
    field: 'last_updated_on',
  }),
  source_file: derived('source', 'varchar', 'present', {
    meaning: 'file name without a query string',
    field: "the file's name",
  }),
  price_key: derived('row', 'varchar', 'present', {
    meaning: 'the same for a price in every month, whatever its amount',
  }),
  provider_name: derived('provider', 'varchar', 'nullable', {
    meaning: `organization, or first, middle and last name; ${ofNppes}`,
    field: 'NPPES',
  }),
  provider_taxonomy: derived('provider', 'varchar', 'nullable', {
    meaning: "NUCC's code of the primary specialty",
    field: 'NPPES',
  }),
  provider_city: derived('provider', 'varchar', 'nullable', { meaning: 'of the practice', field: 'NPPES' }),
  provider_state: derived('provider', 'varchar', 'nullable', {
    meaning: 'of the practice; two letters in the U.S.',
    field: 'NPPES',
  }),
  provider_zip: derived('provider', 'varchar', 'nullable', {
    meaning: 'of the practice: five digits, in the U.S. only',
    field: 'NPPES',
  }),
  provider_group_tin_count: derived('member', 'integer', 'present', {
    meaning: 'distinct TINs of the whole reference',
  }),
  flags: derived('row', 'varchar ARRAY', 'nullable', {
    meaning: `why to doubt the price: ${flagNames.join(', ')}; sorted, NULL if nothing is odd`,
  }),
}

type Records = typeof records

export type ColumnName = keyof Records

/** The columns of a unit, optionally only those with one of the readings. */
export type ColumnsOf<Unit extends ColumnUnit, Reading extends ColumnReading = ColumnReading> = {
  [Name in ColumnName]: Records[Name]['unit'] extends Unit
    ? Records[Name]['reading'] extends Reading
      ? Name
      : never
    : never
}[ColumnName]

const isColumn = (name: string): name is ColumnName => Object.hasOwn(records, name)

const names: readonly ColumnName[] = Object.keys(records).filter(isColumn)

/** The columns of a result's row, in order. */
export const ratesColumns: readonly (Column & { readonly name: ColumnName })[] = names.map((name) => {
  const { type, home, presence, meaning, sourceField } = records[name]
  const [nullable, required] = [presence === 'nullable', presence === 'required']
  return { name, type, nullable, required, home, meaning, sourceField: sourceField(name) }
})

/** The columns of the relation `rates`; searches join the others. */
export const relationColumns: readonly (Column & { readonly name: ColumnName })[] = ratesColumns.filter(
  ({ home }) => home !== 'providers',
)

/** True if a column belongs to a unit. */
export const isOf = <Unit extends ColumnUnit>(unit: Unit, name: ColumnName): name is ColumnsOf<Unit> =>
  records[name].unit === unit

/** The columns of a unit that the loader has code for. */
export function derivedColumnsOf<Unit extends ColumnUnit>(unit: Unit): readonly ColumnsOf<Unit, 'derived'>[] {
  return names.filter(
    (name): name is ColumnsOf<Unit, 'derived'> => isOf(unit, name) && records[name].reading === 'derived',
  )
}

/** A column that is read from the published field with its name. */
export interface PublishedColumn {
  readonly name: ColumnsOf<PublishedUnit, PublishedReading>
  readonly reading: PublishedReading
  /** True if items without the field are skipped. */
  readonly required: boolean
}

/** The columns of a unit that are read from the published fields with their names, in order. */
export function publishedColumnsOf(unit: PublishedUnit): readonly PublishedColumn[] {
  const isPublished = (name: ColumnName): name is PublishedColumn['name'] =>
    isOf(unit, name) && records[name].reading !== 'derived'
  return names.filter(isPublished).map((name) => {
    const { reading, presence } = records[name]
    return { name, reading, required: presence === 'required' }
  })
}

/** The relation's name in the warehouse's database. */
export const ratesRelation = 'rates'
