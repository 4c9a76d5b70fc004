import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { noText } from '../../../loader/collect/distinct/text-list.ts'
import { groupField } from '../../../loader/collect/groups/group-fields.ts'
import { GroupStore } from '../../../loader/collect/groups/group-store.ts'
import { ReferenceIds } from '../../../loader/collect/groups/reference-ids.ts'
import { fact } from '../../../loader/collect/groups/references.ts'
import type { StoredGroups } from '../../../loader/collect/groups/stored-groups.ts'
import { PriceCollector } from '../../../loader/collect/price-collector.ts'
import { ProviderCollector } from '../../../loader/collect/provider-collector.ts'
import { readInNetwork } from '../../../loader/collect/read-in-network.ts'
import { createRowFilter, type RowFilter } from '../../../loader/collect/row-filter.ts'
import { scanObject } from '../../../loader/decode/by-bytes/parse-slice.ts'
import { termCount } from '../../../loader/decode/by-bytes/price-reader.ts'
import { ScannedRates } from '../../../loader/decode/by-bytes/scanned-rates.ts'
import { Findings } from '../../../loader/decode/findings.ts'
import { odd, short } from '../../../loader/decode/json/byte-scan.ts'
import { JsonStream } from '../../../loader/decode/json/json-stream.ts'
import type { Uint32List } from '../../../loader/decode/number-list.ts'
import type { Element } from '../../../loader/decode/read-values.ts'
import { buildFile, buildGroup, buildItem, buildPrice, type Fields } from '../../builders/in-network-builder.ts'
import { seedsFrom } from '../../builders/test-machine.ts'
import { file, schema1File } from '../write/any-file.ts'
import { anyHostileText } from './hostile-text.ts'

interface Outcome {
  readonly collected: readonly unknown[]
  readonly findings: readonly unknown[]
  readonly units: unknown
  readonly error: string | undefined
  /** Numbers of rates and references that were read from their bytes. */
  readonly scannedRates: number
  readonly scannedReferences: number
}

/** Creates a collector of the inline groups of prices. */
function createTaker() {
  const store = new GroupStore(seedsFrom(1))
  const end = () => store.endGroup() ?? ('left out' as const)
  return { store, end: () => (store.hasOpen ? end() : undefined) }
}

class CountingPrices extends PriceCollector {
  scanned = 0

  override addRate(...[rate, at, item]: Parameters<PriceCollector['addRate']>): void {
    if (rate.kind === 'scanned') this.scanned++
    super.addRate(rate, at, item)
  }
}

class CountingProviders extends ProviderCollector {
  scanned = 0

  override addScannedReference(position: Element): void {
    this.scanned++
    super.addScannedReference(position)
  }
}

/** Returns the TINs of a group with their NPIs. */
function describeGroup(store: StoredGroups, group: number) {
  return Array.from({ length: store.firstTin(group + 1) - store.firstTin(group) }, (_, index) => {
    const tin = store.firstTin(group) + index
    const [, type = noText, value = noText, name = noText, networks = 0] = store.fieldsOf(tin)
    const texts = [type, value, name].map((text) => (text === noText ? null : store.texts.at(text)))
    const npis = [...store.npis.items.slice(store.firstMember(tin), store.firstMember(tin + 1))]
    return [texts, npis, store.networkLists[networks]]
  })
}

/**
 * Returns the references of a file, without ids that have no fact: a rate that is parsed after all may have been the
 * first to name such an id.
 */
function describeReferences({ references, referenceGroups: { store } }: ProviderCollector) {
  const facts = (number: number) => Object.values(fact).filter((each) => references.is(number, each))
  const ids = Array.from({ length: references.ids.count }, (_, number) => number)
    .filter((number) => facts(number).length > 0)
    .map((number) => [references.ids.texts.at(number), references.rowsOf(number), facts(number)] as const)
    .sort(([one], [other]) => (one < other ? -1 : 1))
  const groups = Array.from({ length: store.count }, (_, group) => [
    references.ids.texts.at(store.of(group, groupField.reference) - 1),
    describeGroup(store, group),
  ])
  return { ids, groups }
}

