import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { repairJson } from '../../../loader/fetch/repair-json.ts'
import { Tally } from '../../../loader/fetch/unpack.ts'
import { buildFile } from '../../builders/in-network-builder.ts'
import { createTestWarehouse } from '../../builders/test-warehouse.ts'
import { flattenNaively } from '../naive-flattening.ts'
import { zip } from './zip-builder.ts'

const names = { payer: 'Blue Harbor Health', plan: 'Harbor PPO Gold', sourceFile: 'rates.json' }
const sound = JSON.stringify(buildFile({ plan_id_type: 'hios' }))
const backslashed = JSON.stringify(buildFile({ plan_id_type: 'hios', reporting_entity_name: '\\WAKE' }))

/** Repairs a text that comes in chunks of so many bytes. */
async function repair(text: string, size: number) {
  const bytes = Buffer.from(text)
  const tally = new Tally()
  const parts: Buffer[] = []
  async function* cut() {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
  }
  for await (const part of repairJson(cut(), tally)) parts.push(part)
  expect(bytes.toString()).toBe(text)
  return { text: Buffer.concat(parts).toString(), oddities: tally.oddities() }
}

describe('a file whose JSON is broken in a way that has one cure', () => {
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

  it.each(cases)('is refused, or has all its rows with --repair ($each.0, $packing)', async ({ each, pack }) => {
    const [, whole, text, rule] = each
    await using warehouse = await createTestWarehouse()
    const files = [await warehouse.write('rates.json', pack(text))]
    await expect(warehouse.load({ files })).rejects.toThrow('is not JSON')
    const report = await warehouse.load({ files, repair: true })
    expect(report.files[0]?.findings).toEqual([{ rule, count: 1, examples: [expect.stringMatching(/^byte \d+$/)] }])
    const strip = (rows: readonly Record<string, unknown>[]) => rows.map(({ price_id: _, ...row }) => row)
    expect(strip(await warehouse.readRates())).toEqual(strip(flattenNaively(whole, names)))
  })

  it('is not taken over by a load that repairs nothing', async () => {
    await using warehouse = await createTestWarehouse()
    const files = [await warehouse.write('rates.json', sound.replace(/\}$/, ',}'))]
    await warehouse.load({ files, repair: true })
    expect(await warehouse.load({ files, repair: true })).toMatchObject({ takenOver: 1 })
    await expect(warehouse.load({ files })).rejects.toThrow('is not JSON')
  })
})

describe('repairing JSON', () => {
  it('leaves sound JSON as it is, however it is cut into chunks', async () => {
    const json = fc.json({ depthSize: 'medium' }).map((text) => JSON.stringify(JSON.parse(text), undefined, 1))
    await fc.assert(
      fc.asyncProperty(json, fc.integer({ min: 1, max: 9 }), async (text, size) => {
        expect(await repair(text, size)).toEqual({ text, oddities: [] })
      }),
    )
  })

  it('says where each fault is, however the text is cut into chunks', async () => {
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
    'does not guess: %s',
    async (text) => {
      expect(() => JSON.parse(text)).toThrow()
      const { text: repaired } = await repair(text, 3)
      expect(() => JSON.parse(repaired)).toThrow()
    },
  )
})
