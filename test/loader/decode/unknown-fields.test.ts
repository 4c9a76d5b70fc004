import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { FileFinder } from '../../../fetch/file-finder.ts'
import { encodeFile } from '../../../loader/write/encode-file.ts'
import {
  buildFile,
  buildGroup,
  buildItem,
  buildPrice,
  buildReference,
  type Fields,
} from '../../builders/in-network-builder.ts'
import { testMachine } from '../../builders/test-machine.ts'

/** Returns the finding about unknown fields of a file that is read by its bytes or parsed. */
async function findUnknown(content: object, parsesAll: boolean) {
  const folder = await mkdtemp(join(tmpdir(), 'unknown-'))
  try {
    const path = join(folder, 'rates.json')
    await writeFile(path, JSON.stringify(content))
    await mkdir(join(folder, 'scratch'))
    const fileOf = (table: { readonly name: string }, part = 0) => join(folder, `${table.name}-${part}.parquet`)
    const finder = await FileFinder.open([path], undefined)
    const options = { finder, partial: false, maxSkipped: 1, strict: true, parsesAll, machine: testMachine() }
    const files = { scratch: join(folder, 'scratch'), fileOf }
    const { findings } = await encodeFile(path, files, options)
    return findings.find(({ rule }) => rule === 'unknown-field')
  } finally {
    await rm(folder, { recursive: true })
  }
}

const build = ({ root, reference, group, tin, item, rate, price, code }: Readonly<Record<string, Fields>>) => {
  const groups = [buildGroup({ tin: { type: 'ein', value: '01-2345678', ...tin }, ...group })]
  const prices = [buildPrice(price), buildPrice(price)]
  const rates = [{ provider_references: [1], negotiated_prices: prices, ...rate }]
  const bundled = { negotiation_arrangement: 'bundle', bundled_codes: [{ ...bundledCode, ...code }] }
  return {
    ...buildFile({ ...root, provider_references: [buildReference({ provider_groups: groups, ...reference })] }),
    in_network: [
      buildItem({ ...item, ...bundled, negotiated_rates: rates }),
      buildItem({ billing_code: '1', ...item, negotiated_rates: [{ ...rates[0], provider_groups: groups }] }),
    ],
  }
}
const bundledCode = { billing_code_type: 'CPT', billing_code_type_version: '2026', billing_code: '99214' }

/** Returns the message that refuses a file, without the name of its folder. */
const nameFault = (error: unknown) => String(error).replace(/\/\S*unknown-\w+/, '')

describe('unknown fields', () => {
  it.each([false, true])('count by their path at every level (all parsed: %s)', async (parsesAll) => {
    const extra = { moved: [{ npi: 1 }] }
    const levels = ['root', 'reference', 'group', 'tin', 'item', 'rate', 'price', 'code']
    const content = build(Object.fromEntries(levels.map((level) => [level, extra])))
    expect(await findUnknown(content, parsesAll)).toEqual({
      rule: 'unknown-field',
      count: 10,
      examples: [
        'in_network[].bundled_codes[].moved',
        'in_network[].moved (2 times)',
        'in_network[].negotiated_rates[].moved (2 times)',
        'in_network[].negotiated_rates[].negotiated_prices[].moved (4 times)',
        'in_network[].negotiated_rates[].provider_groups[].moved',
        'in_network[].negotiated_rates[].provider_groups[].tin.moved',
        'moved',
        'provider_references[].moved',
        'provider_references[].provider_groups[].moved',
        'provider_references[].provider_groups[].tin.moved',
      ],
    })
  })

  it('count alike by bytes and parsed, wherever they are', async () => {
    const name = fc.oneof(
      fc.constantFrom('foo', 'network_name', '7', '__proto__', 'a"b', 'npi'),
      fc.string({ maxLength: 5 }),
    )
    const fields = fc.dictionary(name, fc.jsonValue({ maxDepth: 1 }), { maxKeys: 2 })
    const level = fc.oneof({ weight: 3, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: fields })
    const levels = fc.record({ item: level, rate: level, price: level, code: level, reference: level })
    await fc.assert(
      fc.asyncProperty(levels, async (added) => {
        const content = build(added)
        const [scanned, parsed] = await Promise.all(
          [false, true].map((all) => findUnknown(content, all).catch(nameFault)),
        )
        expect(scanned).toEqual(parsed)
      }),
      { numRuns: 40 },
    )
  })

  it('count at most 20 paths of 200 characters, and none in a file of the schema', async () => {
    expect(await findUnknown(build({}), false)).toBeUndefined()
    const many = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`${index}x`.padEnd(300, 'x'), 1]))
    for (const parsesAll of [false, true]) {
      const finding = await findUnknown(build({ price: many }), parsesAll)
      expect(finding).toMatchObject({ count: 21, examples: expect.arrayContaining(['others (40 times)']) })
      expect(finding?.examples.every((path) => path.length <= 220)).toBe(true)
    }
  })
})