/** Returns the collected prices without numbers of terms and inline groups, which depend on the way of reading. */
function describePrices({ portion }: PriceCollector, { inline, references: { ids } }: ProviderCollector) {
  const { numbers, terms } = portion
  const rates = Array.from({ length: portion.rateCount }, (_, rate) => {
    const at = (list: Uint32List) => [list.items[rate] ?? 0, list.items[rate + 1] ?? 0] as const
    const [firstPrice, endOfPrices] = at(numbers.firstPrices)
    const inlineGroup = numbers.inlineGroups.items[rate] ?? 0
    return {
      position: numbers.positions.items[rate],
      published: numbers.published.items[rate],
      references: Array.from(numbers.references.items.slice(...at(numbers.firstReferences)), (id) => ids.texts.at(id)),
      positions: numbers.referencePositions.items.slice(...at(numbers.firstReferences)),
      groups: inlineGroup > 0 && describeGroup(inline.store, inlineGroup - 1),
      isUsed: inlineGroup > 0 && inline.store.of(inlineGroup - 1, groupField.use),
      rows: numbers.inlineRows.items[rate],
      prices: Array.from({ length: endOfPrices - firstPrice }, (_, index) => [
        portion.ordinalsFrom + (numbers.ordinals.items[firstPrice + index] ?? 0),
        numbers.amounts.items.slice(2 * (firstPrice + index), 2 * (firstPrice + index + 1)),
        terms.map((values, column) => values[numbers.terms.items[(firstPrice + index) * termCount + column] ?? 0]),
      ]),
    }
  })
  return { rates, items: portion.items }
}

/** Reads a file, and describes everything that a load collects. */
async function read(
  bytes: Buffer,
  way: 'parsed' | 'scanned',
  unwanted: string | undefined,
  chunk: number,
): Promise<Outcome> {
  const file = 'rates.json'
  const findings = new Findings()
  const filter: RowFilter = {
    ...createRowFilter(),
    ...(unwanted !== undefined && { keepsCode: ({ code }) => code !== unwanted }),
  }
  using providers = new CountingProviders(tmpdir(), findings, filter, seedsFrom(1))
  const prices = new CountingPrices(providers, findings, filter, { newSeed: seedsFrom(1) })
  const stream = new JsonStream(cut(bytes, chunk), (value) => findings.count('not-utf8', value))
  const makeRoom = () => undefined
  const error = await readInNetwork({
    ...{ file, stream, findings, prices, providers, makeRoom, makeRoomForReferences: makeRoom },
    parsesAll: way === 'parsed',
    follow: async () => false,
  }).then(
    () => undefined,
    (reason: unknown) => String(reason),
  )
  return {
    collected: [describePrices(prices, providers), describeReferences(providers), prices.published],
    findings: findings.list(),
    units: findings.units,
    error,
    scannedRates: prices.scanned,
    scannedReferences: providers.scanned,
  }
}

async function* cut(bytes: Buffer, chunk: number): AsyncGenerator<Buffer> {
  for (let start = 0; start < bytes.length; start += chunk) yield bytes.subarray(start, start + chunk)
}

async function expectSame(bytes: Buffer, { unwanted, chunk = 1 << 16 }: { unwanted?: string; chunk?: number } = {}) {
  const { scannedRates: _, scannedReferences: __, ...parsed } = await read(bytes, 'parsed', unwanted, chunk)
  const { scannedRates, scannedReferences, ...scanned } = await read(bytes, 'scanned', unwanted, chunk)
  expect(scanned).toEqual(parsed)
  return { scannedRates, scannedReferences }
}

/**
 * Values of a price's fields, as files write them. Several have findings, or differ from others only in their bytes.
 */
