import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Occurrences } from '../../fetch/occurrences.ts'
import { repairJson } from '../../fetch/repair-json.ts'
import type { OddForm } from '../../fetch/unpack.ts'
import { describeReport } from '../../loader/run/load-report.ts'
import { buildFile } from '../builders/in-network-builder.ts'
import { buildPlan, buildTableOfContents } from '../builders/table-of-contents-builder.ts'
import { createTestWarehouse } from '../builders/test-warehouse.ts'
import { flattenNaively } from '../loader/naive-flattening.ts'
import { zip } from './zip-builder.ts'

const names = { payer: 'Blue Harbor Health', plan: 'Harbor PPO Gold', sourceFile: 'rates.json' }
const sound = JSON.stringify(buildFile({ plan_id_type: 'hios' }))
const backslashed = JSON.stringify(buildFile({ plan_id_type: 'hios', reporting_entity_name: '\\WAKE' }))

/** Repairs a text that arrives in chunks. @param size of a chunk, in bytes */
async function repair(text: string, size: number) {
  const bytes = Buffer.from(text)
  const oddities = new Occurrences<OddForm>()
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
    expect(report.files[0]?.findings).toEqual([{ rule, count: 1, examples: [expect.stringMatching(/^byte \d+$/)] }])
    const strip = (rows: readonly Record<string, unknown>[]) => rows.map(({ price_id: _, ...row }) => row)
    expect(strip(await warehouse.readRates())).toEqual(strip(flattenNaively(whole, names)))
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

describe('repairing JSON', () => {
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

  it.each(['[,]', '[1,,]', '{"a":,}', '["\\u12"]', '[1 2]', '{"a":1', '["a\nb"]'])(
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
