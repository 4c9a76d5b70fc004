import { describe, expect, it } from 'vitest'
import {
  buildFile,
  buildGroup,
  buildItem,
  buildPrice,
  buildReference,
  type Fields,
} from '../../builders/in-network-builder.ts'
import { createTestWarehouse } from '../../builders/test-warehouse.ts'
import { flattenNaively } from '../naive-flattening.ts'

const names = { payer: 'Blue Harbor Health', plan: 'Harbor PPO Gold', sourceFile: 'rates.json' }

/** A field, the column that has its value, the value, and its spellings. `$` instead of quotes makes a number. */
interface Spelled {
  readonly title: string
  readonly put: (value: unknown) => Fields
  readonly column: string
  readonly value: unknown
  readonly spellings: readonly unknown[]
}

const inGroup = (group: Fields) =>
  buildFile({ provider_references: [buildReference({ provider_groups: [buildGroup(group)] })] })
const inItem = (item: Fields) => buildFile({ in_network: [buildItem(item)] })
const inPrice = (price: Fields) => inItem({ prices: [buildPrice(price)] })

const dates = [
  ...['2027-01-05', ' 2027-01-05 ', '2027-1-5', '20270105', 20270105, '$20270105.0$', '1/5/2027', '01/05/2027'],
  ...['2027/01/05', '2027-01-05T00:00:00Z', '2027-01-05 00:00:00', '2027-01-05T23:30:00.000-05:00'],
  ...['2027-01-05T23:30:00+0200', '1/5/2027 12:00:00 AM', '2027-01-05T00:00'],
]
const eins = [
  '\t012345678\u200b',
  '012345678',
  '12345678',
  '01-2345678',
  '1-2345678',
  ' 01 2345678',
  12345678,
  '$12345678.0$',
]
const numbers = [26, '26', '$26.0$']

/** Spellings of a text with a space in it, which white space of any kind stands for. */
const spaced = (text: string) =>
  ['  ', '\t', '\r\n', '\u00a0', '\u200b', '\ufeff', '\u2028'].flatMap((space) => [
    text.replace(' ', space),
    `${space}${text}${space}`,
  ])

