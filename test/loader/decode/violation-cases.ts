import type { Fields } from '../../builders/in-network-builder.ts'

/** The violation, the columns in which its rows differ, and the expected findings by rule. */
export type Case = readonly [
  title: string,
  odd: Fields,
  rows: readonly Fields[],
  findings: Readonly<Record<string, number>>,
]

export const sameRow: readonly Fields[] = [{}]
export const noRows: readonly Fields[] = []
const withCode = (type: unknown, code: unknown) => ({ billing_code_type: type, billing_code: code })
const ein = (value: unknown) => ({ tin: { type: 'ein', value, business_name: 'Pier Clinic' } })
const contained = { billing_code_type: 'MSDRG', billing_code_type_version: 43, billing_code: '0470', description: 'x' }

export const items: readonly Case[] = [
  ['a code as a number', withCode('CPT', 99213), sameRow, { 'number-for-text': 1 }],
  [
    'a CPT code as a number, which has lost its leading zeros',
    withCode('CPT', 100),
    [{ billing_code: '00100', billing_code_published: '100' }],
    { 'number-for-text': 1 },
  ],
  [
    'a revenue code as a number',
    withCode('RC', 450),
    [{ billing_code_type: 'RC', billing_code: '0450', billing_code_published: '450' }],
    { 'number-for-text': 1 },
  ],
  [
    'an MS-DRG as a number',
    withCode('MS-DRG', 27),
    [{ billing_code_type: 'MS-DRG', billing_code: '027', billing_code_published: '27' }],
    { 'number-for-text': 1 },
  ],
  ['a code with a fraction', withCode('ICD', 81.54), noRows, { 'unfit-item': 1 }],
  ['a code that is null', withCode('CPT', null), noRows, { 'unfit-item': 1 }],
  ['a blank code', withCode('CPT', ' '), noRows, { 'unfit-item': 1 }],
  ['a code as a list', withCode('CPT', ['99213']), noRows, { 'unfit-item': 1 }],
  ['a missing type of code', withCode(undefined, '99213'), noRows, { 'unfit-item': 1 }],
  ['a type of code as a number', withCode(4, '99213'), noRows, { 'unfit-item': 1 }],
  [
    'a type without its hyphen',
    withCode('MSDRG', '0470'),
    [{ billing_code_type: 'MS-DRG', billing_code: '470', billing_code_published: '0470' }],
    { 'folded-value': 1 },
  ],
  [
    'a type that is not listed',
    withCode('drg', '0470'),
    [{ billing_code_type: 'DRG', billing_code: '0470', billing_code_published: '0470' }],
    { 'unknown-value': 1 },
  ],
  [
    'a version as a number',
    { billing_code_type_version: 2025 },
    [{ billing_code_type_version: '2025' }],
    { 'number-for-text': 1 },
  ],
  [
    'a version as a list',
    { billing_code_type_version: [] },
    [{ billing_code_type_version: null }],
    { 'unreadable-value': 1 },
  ],
  ['an arrangement in upper case', { negotiation_arrangement: 'FFS' }, sameRow, { 'folded-value': 1 }],
  ['a missing arrangement', { negotiation_arrangement: null }, noRows, { 'unfit-item': 1 }],
  [
    'an arrangement that is not listed',
    { negotiation_arrangement: 'barter' },
    [{ negotiation_arrangement: 'barter' }],
    { 'unknown-value': 1 },
  ],
  ['a name as a number', { name: 7 }, [{ name: '7' }], { 'number-for-text': 1 }],
  ['a description as an object', { description: {} }, [{ description: null }], { 'unreadable-value': 1 }],
  ['a severity as a number', { severity_of_illness: 2 }, [{ severity_of_illness: '2' }], { 'number-for-text': 1 }],
  [
    'codes of a bundle in other forms',
    { bundled_codes: [contained, 5, { billing_code_type: 'CPT' }] },
    [{ bundled_codes: ['MS-DRG|43|470'] }],
    { 'unfit-code': 2, 'number-for-text': 1 },
  ],
  [
    'covered services as a text',
    { covered_services: '99213' },
    [{ covered_services: null }],
    { 'unreadable-value': 1 },
  ],
  ['missing rates', { negotiated_rates: undefined }, noRows, { 'unfit-item': 1 }],
  ['rates as an object', { negotiated_rates: {} }, noRows, { 'unfit-item': 1 }],
  ['a rate that is null', { negotiated_rates: [null] }, noRows, { 'unfit-rates': 1 }],
]

