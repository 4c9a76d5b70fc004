import { describe, expect, it } from 'vitest'
import { describeReport } from '../../../loader/run/load-report.ts'
import type { Fields } from '../../builders/in-network-builder.ts'
import { buildFile, buildGroup, buildItem, buildPrice, buildReference } from '../../builders/in-network-builder.ts'
import { createTestWarehouse } from '../../builders/test-warehouse.ts'

async function loadContent(content: Fields | string) {
  await using warehouse = await createTestWarehouse()
  const report = await warehouse.load({ files: [await warehouse.write('rates.json', content)], maxSkipped: 1 })
  return { rows: await warehouse.readRates(), findings: report.files[0]?.findings, text: describeReport(report) }
}

const referenceOf = (...provider_groups: Fields[]) => buildReference({ provider_groups })

const prices = (...fields: Fields[]) => buildFile({ in_network: [buildItem({ prices: fields.map(buildPrice) })] })

describe('a load of values that do not fit', () => {
  it('skips a price without provider, and keeps the ordinals of later prices', async () => {
    const file = buildFile({ in_network: [buildItem({ references: [] }), buildItem()] })
    const { rows, findings } = await loadContent(file)
    expect(rows.map((row) => String(row['price_id']).split('-')[1])).toEqual(['2'])
    expect(findings).toEqual([
      {
        rule: 'price-without-provider',
        count: 1,
        examples: ['in_network[0].negotiated_rates[0].negotiated_prices[0]'],
      },
    ])
  })

  it('skips a reference to a group that is missing or has no provider, and keeps the price', async () => {
    const empty = buildReference({ provider_group_id: 2, provider_groups: [] })
    const item = buildItem({ references: [7, 1, 2] })
    const { rows, findings } = await loadContent(
      buildFile({ provider_references: [buildReference(), empty], in_network: [item] }),
    )
    expect(rows).toMatchObject([{ provider_group_id: '1' }])
    expect(findings).toMatchObject([{ rule: 'dangling-reference', count: 2 }])
  })

  it('uses a reference once that one price names twice', async () => {
    const { rows, findings } = await loadContent(buildFile({ in_network: [buildItem({ references: [1, 1] })] }))
    expect(rows).toHaveLength(1)
    expect(findings).toMatchObject([{ rule: 'repeated-reference', count: 1 }])
  })

  it('keeps places and networks that a summary does not tell apart, and counts them', async () => {
    const numbered = (count: number) => Array.from({ length: count }, (_, index) => `N${index}`)
    const reference = (id: number, count: number) =>
      buildReference({ provider_group_id: id, network_name: numbered(count) })
    const priceOf = (count: number) => buildPrice({ service_code: numbered(count) })
    const file = buildFile({
      provider_references: [reference(1, 100), reference(2, 101), reference(3, 101)],
      in_network: [buildItem({ references: [1, 2, 3], prices: [priceOf(100), priceOf(101), priceOf(101)] })],
    })
    const { rows, findings } = await loadContent(file)
    expect(rows.map(({ service_code: positions }) => Array.isArray(positions) && positions.length)).toEqual([
      100, 100, 100, 101, 101, 101, 101, 101, 101,
    ])
    expect(findings).toMatchObject([
      { rule: 'many-networks', count: 2, examples: [1, 2].map((at) => `provider_references[${at}].network_name`) },
      { rule: 'many-places', count: 2 },
    ])
  })

  it('skips an NPI that is neither 0 nor ten digits', async () => {
    const npi = [0, 1000000001, 123, 10000000000, -1000000001, 1000000001.5, '1000000002', 'none', '']
    const file = buildFile({ provider_references: [buildReference({ provider_groups: [buildGroup({ npi })] })] })
    const { rows, findings } = await loadContent(file)
    expect(rows.map((row) => row['npi'])).toEqual(['0', '1000000001', '1000000002'])
    expect(findings).toEqual([
      {
        rule: 'unfit-npi',
        count: 6,
        examples: [2, 3, 4].map((index) => `provider_references[0].provider_groups[0].npi[${index}]`),
      },
    ])
  })

  it('skips a provider group whose TIN has no digit', async () => {
    const groups = [buildGroup(), buildGroup({ tin: { type: 'ein', value: '-' } })]
    const { rows, findings } = await loadContent(
      buildFile({ provider_references: [buildReference({ provider_groups: groups })] }),
    )
    expect(rows).toHaveLength(1)
    expect(findings).toMatchObject([{ rule: 'unfit-tin', count: 1 }])
  })

  it('skips a rate that does not fit, and rounds one with too many decimals half to even', async () => {
    const text = JSON.stringify(prices({ negotiated_rate: '@1' }, { negotiated_rate: '@2' }, { negotiated_rate: '@3' }))
    const { rows, findings } = await loadContent(
      text
        .replace('"@1"', '100000000000000')
        .replace('"@2"', '1.00025')
        .replace('"@3"', '12345678901234.56785000000000000001'),
    )
    expect(rows.map((row) => row['negotiated_rate'])).toEqual(['1.0002', '12345678901234.5679'])
    expect(findings).toMatchObject([
      { rule: 'unfit-rate', count: 1 },
      { rule: 'rounded-rate', count: 2 },
    ])
  })

  it.each(['2026-02-30', '31/12/2026', '20260230', '', '2026-13-01T00:00:00Z', '2026-01', undefined])(
    'reads the date %s as NULL',
    async (date) => {
      const { rows, findings } = await loadContent({
        ...prices({ expiration_date: date }),
        last_updated_on: date ?? null,
      })
      expect(rows).toMatchObject([{ expiration_date: null, last_updated_on: null }])
      expect(findings).toMatchObject([{ rule: 'unreadable-date', count: 2 }])
    },
  )
})

