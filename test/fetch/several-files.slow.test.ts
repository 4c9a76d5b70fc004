import { readdir, readFile, readlink, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { openPublishedBytes } from '../../fetch/published-bytes.ts'
import { buildFile, buildItem } from '../builders/in-network-builder.ts'
import { buildPlan, buildTableOfContents } from '../builders/table-of-contents-builder.ts'
import { createTestWarehouse, type TestWarehouse } from '../builders/test-warehouse.ts'
import { zip } from './zip-builder.ts'

/** Builds a file with one NPI in provider group 1. */
function buildRates(code: string, npi: number, plan = 'Gold') {
  const group = { provider_groups: [{ npi: [npi], tin: { type: 'ein', value: '123456789' } }] }
  return buildFile({
    plan_name: plan,
    provider_references: [{ provider_group_id: 1, ...group }],
    in_network: [buildItem({ billing_code: code, references: [1] })],
  })
}

const toBytes = (content: object) => Buffer.from(JSON.stringify(content))
const east = toBytes(buildRates('99213', 1000000001))
const west = toBytes(buildRates('99214', 1000000002))
const names = ['east/rates.json', 'west #1 rates.json']

async function readCodes(warehouse: TestWarehouse) {
  const rows = await warehouse.readRates()
  return rows.map((row) => [row['plan'], row['billing_code'], row['npi'], row['source_file']])
}

describe('a local zip of several rate files', () => {
  it('loads as several files, each with its own ids of provider groups', async () => {
    await using warehouse = await createTestWarehouse()
    const path = await warehouse.write('rates.zip', zip([east, west], { names }))
    const { files } = await warehouse.load({ files: [path] })
    expect(files.map(({ file, rates }) => [file, rates])).toEqual([
      [`${path}#east%2Frates.json`, 1],
      [`${path}#west%20%231%20rates.json`, 1],
    ])
    expect(await readCodes(warehouse)).toEqual([
      ['Gold', '99213', '1000000001', 'rates.zip#east/rates.json'],
      ['Gold', '99214', '1000000002', 'rates.zip#west #1 rates.json'],
    ])
  })

  it('loads entries of any packing, and counts skipped entries once', async () => {
    await using warehouse = await createTestWarehouse()
    const contents = [Buffer.from('Read me'), gzipSync(east), west, zip([toBytes(buildRates('99215', 1000000003))])]
    const entryNames = ['README.txt', 'east.json.gz', 'west.json', 'north.zip']
    for (const follows of [false, true]) {
      const path = await warehouse.write(`${follows}.zip`, zip(contents, { names: entryNames, follows }))
      const { files } = await warehouse.load({ files: [path], replace: true })
      expect(files.map(({ findings }) => findings.map(({ rule, count }) => [rule, count]))).toEqual([
        [
          ['zip-other', 1],
          ['zip-in-zip', 1],
        ],
        [],
        [['zip-in-zip', 1]],
      ])
    }
  })

  it('loads in the form of archives of more than 4 GB', async () => {
    await using warehouse = await createTestWarehouse()
    // Python's zipfile 3.11 wrote it with ZIP64_LIMIT = 100 and ZIP_FILECOUNT_LIMIT = 1.
    const content = await readFile(new URL('zip64.zip', import.meta.url))
    const { files } = await warehouse.load({ files: [await warehouse.write('rates.zip', content)] })
    expect(files.map(({ name, rates }) => [name, rates])).toEqual([
      ['rates.zip#99213.json', 1],
      ['rates.zip#99214.json', 1],
    ])
  })

  it('serves all of its files to each plan that lists it', async () => {
    await using warehouse = await createTestWarehouse()
    const address = 'https://rates.example/rates.zip'
    const content = buildTableOfContents(
      { plans: [buildPlan('Gold'), buildPlan('Silver')], files: [`${address}?Signature=a`] },
      { plans: [buildPlan('Bronze')], files: ['https://rates.example/own.json'] },
    )
    const toc = await warehouse.write('toc.json', content)
    await warehouse.write('rates.zip', zip([east, west], { names }))
    await warehouse.write('own.json', buildRates('99215', 1000000003))
    const { files } = await warehouse.load({ files: [], toc }, { workers: 2 })
    expect(files).toHaveLength(3)
    expect((await readCodes(warehouse)).map(([plan, code]) => `${plan} ${code}`).sort()).toEqual([
      'Bronze 99215',
      'Gold 99213',
      'Gold 99214',
      'Silver 99213',
      'Silver 99214',
    ])
  })

  it('loads only once while it is unchanged, and --add replaces all of its files', async () => {
    await using warehouse = await createTestWarehouse()
    const path = await warehouse.write('rates.zip', zip([east, west], { names }))
    await warehouse.load({ files: [path] })
    const again = await warehouse.load({ files: [path] })
    expect([again.files.length, again.takenOver]).toEqual([0, 2])
    await warehouse.write('rates.zip', zip([toBytes(buildRates('99215', 1000000003))], { names: ['north.json'] }))
    await warehouse.load({ files: [path], add: true, replace: true })
    expect((await readCodes(warehouse)).map(([, code]) => code)).toEqual(['99215'])
  })

  it.each([
    ['is cut short', zip([east, west]).subarray(0, -30), 'several rate files'],
    ['lists a name twice', zip([east, west], { names: ['a.json', 'a.json'] }), 'several rate files'],
    [
      'lists a name twice beside another',
      zip([east, west, east], { names: ['a.json', 'a.json', 'b.json'] }),
      'is twice',
    ],
    ['lists two entries at one place', zip([east, west], { offsets: [0, 0] }), 'in common with another entry'],
    ['lists an entry within another', zip([east, west], { offsets: [0, 60] }), /cannot be unpacked|does not end/],
    ['lists an entry beyond its end', zip([east, west], { offsets: [0, 1 << 30] }), /does not end|several/],
    ['has another checksum', zip([east, west], { checksum: () => 7 }), 'another checksum'],
    ['has a password', zip([east, west], { password: true }), 'with a password'],
    ['has a bomb', zip([Buffer.alloc(101_000_000, ' '), west]), 'more than 200 times its size'],
  ])('fails if it %s', async (_title, content, fault) => {
    await using warehouse = await createTestWarehouse()
    const files = [await warehouse.write('rates.zip', content)]
    await expect(warehouse.load({ files })).rejects.toThrow(fault)
    expect(warehouse.catalogue.entries.size).toBe(0)
  })

  it.runIf(process.platform === 'linux')('closes when no more of an entry is read', async () => {
    await using warehouse = await createTestWarehouse()
    const path = await warehouse.write('rates.zip', zip([Buffer.alloc(4_000_000, ' '), west], { stored: true }))
    const listOpen = async () => {
      const links = await readdir('/proc/self/fd')
      return Promise.all(links.map((link) => readlink(`/proc/self/fd/${link}`).catch(() => '')))
    }
    {
      await using entry = await openPublishedBytes(`${path}#a.json`)
      await entry.chunks.next()
      expect(await listOpen()).toContain(path)
    }
    await expect.poll(listOpen).not.toContain(path)
  })

  it('writes no file by the name of an entry', async () => {
    await using warehouse = await createTestWarehouse()
    const path = await warehouse.write('in/rates.zip', zip([east, west], { names: ['../../evil.json', '/evil.json'] }))
    const { files } = await warehouse.load({ files: [path] })
    expect(files.map(({ name }) => name)).toEqual(['rates.zip#../../evil.json', 'rates.zip#/evil.json'])
    await expect(rm(join(dirname(path), '..', '..', 'evil.json'))).rejects.toThrow('ENOENT')
  })
})

describe('a zip of several rate files within another', () => {
  it('fails with an explanation', async () => {
    await using warehouse = await createTestWarehouse()
    const path = await warehouse.write('rates.zip', zip([zip([east, west])]))
    await expect(warehouse.load({ files: [path] })).rejects.toThrow('is a zip archive of several rate files')
  })
})
