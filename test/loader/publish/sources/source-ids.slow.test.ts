import { describe, expect, it } from 'vitest'
import { buildFile, buildItem } from '../../../builders/in-network-builder.ts'
import { buildPlan, buildTableOfContents } from '../../../builders/table-of-contents-builder.ts'
import type { TestWarehouse } from '../../../builders/test-warehouse.ts'
import { createTestWarehouse } from '../../../builders/test-warehouse.ts'

const ratesOf = (code: number) => buildFile({ in_network: [buildItem({ billing_code: String(code) })] })

/** Writes files whose names have an order that is not that of their list. */
async function publish(warehouse: TestWarehouse, codes: readonly number[]): Promise<string> {
  const names = codes.map((code) => `rates-${code % 7}-${code}.json`)
  for (const [index, name] of names.entries()) await warehouse.write(name, ratesOf(codes[index] ?? 0))
  const files = names.map((name) => `https://rates.example/${name}`)
  return warehouse.write('toc.json', buildTableOfContents({ plans: [buildPlan('Gold')], files }))
}

/** Returns the number of folders with sources of a load, and of the sources. */
function countFolders(warehouse: TestWarehouse, loadId: string) {
  return warehouse.listFiles().then((paths) => {
    const ofLoad = paths.filter((path) => path.includes(`.${loadId}.`))
    return { folders: new Set(ofLoad.map((path) => path.split('/')[0])).size, files: ofLoad.length }
  })
}

const codes = Array.from({ length: 12 }, (_, index) => 99_200 + index)

describe('the files of a load', () => {
  it.each([1, 3])('lie in one folder of each table if %i processes read them', async (workers) => {
    await using warehouse = await createTestWarehouse()
    const toc = await publish(warehouse, codes)
    const { loadId } = await warehouse.load({ files: [], toc }, { workers })
    expect(await countFolders(warehouse, loadId)).toEqual({ folders: 1, files: 24 })
    expect(await warehouse.readRates()).toHaveLength(12)
  })

  it('stay where they are if a later load takes them over, and what is new lies in another folder', async () => {
    await using warehouse = await createTestWarehouse()
    const first = await warehouse.load({ files: [], toc: await publish(warehouse, codes) })
    const second = await warehouse.load({ files: [], toc: await publish(warehouse, [...codes, 99_300, 99_301]) })
    expect(second).toMatchObject({ takenOver: 12 })
    expect(await countFolders(warehouse, first.loadId)).toEqual({ folders: 1, files: 24 })
    expect(await countFolders(warehouse, second.loadId)).toEqual({ folders: 1, files: 4 })
    expect(await warehouse.readRates()).toHaveLength(14)
  })
})