describe('a load of bytes that are not UTF-8', () => {
  it('reads them as U+FFFD, and counts them', async () => {
    const text = JSON.stringify(buildFile({ in_network: [buildItem({ name: 'Caf@' }), buildItem({ name: '\ufffd' })] }))
    await using warehouse = await createTestWarehouse()
    const path = await warehouse.write('rates.json', text.replace('@', '\u00e9'))
    expect((await warehouse.load({ files: [path] })).files[0]?.findings).toEqual([])
    const latin1 = Buffer.from(text).map((byte) => (byte === 0x40 ? 0xe9 : byte))
    const { files } = await warehouse.load({ files: [await warehouse.write('latin1.json', latin1)] })
    expect(files[0]?.findings).toEqual([{ rule: 'not-utf8', count: 1, examples: ['in_network[0]'] }])
    expect(await warehouse.readRates()).toMatchObject([{ name: 'Caf\ufffd' }, { name: '\ufffd' }])
  })
})

describe('a load of a file without reporting_entity_name', () => {
  it('uses the name of the payer instead', async () => {
    await using warehouse = await createTestWarehouse()
    const content = buildFile({ reporting_entity_name: undefined, issuer_name: undefined })
    const path = await warehouse.write('rates.json', content)
    const { files } = await warehouse.load({ files: [path], payer: 'Acme' })
    expect(files[0]?.findings).toMatchObject([{ rule: 'missing-entity', count: 1 }])
    expect(await warehouse.readRates()).toMatchObject([{ payer: 'Acme', reporting_entity_name: 'Acme' }])
  })
})

describe('the report of a load', () => {
  it('lists the loaded files, their findings with a few examples, and the content that searches now read', async () => {
    const npi = [1, 2, 3, 4, 1000000001]
    const file = buildFile({ provider_references: [buildReference({ provider_groups: [buildGroup({ npi })] })] })
    const { text } = await loadContent(file)
    expect(text.replace(/\S+\/rates/, 'rates')).toBe(
      [
        'Loaded 1 file in 0.0 s',
        '  rates.json: 1 rate of 1 price',
        '    4 NPIs skipped: neither 0 nor ten digits',
        `      ${[0, 1, 2].map((index) => `provider_references[0].provider_groups[0].npi[${index}]`).join(', ')}, …`,
        'Searches now read, for 1 fee schedule',
        '  Blue Harbor Health / Harbor PPO Gold: 1 file, last updated on 2026-11-01',
        'For a day, npm run loads -- rollback load0 undoes this load',
      ].join('\n'),
    )
  })
})

