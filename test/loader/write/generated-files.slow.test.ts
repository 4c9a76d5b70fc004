import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { LoadRequest } from '../../../loader/publish/load-request.ts'
import type { Fields } from '../../builders/in-network-builder.ts'
import { createTestWarehouse, type TestWarehouse } from '../../builders/test-warehouse.ts'
import { anyFilter, isKept, replacements, replaceOne } from '../decode/odd-values.ts'
import { isJson } from '../is-json.ts'
import { flattenNaively } from '../naive-flattening.ts'
import { file, schema1File } from './any-file.ts'

/** Replaces the loaded file and returns its rows; a file without rows is refused. */
async function loadRows(warehouse: TestWarehouse, path: string, options: Partial<LoadRequest> = {}) {
  try {
    await warehouse.load({ files: [path], replace: true, allowOlder: true, ...options })
    return await warehouse.readRates()
  } catch (error) {
    expect(String(error)).toContain('its files have no rates')
    return []
  }
}

describe('any in-network file', () => {
  it.each([
    ['', file, 'Blue Harbor Health'],
    [' of schema 1.x', schema1File, 'Blue Harbor Services'],
  ] as const)(
    'flattens, with odd values%s, to the rows of the naive flattening, or to those that a filter keeps',
    async (_schema, anyFile, payer) => {
      await using warehouse = await createTestWarehouse()
      await fc.assert(
        fc.asyncProperty(anyFile, replacements, anyFilter, async (content: Fields, odd, filter) => {
          const hostile = odd.reduce<unknown>((root, [path, value]) => replaceOne(root, path, value), content)
          const text = JSON.stringify(hostile).replace(/"@([^"@]*)@"/g, (quoted, bare) =>
            isJson(bare) ? bare : quoted,
          )
          const path = await warehouse.write('rates.json', text)
          const names = { payer, plan: 'Harbor PPO Gold', sourceFile: 'rates.json' }
          const expected = flattenNaively(text, names, (row) => isKept(row, filter))
          const kept = filter === null ? undefined : { id: JSON.stringify(filter), ...filter }
          expect(await loadRows(warehouse, path, { maxSkipped: 1, filter: kept })).toEqual(expected)
        }),
        { numRuns: Number(process.env['HOSTILE_FILES'] ?? 60) },
      )
    },
    600_000,
  )

  it.each([
    ['1.x', schema1File, 'Blue Harbor Services', 40],
    ['2.x', file, 'Blue Harbor Health', 60],
  ] as const)(
    'flattens, in schema %s, to the rows of the naive flattening',
    async (_schema, anyFile, payer, numRuns) => {
      await using warehouse = await createTestWarehouse()
      await fc.assert(
        fc.asyncProperty(anyFile, async (content) => {
          const text = JSON.stringify(content)
          const path = await warehouse.write('rates.json', text)
          const names = { payer, plan: 'Harbor PPO Gold', sourceFile: 'rates.json' }
          expect(await loadRows(warehouse, path)).toEqual(flattenNaively(text, names))
        }),
        { numRuns },
      )
    },
    300_000,
  )

  it.each([
    ['1.x', schema1File],
    ['2.x', file],
  ] as const)(
    'leaves a source with the numbers of rows that searches join, in schema %s',
    async (_schema, anyFile) => {
      await using warehouse = await createTestWarehouse()
      await fc.assert(
        fc.asyncProperty(anyFile, anyFilter, async (content, filter) => {
          const path = await warehouse.write('rates.json', content)
          const loadFilter = filter === null ? undefined : { id: JSON.stringify(filter), ...filter }
          await loadRows(warehouse, path, { maxSkipped: 1, filter: loadFilter })
          const source = [...warehouse.contents.sources.values()].at(-1)
          if (source === undefined) throw new Error('no file was read')
          const ofSource = `WHERE source_id = '${source.sourceId}'`
          const [counts] = await warehouse.query(
            `SELECT (SELECT coalesce(sum(len(provider_group_keys)), 0)::integer FROM negotiated_rates ${ofSource}) AS pairs,
              (SELECT count(*)::integer FROM provider_groups ${ofSource}) AS "groupRows"`,
          )
          expect({ pairs: source.pairs, groupRows: source.groupRows }).toEqual(counts)
        }),
        { numRuns: 20 },
      )
    },
    300_000,
  )
})