export const rates: readonly Case[] = [
  ['missing prices', { negotiated_prices: undefined }, noRows, { 'unfit-rates': 1 }],
  ['a price that is null', { negotiated_prices: [null] }, noRows, { 'unfit-price': 1 }],
  ['missing references', { provider_references: undefined }, noRows, { 'price-without-provider': 1 }],
  [
    'references as an object',
    { provider_references: {} },
    noRows,
    { 'unreadable-value': 1, 'price-without-provider': 1 },
  ],
  [
    'a reference that is null',
    { provider_references: [null] },
    noRows,
    { 'dangling-reference': 1, 'price-without-provider': 1 },
  ],
  ['inline groups as a text', { provider_groups: 'x' }, sameRow, { 'unreadable-value': 1 }],
]

export const prices: readonly Case[] = [
  ['a rate as text', { negotiated_rate: '10.5' }, [{ negotiated_rate: '10.5000' }], { 'text-for-number': 1 }],
  ...['1,234.50', '10.5 %', '$10', ' 10', '', 'N/A', '010', '+1'].map(
    (text): Case => [`the rate ${JSON.stringify(text)}`, { negotiated_rate: text }, noRows, { 'unfit-rate': 1 }],
  ),
  ['a rate that is null', { negotiated_rate: null }, noRows, { 'unfit-rate': 1 }],
  ['a missing rate', { negotiated_rate: undefined }, noRows, { 'unfit-rate': 1 }],
  ['a rate that is too large', { negotiated_rate: 1e15 }, noRows, { 'unfit-rate': 1 }],
  ['a negotiated type in capitals', { negotiated_type: 'Negotiated' }, sameRow, { 'folded-value': 1 }],
  [
    'a negotiated type with a hyphen',
    { negotiated_type: 'Fee-Schedule' },
    [{ negotiated_type: 'fee schedule' }],
    { 'folded-value': 1 },
  ],
  [
    'a negotiated type that is not listed',
    { negotiated_type: 'fee_schedule' },
    [{ negotiated_type: 'fee_schedule', rate_unit: 'unspecified' }],
    { 'unknown-value': 1 },
  ],
  ['a missing negotiated type', { negotiated_type: undefined }, noRows, { 'unfit-price': 1 }],
  ['a negotiated type as a number', { negotiated_type: 1 }, noRows, { 'unfit-price': 1 }],
  ['a billing class in capitals', { billing_class: 'Professional' }, sameRow, { 'folded-value': 1 }],
  [
    'a billing class as a list',
    { billing_class: ['professional'] },
    [{ billing_class: null }],
    { 'unreadable-value': 1 },
  ],
  ['a setting with a space', { setting: ' Outpatient' }, sameRow, { 'folded-value': 1 }],
  ['a blank setting', { setting: ' ' }, [{ setting: null }], {}],
  ['a service code as a text', { service_code: '11' }, sameRow, { 'text-for-list': 1 }],
  [
    'two service codes in one text',
    { service_code: '22, 11' },
    [{ service_code: ['11', '22'] }],
    { 'text-for-list': 1, 'packed-list': 1 },
  ],
  [
    'modifiers packed in an element of a list',
    { billing_code_modifier: ['53;52', 'TC'] },
    [{ billing_code_modifier: ['52', '53', 'TC'] }],
    { 'packed-list': 1 },
  ],
  [
    'packed texts with a part that is no code',
    { service_code: ['11,30'], billing_code_modifier: ['26,'] },
    [{ service_code: ['11,30'], billing_code_modifier: ['26,'] }],
    {},
  ],
  [
    'service codes as numbers',
    { service_code: [22, null, '11'] },
    [{ service_code: ['11', '22'] }],
    { 'number-for-text': 1 },
  ],
  ['service codes as an object', { service_code: {} }, [{ service_code: null }], { 'unreadable-value': 1 }],
  [
    'a modifier as a text',
    { billing_code_modifier: '26' },
    [{ billing_code_modifier: ['26'] }],
    { 'text-for-list': 1 },
  ],
  ['a date as a number', { expiration_date: 99991231 }, sameRow, { 'number-for-text': 1, 'other-date': 1 }],
  ['a date in the order of the United States', { expiration_date: '12/31/9999' }, sameRow, { 'other-date': 1 }],
  [
    'a date that does not exist',
    { expiration_date: '2026-02-30' },
    [{ expiration_date: null }],
    { 'unreadable-date': 1 },
  ],
  [
    'additional information as a number',
    { additional_information: 5 },
    [{ additional_information: '5' }],
    { 'number-for-text': 1 },
  ],
]

