import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { buildFile } from '../builders/in-network-builder.ts'
import { buildPlan, buildTableOfContents } from '../builders/table-of-contents-builder.ts'
import { createTestWarehouse, type TestWarehouse } from '../builders/test-warehouse.ts'

const { plan_name: _, ...rates } = buildFile()

async function loadListed(warehouse: TestWarehouse, location: string, name: string, isNamed = false) {
  const file = await warehouse.write(name, rates)
  const content = buildTableOfContents({ plans: [buildPlan('Gold')], files: [location] })
  const toc = await warehouse.write(join('listed', 'toc.json'), content)
  return warehouse.load({ files: isNamed ? [file] : [], toc })
}

describe('an address with encoded characters in its last segment', () => {
  it.each([
    ['beside the table of contents', 'listed/Gold PPO.json', false],
    ['among the named files', 'Gold PPO.json', true],
    ['spelt as in the address', 'listed/Gold%20PPO.json', false],
  ])('finds the local file %s', async (_title, name, isNamed) => {
    await using warehouse = await createTestWarehouse()
    const { files } = await loadListed(warehouse, 'https://rates.example/Gold%20PPO.json?sig=a', name, isNamed)
    expect(files.map((file) => file.file.endsWith(name))).toEqual([true])
  })

  it.each(['..%2Fsecret.json', '..%5Csecret.json', 'sub%2Fsecret.json', '%E0%A4%A', 'a%00.json'])(
    'finds no file in another folder: %s',
    async (segment) => {
      await using warehouse = await createTestWarehouse()
      await warehouse.write('listed/sub/secret.json', rates)
      const loading = loadListed(warehouse, `https://rates.example/${segment}`, 'secret.json')
      await expect(loading).rejects.toThrow('a listed file is missing')
    },
  )
})