describe('a load of a file that would lose too many values', () => {
  const references = Array.from({ length: 99 }, () => [1])
  const items = (dangling: number[]) => [...references, dangling].map((each) => buildItem({ references: each }))
  const load = async (content: Fields, options: { maxSkipped?: number; strict?: boolean } = {}) => {
    await using warehouse = await createTestWarehouse()
    const { files } = await warehouse.load({ files: [await warehouse.write('rates.json', content)], ...options })
    return files[0]
  }

  it('refuses a file above one in a hundred prices, or above --max-skipped', async () => {
    const one = buildFile({ in_network: items([7]) })
    expect(await load(one)).toMatchObject({ prices: 99, skipped: 1 })
    await expect(load(one, { maxSkipped: 0.009 })).rejects.toThrow(
      '1 of 100 prices would be skipped (1.0 %), more than --max-skipped allows: 1 references skipped',
    )
    const two = buildFile({ in_network: [...items([7]), buildItem({ references: [] })] })
    await expect(load(two)).rejects.toThrow('2 of 101 prices would be skipped')
    expect(await load(two, { maxSkipped: 0.02 })).toMatchObject({ skipped: 2 })
  })

  it.each([
    ['a reference', buildFile({ in_network: items([1, 7]) }), 'negotiated_rates[0].provider_references[1]'],
    ['a price', buildFile({ in_network: items([]) }), 'in_network[99].negotiated_rates[0].negotiated_prices[0]'],
    [
      'an NPI',
      buildFile({ provider_references: [buildReference({ provider_groups: [buildGroup({ npi: [1, 1000000001] })] })] }),
      'provider_groups[0].npi[0]',
    ],
  ])('refuses a file at the first finding with --strict: %s', async (_title, content, path) => {
    await expect(load(content, { strict: true, maxSkipped: 1 })).rejects.toThrow(`is refused (strict) for `)
    await expect(load(content, { strict: true, maxSkipped: 1 })).rejects.toThrow(path)
  })

  it('names the file with the value that --strict refuses, if another file points to it', async () => {
    await using warehouse = await createTestWarehouse()
    await warehouse.write('groups.json', { provider_groups: [buildGroup({ npi: [1, 1000000001] })] })
    const references = [{ provider_group_id: 1, location: 'groups.json' }]
    const file = await warehouse.write('rates.json', buildFile({ provider_references: references }))
    const fault =
      'groups.json: is refused (strict) for provider_groups[0].npi[0]: NPIs skipped: neither 0 nor ten digits'
    await expect(warehouse.load({ files: [file], strict: true })).rejects.toThrow(fault)
  })

  it.each([
    ['items', { in_network: [buildItem(), buildItem({ billing_code: null, prices: [] })] }, '1 of 2 items'],
    [
      'groups',
      { provider_references: [referenceOf(buildGroup(), buildGroup({ tin: null }))] },
      '1 of 2 provider groups',
    ],
    ['NPIs', { provider_references: [referenceOf(buildGroup({ npi: [1000000001, '', null] }))] }, '2 of 3 NPIs'],
    ['references', { provider_references: [buildReference(), 5] }, '1 of 2 provider groups'],
  ])('refuses a file for its %s, although all its prices have rows', async (_title, fields, share) => {
    const content = buildFile(fields)
    expect(await load(content, { maxSkipped: 0.7 })).toMatchObject({ prices: 1, skipped: 0 })
    await expect(load(content, { maxSkipped: 0.1 })).rejects.toThrow(`${share} would be skipped`)
  })

  it.each([
    ['a rate as text', { negotiated_rate: '1' }, 'negotiated_rate'],
    ['a text as a list', { service_code: '11' }, 'service_code'],
    ['a number as text', { additional_information: 1 }, 'additional_information'],
    ['a date that cannot be read', { expiration_date: 'never' }, 'expiration_date'],
  ])('refuses a file at the first finding with --strict: %s', async (_title, fields, path) => {
    const expected = `is refused (strict) for in_network[0].negotiated_rates[0].negotiated_prices[0].${path}`
    await expect(load(prices(fields), { strict: true })).rejects.toThrow(expected)
  })

  it('keeps zero rates, unlisted values and rounded rates even with --strict', async () => {
    const content = prices({ negotiated_rate: 0 }, { negotiated_rate: 1.00005 }, { negotiated_type: 'barter' })
    const loaded = await load(content, { strict: true })
    expect(loaded).toMatchObject({ prices: 3, skipped: 0 })
    expect(loaded?.findings.map(({ rule, count }) => [rule, count])).toEqual([
      ['zero-rate', 1],
      ['rounded-rate', 1],
      ['unknown-value', 1],
    ])
  })
})

describe('a provider group that is defined twice', () => {
  it('unites its definitions, and is reported', async () => {
    const twice = [1000000001, 1000000002].map((npi) =>
      buildReference({ provider_groups: [buildGroup({ npi: [npi] })] }),
    )
    const { rows, findings } = await loadContent(buildFile({ provider_references: twice }))
    expect(rows.map((row) => [row['npi'], row['provider_group_npi_count']])).toEqual([
      ['1000000001', 2],
      ['1000000002', 2],
    ])
    expect(findings).toEqual([{ rule: 'repeated-definition', count: 1, examples: ['provider_references[1]'] }])
  })
})
