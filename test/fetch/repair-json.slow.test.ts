import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Occurrences } from '../../fetch/occurrences.ts'
import { type RepairRule, repairJson, repairRules } from '../../fetch/repair-json.ts'
import { describeReport } from '../../loader/run/load-report.ts'
import { buildFile } from '../builders/in-network-builder.ts'
import { buildPlan, buildTableOfContents } from '../builders/table-of-contents-builder.ts'
import { createTestWarehouse } from '../builders/test-warehouse.ts'
import { flattenNaively } from '../loader/naive-flattening.ts'
import { zip } from './zip-builder.ts'

const names = { payer: 'Blue Harbor Health', plan: 'Harbor PPO Gold', sourceFile: 'rates.json' }
const sound = JSON.stringify(buildFile({ plan_id_type: 'hios' }))
const backslashed = JSON.stringify(buildFile({ plan_id_type: 'hios', reporting_entity_name: '\\WAKE' }))

const tabbed = JSON.stringify(buildFile({ plan_id_type: 'hios', reporting_entity_name: 'Blue\tHarbor' }))
const priced = (rate: string) => sound.replace(/(?<="negotiated_rate":)[^,}]+/, rate)
const coded = (code: string) =>
  sound.replace(/(?<="billing_code":)"[^"]*"/, code).replace(/(?<="billing_code_type":)"[^"]*"/, '"LOCAL"')
const dated = (day: string) => sound.replace(/(?<="expiration_date":)"[^"]*"/, day)

/** Repairs a text that arrives in chunks. @param size of a chunk, in bytes */
async function repair(text: string, size: number) {
  const bytes = Buffer.from(text)
  const oddities = new Occurrences<RepairRule>()
  const chunks: Buffer[] = []
  async function* cut() {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
  }
  for await (const chunk of repairJson(cut(), oddities)) chunks.push(chunk)
  expect(bytes.toString()).toBe(text)
  return { text: Buffer.concat(chunks).toString(), oddities: oddities.list() }
}

describe('a file whose JSON can be cured in one way only', () => {
  const broken = [
    ['a comma at the end of an array', sound, sound.replace(/\](?=,"in_network")/, ' , \n]'), 'trailing-comma'],
    ['a comma at the end of the file', sound, sound.replace(/\}$/, ',}'), 'trailing-comma'],
    ['a backslash that escapes nothing', backslashed, backslashed.replace('\\\\WAKE', '\\WAKE'), 'stray-backslash'],
    ['a raw tab in a text', tabbed, tabbed.replace('\\t', '\t'), 'raw-character'],
    ['a rate with leading zeros', priced('85.5'), priced('0085.50'), 'odd-number'],
    ['a whole rate with leading zeros', priced('85'), priced('0085'), 'odd-number'],
    ['a rate without a zero', priced('0.85'), priced('.85'), 'odd-number'],
    ['a code with leading zeros', coded('"00123"'), coded('00123'), 'odd-number'],
    ['a word that JSON does not have', dated('null'), dated('NaN'), 'odd-word'],
    ['NUL after the end', sound, `${sound}\n${'\0'.repeat(5000)}`, 'padding'],
  ] as const
  const packings = [
    ['plain', (text: string) => text],
    ['gzip', (text: string) => gzipSync(text)],
    ['zip', (text: string) => zip([Buffer.from(text)])],
  ] as const
  const cases = broken.flatMap((each) => packings.map(([packing, pack]) => ({ each, packing, pack })))

  it.each(cases)('loads all rows with --repair, and fails without it ($each.0, $packing)', async ({ each, pack }) => {
    const [, whole, text, rule] = each
    await using warehouse = await createTestWarehouse()
    const files = [await warehouse.write('rates.json', pack(text))]
    await expect(warehouse.load({ files })).rejects.toThrow(/is not JSON: .* at byte \d+.*: --repair fixes it/)
    const report = await warehouse.load({ files, repair: true })
    const message = await warehouse.load({ files }).catch(String)
    const [position] = /byte \d+/.exec(String(message)) ?? []
    expect(report.files[0]?.findings).toContainEqual({ rule, count: 1, examples: [position] })
    const strip = (rows: readonly Record<string, unknown>[]) => rows.map(({ price_id: _, ...row }) => row)
    expect(strip(await warehouse.readRates())).toEqual(strip(flattenNaively(whole, names)))
  })

  it('covers each kind of repair', () => {
    expect(new Set(broken.map(([, , , rule]) => rule))).toEqual(new Set(repairRules))
  })

  it('loads as a table of contents with --repair, which counts the repairs, and names the option without it', async () => {
    await using warehouse = await createTestWarehouse()
    await warehouse.write('rates.json', sound)
    const listed = { plans: [buildPlan('Gold')], files: ['https://rates.example/rates.json'] }
    const text = JSON.stringify({ ...buildTableOfContents(listed), footer: 'text' })
    const toc = await warehouse.write('toc.json.gz', gzipSync(text.replace(/\}\](?=,"in_network_files)/, '},]')))
    await expect(warehouse.load({ files: [], toc })).rejects.toThrow('--repair fixes it')
    const report = await warehouse.load({ files: [], toc, repair: true })
    expect(report).toMatchObject({
      listing: [
        { rule: 'trailing-comma', count: 1, examples: [`byte ${text.indexOf('}],"in_network_files') + 1}`] },
        { rule: 'unknown-field', count: 1, examples: ['footer'] },
      ],
      files: [{ rates: 1 }],
    })
    expect(describeReport(report)).toMatch(/Table of contents: 1 repaired: commas .* \(byte \d+\)/)
  })

  it('fails in a later load that repairs nothing', async () => {
    await using warehouse = await createTestWarehouse()
    const files = [await warehouse.write('rates.json', sound.replace(/\}$/, ',}'))]
    await warehouse.load({ files, repair: true })
    expect(await warehouse.load({ files, repair: true })).toMatchObject({ takenOver: 1 })
    await expect(warehouse.load({ files })).rejects.toThrow('is not JSON')
  })
})

