import { expect, it } from 'vitest'
import { readListing, storeListing } from '../../../loader/fleet/stored-listing.ts'
import type { TableOfContents } from '../../../loader/plans/table-of-contents.ts'
import { createMemoryLoadWork } from '../../doubles/memory-load-work.ts'

const fileOf = (name: string) => ({
  identity: `https://rates.example/${name}.json`,
  location: `https://rates.example/${name}.json?Signature=${name}`,
})

async function storeAndRead(toc: TableOfContents): Promise<TableOfContents> {
  const work = createMemoryLoadWork()
  await storeListing('l1', toc, work, new Date('2026-11-20T09:30:00Z'))
  const listing = await readListing('l1', work)
  if (listing === undefined) throw new Error('the listing is missing')
  return listing
}

it('stores the plans, files and faults of a table of contents, and each shared list once', async () => {
  const shared = [fileOf('a'), fileOf('b')]
  const name = { payer: 'Blue\u2028Harbor\n"x"', plan: 'Gold' }
  const toc: TableOfContents = {
    entity: 'Blue Harbor Services',
    lastUpdatedOn: '2026-11-01',
    plans: [
      { ...name, planId: { type: 'ein', value: '012345678' }, files: shared, faults: [] },
      { ...name, planId: undefined, files: shared, faults: ['in_network_files[0].location is missing'] },
      { ...name, plan: 'Silver', planId: { type: 'id', value: 'X' }, files: [], faults: [] },
      { ...name, plan: 'Bronze', planId: undefined, files: [...shared.slice(1), fileOf('c')], faults: [] },
    ],
    quarantined: [
      { name: '(unnamed)', reason: 'reporting_structure[3] names no plan' },
      { name: 'Blue Harbor / Tin', reason: 'the name is too long', plan: { ...name, planId: undefined } },
    ],
    findings: [{ rule: 'csv', count: 7, examples: ['https://rates.example/a.csv'] }],
  }
  const listing = await storeAndRead(toc)
  expect(listing).toEqual(toc)
  expect(listing.plans[0]?.files).toBe(listing.plans[1]?.files)
  expect(listing.plans[3]?.files[0]).toBe(listing.plans[0]?.files[1])
})

it('stores an empty table of contents', async () => {
  const toc = { entity: undefined, lastUpdatedOn: undefined, plans: [], quarantined: [], findings: [] }
  expect(await storeAndRead(toc)).toEqual(toc)
})
