import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { loadNppes } from '../../../loader/nppes/load-nppes.ts'
import { writeNppes } from '../../../local/samples/generator/nppes-layout.ts'
import { createTestWarehouse, type TestWarehouse } from '../../builders/test-warehouse.ts'
import { nppesLine } from './nppes-builder.ts'

let warehouse: TestWarehouse
beforeEach(async () => {
  warehouse = await createTestWarehouse()
})
afterEach(() => warehouse[Symbol.asyncDispose]())

const lines = Array.from({ length: 400 }, (_, index) => nppesLine({ npi: String(1_000_000_000 + index) }))

async function load(tail: string) {
  const path = await warehouse.write('npidata_pfile_20050523-20261109.csv', writeNppes(lines) + tail)
  const { folder, contents } = warehouse
  return loadNppes({ path }, { warehouse: folder, contents, newId: () => 'r1', now: () => new Date() })
}

/** A line with this many fields, of the size of a whole file if there are many. */
const wideLine = (fields: number) => `${Array.from({ length: fields }, () => '"1"').join(',')}\n`

describe('a monthly file of NPPES', () => {
  it.each([20_000, 40_000, 1_000_000])('counts a line of %d fields as one broken line', async (fields) => {
    expect(await load(wideLine(fields))).toMatchObject({ rows: 400, broken: 1 })
  })

  it('counts each of several wide lines as broken', async () => {
    expect(await load(wideLine(10_000).repeat(3))).toMatchObject({ rows: 400, broken: 3 })
  })

  it('refuses a file if a misplaced quote makes the reader lose the lines behind it', async () => {
    const behind = writeNppes(lines).split('\n').slice(1).join('\n')
    await expect(load(`"1999999999"x,"1"\n${behind}`)).rejects.toThrow('lines cannot be read: the file is damaged')
  })
})