export const groups: readonly Case[] = [
  ['a missing TIN', { tin: undefined }, noRows, { 'unfit-tin': 1, 'dangling-reference': 1 }],
  ['a TIN as a text', { tin: '012345678' }, noRows, { 'unfit-tin': 1, 'dangling-reference': 1 }],
  ['a TIN without a type', { tin: { value: '012345678' } }, noRows, { 'unfit-tin': 1, 'dangling-reference': 1 }],
  ['an EIN as a number', ein(12345678), sameRow, { 'number-for-text': 1, 'short-ein': 1 }],
  ['an EIN without its leading zero', ein('12345678'), sameRow, { 'short-ein': 1 }],
  ['an EIN with a fraction', ein(1.5), noRows, { 'unfit-tin': 1, 'dangling-reference': 1 }],
  ['an EIN without digits', ein('-'), noRows, { 'unfit-tin': 1, 'dangling-reference': 1 }],
  [
    'a TIN of type NPI as a number',
    { tin: { type: 'NPI', value: 1000000009, business_name: null } },
    [{ tin_type: 'npi', tin_value: '1000000009', tin_business_name: null }],
    { 'number-for-text': 1, 'folded-value': 1 },
  ],
  [
    'a business name as a number',
    { tin: { type: 'ein', value: '01-2345678', business_name: 3 } },
    [{ tin_business_name: '3' }],
    { 'number-for-text': 1 },
  ],
  ['missing NPIs', { npi: undefined }, noRows, { 'unfit-group': 1, 'dangling-reference': 1 }],
  ['an empty list of NPIs', { npi: [] }, [{ npi: '0', provider_group_npi_count: 0 }], { 'whole-tin': 1 }],
  [
    'an empty list of NPIs without a TIN',
    { npi: [], tin: undefined },
    noRows,
    { 'unfit-tin': 1, 'dangling-reference': 1 },
  ],
  [
    'a business name beside the TIN',
    { tin: { type: 'ein', value: '01-2345678' }, business_name: 'Beside' },
    [{ tin_business_name: 'Beside' }],
    { 'name-beside': 1 },
  ],
  ['an NPI as a number instead of a list', { npi: 1000009999 }, [{ npi: '1000009999' }], { 'text-for-list': 1 }],
  ['an NPI as a text instead of a list', { npi: '1000009999' }, [{ npi: '1000009999' }], { 'text-for-list': 1 }],
  ...[null, '', ' ', '0000000000', true, [], 123, -1000000001, '$1e-400$'].map(
    (npi): Case => [
      `the NPI ${JSON.stringify(npi)}`,
      { npi: [npi] },
      noRows,
      { 'unfit-npi': 1, 'dangling-reference': 1 },
    ],
  ),
]

export const references: readonly Case[] = [
  ['a reference without an id', { provider_group_id: null }, noRows, { 'unfit-reference': 1, 'dangling-reference': 1 }],
  [
    'a reference without groups',
    { provider_groups: undefined },
    noRows,
    { 'unfit-reference': 1, 'dangling-reference': 1 },
  ],
  ['a group that is null', { provider_groups: [null] }, noRows, { 'unfit-group': 1, 'dangling-reference': 1 }],
  [
    'a business name beside the groups',
    { business_name: 'Beside', provider_groups: [{ npi: [1000000001], tin: { type: 'ein', value: '01-2345678' } }] },
    [{ npi: '1000000001', tin_business_name: 'Beside' }],
    { 'name-beside': 1 },
  ],
  ['a network as a text', { network_name: 'Harbor Choice' }, sameRow, { 'text-for-list': 1 }],
  ['a network as a number', { network_name: [5] }, [{ network_name: ['5'] }], { 'number-for-text': 1 }],
  ['networks as a flag', { network_name: true }, [{ network_name: null }], { 'unreadable-value': 1 }],
]