/** Scalars with one meaning in a list, or as an amount; with the JSON for it. */
const cures: readonly (readonly [text: string, list: string, amount?: string])[] = [
  ['.85', '0.85'],
  ['-.85', '-0.85'],
  ['+1', '1'],
  ['+.5', '0.5'],
  ['5.', '5'],
  ['5.e3', '5e3'],
  ['.5E+2', '0.5E+2'],
  ['0125.50', '"0125.50"', '125.50'],
  ['0450', '"0450"', '450'],
  ['00', '"00"', '0'],
  ['-012', '-12'],
  ['+00.50', '0.50'],
  ['00000000000000000001234567890123456789.5', '"00000000000000000001234567890123456789.5"', '1234567890123456789.5'],
  ...['NaN', 'nan', 'NAN', 'Infinity', '-Infinity', '+Infinity', 'inf', '-inf'].map((word) => [word, 'null'] as const),
  ...['None', 'undefined', 'NULL', 'Null'].map((word) => [word, 'null'] as const),
  ...(['True', 'TRUE'] as const).map((word) => [word, 'true'] as const),
  ['False', 'false'],
]

/** Texts with faults that have several cures, or that nobody is known to write. */
const unclear = [
  ...[
    '[0x1F]',
    '{"a":125,50}',
    '{"a":1,234.50}',
    '[1.5.2]',
    '[.]',
    '[-]',
    '[1e]',
    '[1_000]',
    '[$12]',
    '[--1]',
    '[tru]',
  ],
  ...[
    "['a']",
    '{a:1}',
    "{'a':1}",
    '{NaN:1}',
    '{.5:1}',
    '[1 NaN]',
    '[1 .5]',
    '{"a" NaN}',
    '[1/* x */]',
    '[1,// x\n2]',
    '[1]x',
  ],
  ...['[1\0]', '[\0 1]'],
]