const fields: readonly Spelled[] = [
  ...(['plan_name', 'issuer_name'] as const).map(
    (field): Spelled => ({
      title: field,
      put: (value) => buildFile({ [field]: value }),
      column: field === 'plan_name' ? 'plan' : 'payer',
      value: field === 'plan_name' ? 'Harbor PPO Gold' : 'Blue Harbor Health',
      spellings: spaced(field === 'plan_name' ? 'Harbor PPO Gold' : 'Blue Harbor Health'),
    }),
  ),
  {
    title: 'reporting_entity_name',
    put: (reporting_entity_name) => buildFile({ reporting_entity_name }),
    column: 'reporting_entity_name',
    value: 'Blue Harbor',
    spellings: spaced('Blue Harbor'),
  },
  ...[
    (business_name: unknown) => inGroup({ tin: { type: 'ein', value: '012345678', business_name } }),
    (business_name: unknown) => inGroup({ tin: { type: 'ein', value: '012345678' }, business_name }),
    (business_name: unknown) => {
      const provider_groups = [buildGroup({ tin: { type: 'ein', value: '012345678' } })]
      return buildFile({ provider_references: [buildReference({ business_name, provider_groups })] })
    },
  ].map(
    (put, position): Spelled => ({
      title: `the business name in position ${position + 1}`,
      put,
      column: 'tin_business_name',
      value: 'Pier Clinic',
      spellings: ['Pier Clinic', ...spaced('Pier Clinic')],
    }),
  ),
  {
    title: 'a type of code',
    put: (billing_code_type) => inItem({ billing_code_type }),
    column: 'billing_code_type',
    value: 'MY TYPE',
    spellings: spaced('My Type'),
  },
  {
    title: 'a billing code',
    put: (billing_code) => inItem({ billing_code }),
    column: 'billing_code',
    value: 'CODE 1',
    // Reading rows drops a byte order mark at the start of billing_code_published.
    spellings: spaced('code 1').filter((text) => !text.startsWith('\ufeff')),
  },
  {
    title: 'a negotiated type',
    put: (negotiated_type) => inPrice({ negotiated_type }),
    column: 'negotiated_type',
    value: 'fee schedule',
    spellings: spaced('Fee schedule'),
  },
  ...['ein', 'EIN', ' Ein '].map(
    (type): Spelled => ({
      title: `the value of a TIN of type ${JSON.stringify(type)}`,
      put: (value) => inGroup({ tin: { type, value } }),
      column: 'tin_value',
      value: '012345678',
      spellings: eins,
    }),
  ),
  {
    title: 'the value of a TIN of type npi, which has no zeros to lose',
    put: (value) => inGroup({ tin: { type: 'npi', value } }),
    column: 'tin_value',
    value: '12345678',
    spellings: ['12345678', 12345678],
  },
  {
    title: 'the value of a TIN before its type',
    put: (value) => inGroup({ tin: { value, type: 'ein' } }),
    column: 'tin_value',
    value: '012345678',
    spellings: eins,
  },
  {
    title: 'the plan id of type ein',
    put: (value) => buildFile({ plan_id_type: 'EIN', plan_id: value }),
    column: 'plan_ids',
    value: ['ein|012345678'],
    spellings: eins,
  },
  {
    title: 'the plan id of type hios, which has no zeros to lose',
    put: (value) => buildFile({ plan_id_type: 'hios', plan_id: value }),
    column: 'plan_ids',
    value: ['hios|12345678'],
    spellings: ['12345678', 12345678],
  },
  {
    title: 'an NPI',
    put: (value) => inGroup({ npi: [value] }),
    column: 'npi',
    value: '1000000001',
    spellings: [1000000001, '1000000001', '$1000000001.0$', '$1.000000001e9$'],
  },
  {
    title: 'a list of one NPI',
    put: (npi) => inGroup({ npi }),
    column: 'npi',
    value: '1000000001',
    spellings: [[1000000001], 1000000001, '1000000001'],
  },
  {
    title: 'a CPT code',
    put: (value) => inItem({ billing_code_type: 'CPT', billing_code: value }),
    column: 'billing_code',
    value: '00100',
    spellings: ['00100', '100', ' 0100 ', 100, '$100.0$'],
  },
  {
    title: 'a revenue code',
    put: (value) => inItem({ billing_code_type: 'RC', billing_code: value }),
    column: 'billing_code',
    value: '0450',
    spellings: ['0450', '450', '00450', 450],
  },
  {
    title: 'an MS-DRG',
    put: (value) => inItem({ billing_code_type: 'ms-drg', billing_code: value }),
    column: 'billing_code',
    value: '027',
    spellings: ['027', '27', '0027', 27],
  },
  {
    title: 'a CPT code of a bundle',
    put: (value) => inItem({ bundled_codes: [{ billing_code_type: 'CPT', billing_code: value }] }),
    column: 'bundled_codes',
    value: ['CPT||00100'],
    spellings: ['00100', '100', 100],
  },
  {
    title: 'a rate',
    put: (negotiated_rate) => inPrice({ negotiated_rate }),
    column: 'negotiated_rate',
    value: '100.5000',
    spellings: [100.5, '100.5', '$100.50$', '100.50', '$1.005e2$', '1.005E+2'],
  },
  {
    title: 'a list of places of service',
    put: (service_code) => inPrice({ service_code }),
    column: 'service_code',
    value: ['02', '11'],
    spellings: [
      ['02', '11'],
      ['2', '11'],
      [2, 11],
      ['$2.0$', '11 '],
      '02,11',
      '2; 11',
      ['2|11'],
      ['2.0', '11.0'],
      '2.0, 11.00',
    ],
  },
  {
    title: 'one place of service',
    put: (service_code) => inPrice({ service_code }),
    column: 'service_code',
    value: ['02'],
    spellings: [['02'], '02', '2', 2, '$2.0$', [2], [' 2 '], '2.0', ['02.0'], ['2.']],
  },
  {
    title: 'a modifier',
    put: (billing_code_modifier) => inPrice({ billing_code_modifier }),
    column: 'billing_code_modifier',
    value: ['26'],
    spellings: [...numbers, ...numbers.map((one) => [one]), [' 26']],
  },
  ...(['billing_code_type_version', 'severity_of_illness'] as const).map(
    (name): Spelled => ({
      title: name,
      put: (value) => inItem({ [name]: value }),
      column: name,
      value: '26',
      spellings: numbers,
    }),
  ),
  {
    title: 'additional information',
    put: (additional_information) => inPrice({ additional_information }),
    column: 'additional_information',
    value: '26',
    spellings: numbers,
  },
  {
    title: 'an expiration date',
    put: (expiration_date) => inPrice({ expiration_date }),
    column: 'expiration_date',
    value: '2027-01-05',
    spellings: dates,
  },
  {
    title: 'an expiration date that is none',
    put: (expiration_date) => inPrice({ expiration_date }),
    column: 'expiration_date',
    value: null,
    spellings: ['31/12/2027', '2027-02-30', '2027-1-5x', '1/5/27', 270105, 'Z', true, ['2027-01-05'], '2027-01'],
  },
  {
    title: 'last_updated_on',
    put: (last_updated_on) => buildFile({ last_updated_on }),
    column: 'last_updated_on',
    value: '2027-01-05',
    spellings: dates,
  },
]

/** Escapes a letter in names of fields, so that what they are in is parsed instead of read from its bytes. */
const escapeNames = (text: string) => text.replace(/"n(pi|egotiated_type)":/g, '"\\u006e$1":')

async function load(text: string) {
  await using warehouse = await createTestWarehouse()
  const path = await warehouse.write('rates.json', text)
  const { files } = await warehouse.load({ files: [path], maxSkipped: 1 })
  return { findings: files[0]?.findings, rows: await warehouse.readRates() }
}

describe('a load', () => {
  it.each(fields)(
    'reads $title alike in each spelling, by its bytes and parsed',
    async ({ put, column, value, spellings }) => {
      const texts = spellings.map((each) => JSON.stringify(put(each)).replace(/"\$([^"$]*)\$"/g, '$1'))
      for (const text of texts) {
        const [scanned, parsed] = [await load(text), await load(escapeNames(text))]
        expect(
          scanned.rows.map((row) => row[column]),
          text,
        ).toEqual([value])
        expect(scanned.rows, text).toEqual(flattenNaively(text, names))
        expect(parsed.findings, text).toEqual(scanned.findings)
        expect(parsed.rows.map((row) => ({ ...row, price_id: '' }))).toEqual(
          scanned.rows.map((row) => ({ ...row, price_id: '' })),
        )
      }
    },
  )
})
