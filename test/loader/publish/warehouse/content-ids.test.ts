import { expect, it } from 'vitest'
import { contentTable, readFileName } from '../../../../schema/columns/warehouse-tables.ts'
import { buildFile, buildItem } from '../../../builders/in-network-builder.ts'
import { buildPlan, buildTableOfContents } from '../../../builders/table-of-contents-builder.ts'
import { createTestWarehouse, type TestWarehouse } from '../../../builders/test-warehouse.ts'

/** Writes a table of contents with a plan for each code, which has a file of its own. */
async function publish(warehouse: TestWarehouse, codes: readonly number[]): Promise<string> {
  for (const code of codes)
    await warehouse.write(`${code}.json`, buildFile({ in_network: [buildItem({ billing_code: String(code) })] }))
  const entries = codes.map((code, index) => {
    return { plans: [buildPlan(`Plan ${index}`)], files: [`https://rates.example/${code}.json`] }
  })
  return warehouse.write('toc.json', buildTableOfContents(...entries))
}

/** Returns the files of contents by their folder. */
async function listContents(warehouse: TestWarehouse): Promise<ReadonlyMap<string, readonly string[]>> {
  const contents = new Set(warehouse.contents.contents.keys())
  const paths = (await warehouse.listFiles()).filter((path) => contents.has(readFileName(path)?.id ?? ''))
  return Map.groupBy(paths, (path) => path.split('/')[0] ?? '')
}

const codes = Array.from({ length: 12 }, (_, index) => 99_200 + index)

it(`puts the files of ${contentTable.name} that a load writes into one folder, and leaves those that it does not change`, async () => {
  await using warehouse = await createTestWarehouse()
  await warehouse.load({ files: [], toc: await publish(warehouse, codes) })
  const before = await listContents(warehouse)
  expect([...before.values()].map(({ length }) => length)).toEqual([12])
  await warehouse.load({ files: [], toc: await publish(warehouse, [99_300, 99_301, ...codes.slice(2)]) })
  const after = await listContents(warehouse)
  expect([...after.values()].map(({ length }) => length).sort()).toEqual([12, 2])
  for (const [folder, paths] of before) expect(after.get(folder)).toEqual(paths)
  expect((await warehouse.readRates()).map(({ billing_code }) => billing_code).sort()).toEqual(
    ['99300', '99301', ...codes.slice(2).map(String)].sort(),
  )
})