describe('repairing JSON', () => {
  it.each(cures)('reads %s as %s in chunks of any size', async (text, list, amount = list) => {
    const json = `{"negotiated_rate": ${text} ,"x":[${text},"negotiated_rate",${text}],"negotiated_rates":${text}}`
    for (const size of [1, 2, 3, 5, 8, 1000]) {
      const { text: repaired, oddities } = await repair(json, size)
      expect(repaired).toBe(
        `{"negotiated_rate": ${amount} ,"x":[${list},"negotiated_rate",${list}],"negotiated_rates":${list}}`,
      )
      const [rule] = oddities
      expect(oddities).toEqual([{ rule: rule?.rule, count: 4, examples: expect.arrayContaining(['byte 20']) }])
      JSON.parse(repaired)
    }
  })

  it('reads each control character of a text as itself, in chunks of any size', async () => {
    const controls = Array.from({ length: 32 }, (_, code) => String.fromCharCode(code)).join('')
    for (let size = 1; size < 50; size++) {
      const { text, oddities } = await repair(`["a${controls}b\\n","${controls}"]`, size)
      expect(JSON.parse(text)).toEqual([`a${controls}b\n`, controls])
      expect(oddities).toEqual([{ rule: 'raw-character', count: 64, examples: ['byte 3', 'byte 4', 'byte 5'] }])
    }
  })

  it('leaves numbers and words of any length as they are, however they are cut', async () => {
    for (const digits of ['1', '100', '1.0'].map((start) => start + '00125'.repeat(200)))
      for (const size of [1, 100, 255, 256, 257, 300, 1000]) {
        const text = `[${digits},{"a":${digits}}]`
        expect(await repair(text, size)).toEqual({ text, oddities: [] })
      }
  })

  it('takes memory and time in proportion to a hostile text', async () => {
    const megabyte = 1 << 20
    for (const unit of ['\t', '\\W', 'a\0']) {
      const { text } = await repair(`["${unit.repeat(megabyte / unit.length)}"]`, 1 << 16)
      expect(text.length).toBeLessThan(6 * megabyte + 100)
    }
    for (const unit of ['.5,', 'NaN,', '[', ',', '\0', '1']) {
      const { text } = await repair(`[${unit.repeat(megabyte / unit.length)}`, 1 << 16)
      expect(text.length).toBeLessThan(2 * megabyte)
    }
  })

  it('leaves sound JSON unchanged, in chunks of any size', async () => {
    const tokens = /"(?:[^"\\]|\\.)*"|[^\s,:[\]{}"]+|[,:[\]{}]/g
    const blank = fc.array(fc.constantFrom(' ', '\t', '\r', '\n'), { maxLength: 30 }).map((signs) => signs.join(''))
    const json = fc
      .tuple(fc.json({ depthSize: 'medium' }), blank)
      .map(([text, space]) => JSON.stringify(JSON.parse(text)).match(tokens)?.join(space) ?? '')
    await fc.assert(
      fc.asyncProperty(json, fc.integer({ min: 1, max: 9 }), async (text, size) => {
        expect(() => JSON.parse(text)).not.toThrow()
        expect(await repair(text, size)).toEqual({ text, oddities: [] })
      }),
    )
  })

  it('passes long white space after a comma', async () => {
    const text = `[1,${' '.repeat(1 << 22)}2,${'\n'.repeat(100)}]`
    const repaired = await repair(text, 64)
    expect(repaired.text).toBe(text.replace(/,(?=\n)/, ' '))
  })

  it('reports the byte of each fault, in chunks of any size', async () => {
    const text = '{"a\\W":[1, "x,]\\"" ,\n ],"b":{"c":[],},}'
    for (let size = 1; size <= text.length; size++) {
      const repaired = await repair(text, size)
      expect(JSON.parse(repaired.text)).toEqual({ 'a\\W': [1, 'x,]"'], b: { c: [] } })
      expect(repaired.oddities).toEqual([
        { rule: 'stray-backslash', count: 1, examples: [`byte ${text.indexOf('\\W')}`] },
        {
          rule: 'trailing-comma',
          count: 3,
          examples: [text.indexOf(',\n'), text.indexOf(',},'), text.lastIndexOf(',')].map((at) => `byte ${at}`),
        },
      ])
    }
  })

  it.each(['[,]', '[1,,]', '{"a":,}', '["\\u12"]', '[1 2]', '{"a":1', '["a\\\nb"]', ...unclear])(
    'repairs no fault with several cures: %s',
    async (text) => {
      expect(() => JSON.parse(text)).toThrow()
      const { text: repaired } = await repair(text, 3)
      expect(() => JSON.parse(repaired)).toThrow()
      await using warehouse = await createTestWarehouse()
      const files = [await warehouse.write('rates.json', `{"in_network":[${text}]}`)]
      await expect(warehouse.load({ files })).rejects.not.toThrow('--repair')
    },
  )
})