const valuesOf: Fields = {
  expiration_date: ['2027-01-31', '9999-12-31', 'soon', '', null],
  service_code: [['11'], ['11', '22'], ['22', '11'], [11], [], null, '11'],
  billing_code_modifier: [['26'], ['TC', '26'], [], [''], ['"'], [null]],
  negotiated_type: ['negotiated', 'Fee Schedule', 'derived', '', 7],
  billing_class: ['professional', 'PROFESSIONAL', undefined],
  additional_information: ['case \\ "rate"', 'caf\u00e9', '1', 1, 12, 1.0, { a: [1] }, '}', '\ud800'],
  // Fields that the schema does not have.
  network: ['a', 1, null, { tiers: ['"]'] }],
  __proto: [true],
}

/** Files with few values of each field in many combinations, with the fields in any order. */
const combined = fc
  .array(
    fc.record({
      price: fc.record(
        Object.fromEntries(
          Object.entries(valuesOf).map(([name, values]) => [
            name,
            fc.constantFrom(...(Array.isArray(values) ? values : [])),
          ]),
        ),
        { requiredKeys: [] },
      ),
      order: fc.nat(7),
      negotiated_rate: fc.constantFrom(0, 1, 100.5, 2500, 99.99, 0.00001, '12.50', 1e21, -3, 12.34567),
    }),
    { minLength: 6, maxLength: 30 },
  )
  .map((prices) => {
    const rates = prices.map(({ price, order, negotiated_rate }) => {
      const fields = Object.entries({ ...buildPrice(), ...price, negotiated_rate })
      return {
        provider_references: [1],
        negotiated_prices: [Object.fromEntries([...fields.slice(order), ...fields.slice(0, order)])],
      }
    })
    return buildFile({ in_network: [buildItem({ negotiated_rates: rates })] })
  })

const numRuns = 5 * Number(process.env['HOSTILE_FILES'] ?? 60)

