import { describe, expect, it } from 'vitest'
import { buildFile, buildItem, type Fields } from '../../builders/in-network-builder.ts'
import { createTestWarehouse, type TestWarehouse } from '../../builders/test-warehouse.ts'

const namesIn = (warehouse: TestWarehouse) =>
  warehouse.storedNames.lists.flatMap(({ names }) => names.map(({ type, code, name }) => `${type} ${code} ${name}`))

/** Loads a file with these items, and returns the names that the load has stored. */
async function loadItems(items: readonly Fields[], options: { readonly withoutDescriptions?: boolean } = {}) {
  await using warehouse = await createTestWarehouse()
  const path = await warehouse.write('rates.json', buildFile({ in_network: items }))
  await warehouse.load({ files: [path], ...options })
  return namesIn(warehouse)
}

describe('a load', () => {
  it.each<[string, Fields, readonly string[]]>([
    ['a name', { name: 'Knee  MRI ' }, ['CPT 99213 Knee MRI']],
    ['a description where there is no name', { name: '', description: 'A visit' }, ['CPT 99213 A visit']],
    ['a description where the name is the code', { name: '99213', description: 'A visit' }, ['CPT 99213 A visit']],
    ['nothing if neither says anything', { name: '99213', description: ' ' }, []],
    ['a code in its canonical form', { billing_code_type: 'rc', billing_code: '450' }, ['RC 0450 Visit']],
    ['a name of at most 200 characters', { name: `Visit ${'x'.repeat(300)}` }, [`CPT 99213 Visit ${'x'.repeat(194)}`]],
    ['nothing for all services', { billing_code_type: 'CSTM-ALL', billing_code: 'CSTM-ALL' }, []],
    ['nothing with control characters', { name: 'Bell \u0007', description: null }, []],
  ])('stores %s', async (_, fields, names) => {
    expect(await loadItems([buildItem(fields)])).toEqual(names)
  })

  it('stores the first name of a code in a file', async () => {
    const items = [{ name: '', description: '' }, { name: 'First' }, { name: 'Second' }].map((fields) =>
      buildItem(fields),
    )
    expect(await loadItems(items)).toEqual(['CPT 99213 First'])
  })

  it('stores no names without descriptions', async () => {
    expect(await loadItems([buildItem()], { withoutDescriptions: true })).toEqual([])
  })

  it('stores a name once, however often its file is loaded', async () => {
    await using warehouse = await createTestWarehouse()
    const path = await warehouse.write('rates.json', buildFile())
    await warehouse.load({ files: [path] })
    await warehouse.write('rates.json', buildFile({ last_updated_on: '2026-12-01' }))
    await warehouse.load({ files: [path] })
    expect(await namesIn(warehouse)).toEqual(['CPT 99213 Visit'])
  })

  it('stores nothing of a file whose plan cannot be loaded', async () => {
    await using warehouse = await createTestWarehouse()
    const location = 'https://files.example/groups.json'
    const path = await warehouse.write(
      'rates.json',
      buildFile({ provider_references: [{ provider_group_id: 1, location }] }),
    )
    await expect(warehouse.load({ files: [path] })).rejects.toThrow()
    expect(await warehouse.storedNames.readVersion()).toBe('')
    expect(warehouse.storedNames.namesOfSources.size).toBe(0)
  })

  it('stores names before the source, so that the load after a kill stores them', async () => {
    await using warehouse = await createTestWarehouse()
    const path = await warehouse.write('rates.json', buildFile())
    const fail = async () => {
      throw new Error('killed')
    }
    await expect(
      warehouse.load({ files: [path] }, { codeNames: { ...warehouse.codeNames, add: fail } }),
    ).rejects.toThrow('killed')
    expect(await warehouse.load({ files: [path] })).toMatchObject({ takenOver: 0 })
    expect(await namesIn(warehouse)).toEqual(['CPT 99213 Visit'])
  })

  it('stores the names that its workers read', async () => {
    await using warehouse = await createTestWarehouse()
    const files = await Promise.all(
      ['1', '2'].map((code) =>
        warehouse.write(`${code}.json`, buildFile({ in_network: [buildItem({ billing_code: `9921${code}` })] })),
      ),
    )
    await warehouse.load({ files }, { workers: 2 })
    expect((await namesIn(warehouse)).toSorted()).toEqual(['CPT 99211 Visit', 'CPT 99212 Visit'])
  })
})
