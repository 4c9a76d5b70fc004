import type { Column, ColumnHome, ColumnType } from './column.ts'

/**
 * The relation `rates`: what searches read and what a result's row is. One row = one published price x one TIN of its
 * provider group x one NPI x one fee schedule. Column, type, nullability and source field are written down here and
 * nowhere else: the UNLOAD's SELECT, the loader, the zero-row shard and the footer check are made from this list.
 *
 * Source fields are those of the CMS in-network file, schema 2.x.
 */

/** Most plan ids that a row or a list names; more are only counted. */
export const maxShownPlanIds = 32

type Row = readonly [
  name: string,
  type: ColumnType,
  presence: 'required' | 'present' | 'nullable',
  home: ColumnHome,
  meaning: string,
  sourceField: string,
]

const rows: readonly Row[] = [
  [
    'payer',
    'varchar',
    'required',
    'fee_schedule_sources',
    'the name that searches use',
    'issuer_name, reporting_entity_name',
  ],
  ['plan', 'varchar', 'required', 'fee_schedule_sources', 'the name that searches use', 'plan_name'],
  ['npi', 'bigint', 'required', 'provider_groups', '0 = a rate agreed for the whole TIN', 'provider_groups[].npi[]'],
  [
    'billing_code_type',
    'varchar',
    'required',
    'negotiated_rates',
    'upper case; as the schema writes it',
    'in_network[].billing_code_type',
  ],
  [
    'billing_code',
    'varchar',
    'required',
    'negotiated_rates',
    'canonical form of its type',
    'in_network[].billing_code',
  ],
  [
    'negotiated_rate',
    'decimal(18,4)',
    'required',
    'negotiated_rates',
    'a number of rate_unit',
    'negotiated_prices[].negotiated_rate',
  ],
  [
    'rate_unit',
    'varchar',
    'required',
    'negotiated_rates',
    'usd, usd_per_day, percent_of_charges, unspecified',
    'computed',
  ],
  [
    'negotiated_type',
    'varchar',
    'required',
    'negotiated_rates',
    'negotiated, derived, fee schedule, percentage, per diem; others as published',
    'negotiated_prices[].negotiated_type',
  ],
  [
    'negotiation_arrangement',
    'varchar',
    'required',
    'negotiated_rates',
    'ffs, bundle, capitation; others as published',
    'in_network[].negotiation_arrangement',
  ],
  [
    'billing_class',
    'varchar',
    'nullable',
    'negotiated_rates',
    'professional, institutional, both; others as published',
    'negotiated_prices[].billing_class',
  ],
  [
    'setting',
    'varchar',
    'nullable',
    'negotiated_rates',
    'inpatient, outpatient, both; others as published; NULL in 1.x',
    'negotiated_prices[].setting',
  ],
  [
    'service_code',
    'varchar ARRAY',
    'nullable',
    'negotiated_rates',
    'places of service; CSTM-00 = all',
    'negotiated_prices[].service_code[]',
  ],
  [
    'billing_code_modifier',
    'varchar ARRAY',
    'nullable',
    'negotiated_rates',
    'modifiers that the price depends on',
    'negotiated_prices[].billing_code_modifier[]',
  ],
  [
    'severity_of_illness',
    'varchar',
    'nullable',
    'negotiated_rates',
    'DRG severity',
    'in_network[].severity_of_illness',
  ],
  [
    'additional_information',
    'varchar',
    'nullable',
    'negotiated_rates',
    "the payer's terms; may alone tell two rates apart",
    'negotiated_prices[].additional_information',
  ],
  [
    'expiration_date',
    'date',
    'nullable',
    'negotiated_rates',
    '9999-12-31 is kept; NULL = unreadable',
    'negotiated_prices[].expiration_date',
  ],
  [
    'billing_code_type_version',
    'varchar',
    'nullable',
    'negotiated_rates',
    'version of the code set',
    'in_network[].billing_code_type_version',
  ],
  [
    'billing_code_published',
    'varchar',
    'present',
    'negotiated_rates',
    'as the file writes it',
    'in_network[].billing_code',
  ],
  [
    'name',
    'varchar',
    'nullable',
    'negotiated_rates',
    "the item's name; tells CSTM-ALL rows apart",
    'in_network[].name',
  ],
  ['description', 'varchar', 'nullable', 'negotiated_rates', "the item's description", 'in_network[].description'],
  [
    'bundled_codes',
    'varchar ARRAY',
    'nullable',
    'negotiated_rates',
    'each type|version|code, the code in canonical form',
    'in_network[].bundled_codes[]',
  ],
  [
    'covered_services',
    'varchar ARRAY',
    'nullable',
    'negotiated_rates',
    'each type|version|code, the code in canonical form',
    'in_network[].covered_services[]',
  ],
  ['tin_type', 'varchar', 'required', 'provider_groups', 'ein, npi', 'provider_groups[].tin.type'],
  ['tin_value', 'varchar', 'required', 'provider_groups', 'digits, leading zeros kept', 'provider_groups[].tin.value'],
  ['tin_business_name', 'varchar', 'nullable', 'provider_groups', '2.x', 'provider_groups[].tin.business_name'],
  [
    'network_name',
    'varchar ARRAY',
    'nullable',
    'provider_groups',
    '2.x; as published',
    'provider_references[].network_name[]',
  ],
  [
    'provider_group_id',
    'varchar',
    'nullable',
    'provider_groups',
    "the file's own characters; NULL = inline group",
    'provider_references[].provider_group_id',
  ],
  [
    'provider_group_npi_count',
    'integer',
    'present',
    'provider_groups',
    'distinct NPIs of the whole reference, 0 not counted',
    'computed',
  ],
  [
    'price_id',
    'varchar',
    'present',
    'negotiated_rates',
    'one published price; count prices by it, never rows',
    'computed',
  ],
  [
    'plan_ids',
    'varchar ARRAY',
    'nullable',
    'fee_schedule_sources',
    `plan ids of the fee schedule, ein|222222222, sorted, leading zeros kept; NULL if there are none, or more than ${maxShownPlanIds}`,
    'plan_id, plan_id_type',
  ],
  ['plan_id_count', 'integer', 'present', 'fee_schedule_sources', 'how many plan ids the fee schedule has', 'computed'],
  [
    'reporting_entity_name',
    'varchar',
    'present',
    'fee_schedule_sources',
    'the publisher as written',
    'reporting_entity_name',
  ],
  ['last_updated_on', 'date', 'nullable', 'fee_schedule_sources', 'date of the published snapshot', 'last_updated_on'],
  ['source_file', 'varchar', 'present', 'fee_schedule_sources', 'file name without a query string', "the file's name"],
]

/** The columns of a result's row, in order. */
export const ratesColumns: readonly Column[] = rows.map(([name, type, presence, home, meaning, sourceField]) => ({
  name,
  type,
  nullable: presence === 'nullable',
  required: presence === 'required',
  home,
  meaning,
  sourceField,
}))

/** The relation's name in the warehouse's database. */
export const ratesRelation = 'rates'