describe('reading prices by their bytes', () => {
  it.each([
    ['2.x', file],
    ['1.x', schema1File],
    ['2.x whose values recur in other combinations', combined],
  ] as const)(
    'collects what parsing collects, in any file of schema %s with hostile bytes',
    async (_schema, anyFile) => {
      let scannedRates = 0
      await fc.assert(
        fc.asyncProperty(
          anyHostileText(anyFile),
          fc.option(fc.constant('99213')),
          fc.nat(40),
          async (text, unwanted, chunk) => {
            const options = { ...(unwanted !== null && { unwanted }), chunk: 100 * (chunk + 1) }
            scannedRates += (await expectSame(text, options)).scannedRates
          },
        ),
        { numRuns },
      )
      // Most files are broken before their rates. The usual number is three to ten times as high.
      expect(scannedRates).toBeGreaterThan(numRuns / 40)
    },
    600_000,
  )

  it.each(['fee-for-service-single-plan', 'bundle-single-plan', 'multiple-plans'])(
    'collects what parsing collects in the sample of CMS %s, and parses none of its rates',
    async (name) => {
      const sample = join(import.meta.dirname, `../../fixtures/price-transparency/in-network-rates-${name}-sample.json`)
      const bytes = await readFile(sample)
      const sampleFile = JSON.parse(bytes.toString())
      const rates = sampleFile.in_network.flatMap((item: Fields) => item['negotiated_rates'])
      const scannedReferences = sampleFile.provider_references.length
      expect(await expectSame(bytes)).toEqual({ scannedRates: rates.length, scannedReferences })
    },
  )

  it.each([
    ['the window', 12_000, 2 << 20],
    ['the limit of parsing', 25_000, 5 << 20],
  ])('collects what parsing collects in an item that is longer than %s', async (_title, count, length) => {
    const rates = Array.from({ length: count }, (_, index) => ({
      provider_references: [index, index + 1],
      negotiated_prices: [buildPrice({ negotiated_rate: index / 100 })],
    }))
    const content = Buffer.from(JSON.stringify(buildFile({ in_network: [buildItem({ negotiated_rates: rates })] })))
    expect(content.length).toBeGreaterThan(length)
    expect(await expectSame(content)).toMatchObject({ scannedRates: rates.length })
    expect(await expectSame(content, { unwanted: '99213' })).toMatchObject({ scannedRates: 0 })
  })

  it('collects what parsing collects from inline groups that recur or begin alike', async () => {
    const npis = Array.from({ length: 40 }, (_, index) => 1_000_000_040 - index)
    const rates = Array.from({ length: 400 }, (_, index) => ({
      provider_groups: [
        buildGroup({ npi: [...npis, 1_100_000_000 + (index % 20)] }),
        buildGroup({
          npi: [0, '1234567890', 1_000_000_001],
          tin: { type: 'npi', value: String(1_000_000_000 + (index % 3)) },
        }),
      ],
      negotiated_prices: [buildPrice()],
    }))
    const content = Buffer.from(JSON.stringify(buildFile({ in_network: [buildItem({ negotiated_rates: rates })] })))
    expect(await expectSame(content)).toMatchObject({ scannedRates: rates.length })
  })

  it.each([
    ['0', 1],
    ['690.50', 1],
    ['12345678901234567890', 1],
    ['"group 1"', 1],
    ['" "', 1],
    ['1e3', 0],
    ['-1', 0],
    ['01', 0],
    ['1.', 0],
    ['""', 0],
    ['"caf\u00e9"', 0],
    ['null', 0],
    ['[1]', 0],
  ])('collects what parsing collects from a reference with the id %s', async (id, count) => {
    const groups = JSON.stringify([buildGroup()])
    const ways = [
      `{"provider_group_id":${id},"provider_groups":${groups}}`,
      `{"network_name" : ["N","M"], "provider_groups":${groups}, "provider_group_id" : ${id} }`,
      `{"provider_group_id":${id},"provider_groups":${groups},"network_name":[]}`,
    ]
    for (const reference of ways) {
      const text = JSON.stringify(buildFile({ provider_references: ['?'] })).replace('"?"', () => reference)
      for (const chunk of [7, 1 << 16])
        expect(await expectSame(Buffer.from(text), { chunk })).toMatchObject({ scannedReferences: count })
    }
  })

  it.each([
    ['a name of a network that is a number', '{"provider_group_id":1,"provider_groups":[],"network_name":[7]}'],
    ['an id twice', '{"provider_group_id":1,"provider_group_id":2,"provider_groups":GROUPS}'],
    ['groups twice', '{"provider_group_id":1,"provider_groups":GROUPS,"provider_groups":GROUPS}'],
    ['networks twice', '{"provider_group_id":1,"provider_groups":GROUPS,"network_name":[],"network_name":["A"]}'],
    ['a business name beside its groups', '{"provider_group_id":1,"provider_groups":GROUPS,"business_name":"B"}'],
    ['an unknown field', '{"provider_group_id":1,"provider_groups":GROUPS,"note":1}'],
    ['no id', '{"provider_groups":GROUPS}'],
    ['no groups', '{"provider_group_id":1}'],
    ['an address', '{"provider_group_id":1,"location":"https://rates.example/groups.json"}'],
  ])('leaves a reference with %s to parsing', async (_title, reference) => {
    const written = reference.replaceAll('GROUPS', JSON.stringify([buildGroup()]))
    const text = JSON.stringify(buildFile({ provider_references: ['?'] })).replace('"?"', () => written)
    expect(await expectSame(Buffer.from(text))).toMatchObject({ scannedReferences: 0 })
  })

  it('never takes the start of an item for the item', async () => {
    await fc.assert(
      fc.property(file, fc.nat(), (content, position) => {
        const [item] = Array.isArray(content['in_network']) ? content['in_network'] : []
        const bytes = Buffer.from(JSON.stringify(item))
        const readItem = (end: number) => {
          const rates = new ScannedRates(() => 1, new ReferenceIds(seedsFrom(1)), createTaker(), seedsFrom(1))
          return scanObject({ bytes, start: 0, end }, Buffer.from('"negotiated_rates"'), rates.readAll)
        }
        expect(readItem(bytes.length)).toMatchObject({ end: bytes.length })
        // The bytes after the end stay in the buffer, like the remains of an earlier window.
        expect([odd, short]).toContain(readItem(position % bytes.length))
      }),
      { numRuns: 500 },
    )
  })
})
