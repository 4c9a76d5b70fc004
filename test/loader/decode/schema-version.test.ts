import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { buildFile } from '../../builders/in-network-builder.ts'
import { buildPlan, buildTableOfContents } from '../../builders/table-of-contents-builder.ts'
import { createTestWarehouse } from '../../builders/test-warehouse.ts'

const stating = (version: unknown) => JSON.stringify({ ...buildFile(), version })

const fault =
  'states schema version 3.0.0, but only versions up to 2 are known: if it reads like one, load it with --assume-version 2'

describe('a load of a file with an unknown schema version', () => {
  it.each([
    ['plain', (text: string) => text],
    ['gzip', (text: string) => gzipSync(text)],
  ])('refuses it with the version (%s)', async (_title, pack) => {
    await using warehouse = await createTestWarehouse()
    const files = [await warehouse.write('rates', pack(stating('3.0.0')))]
    await expect(warehouse.load({ files })).rejects.toThrow(fault)
  })

  it('refuses it even if the version comes after the rates', async () => {
    await using warehouse = await createTestWarehouse()
    const { version: _, ...others } = buildFile()
    const files = [await warehouse.write('rates.json', { ...others, version: '3.0.0' })]
    await expect(warehouse.load({ files })).rejects.toThrow(fault)
  })

  it('reads it with --assume-version, and counts it', async () => {
    await using warehouse = await createTestWarehouse()
    const files = [await warehouse.write('rates.json', stating('3.0.0'))]
    const report = await warehouse.load({ files, assumeVersion: 2 })
    expect(report.files).toMatchObject([
      { rates: 1, findings: [{ rule: 'assumed-version', count: 1, examples: ['version'] }] },
    ])
  })

  it('refuses it without --assume-version, even after a load with it', async () => {
    await using warehouse = await createTestWarehouse()
    const files = [await warehouse.write('rates.json', stating('3.0.0'))]
    await warehouse.load({ files, assumeVersion: 2 })
    expect(await warehouse.load({ files, assumeVersion: 2 })).toMatchObject({ takenOver: 1 })
    await expect(warehouse.load({ files })).rejects.toThrow(fault)
  })

  it('refuses a table of contents in the same way', async () => {
    await using warehouse = await createTestWarehouse()
    await warehouse.write('rates.json', buildFile())
    const contents = buildTableOfContents({ plans: [buildPlan('Harbor')], files: ['https://rates.example/rates.json'] })
    const toc = await warehouse.write('index.json', { ...contents, version: 'v3.0' })
    await expect(warehouse.load({ toc, files: [] })).rejects.toThrow('states schema version v3.0')
    expect(await warehouse.load({ toc, files: [], assumeVersion: 2 })).toMatchObject({ files: [{ rates: 1 }] })
  })

  it.each([3, '10.1', 'v3', ' 3.0'])('refuses the version %j', async (version) => {
    await using warehouse = await createTestWarehouse()
    const files = [await warehouse.write('rates.json', stating(version))]
    await expect(warehouse.load({ files })).rejects.toThrow('states schema version')
  })
})

it.each(['2.0.0', '1.3.1', 'v2', '', null, 2, 'latest', {}, '2024-07-01', '20220701', 2024, '10-01-2024'])(
  'reads a file that states version %j',
  async (version) => {
    await using warehouse = await createTestWarehouse()
    const files = [await warehouse.write('rates.json', stating(version))]
    expect(await warehouse.load({ files })).toMatchObject({ files: [{ rates: 1, findings: [] }] })
  },
)

it('counts unknown fields of the root by name, and no known ones', async () => {
  await using warehouse = await createTestWarehouse()
  const fields = { network_id: 7, plan_sponsor_name: 'Pier Works', product_type: 'PPO', threshold: { in_network: [] } }
  const files = [await warehouse.write('rates.json', buildFile(fields))]
  expect(await warehouse.load({ files })).toMatchObject({
    files: [{ rates: 1, findings: [{ rule: 'unknown-field', count: 2, examples: ['network_id', 'threshold'] }] }],
  })
})
