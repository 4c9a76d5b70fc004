import { expect, it } from 'vitest'
import { openDrafts } from '../../../core/switching/content-drafts.ts'
import { bucketOf, contentTable } from '../../../schema/columns/warehouse-tables.ts'
import { newEntry } from '../../builders/sample-search.ts'
import { newSource, openSwitching } from './open-switching.ts'

it('leaves out a content with a file that an earlier version read', async () => {
  const switching = openSwitching()
  const { tableFiles: _, ...old } = newSource('old')
  const sources = [old, newSource('new')]
  await switching.contents.putSources(sources, switching.now())
  const drafts = openDrafts('load', switching)
  const plan = { payer: 'Acme', plan: 'Gold', planIds: [] }
  const targets = sources.map((source) => {
    const figures = { rates: 1, codes: 1, npis: 1 }
    const set = { sourcesKey: source.sourceId, sources: [source], partial: false, figures }
    return newEntry({ ...plan, contentId: drafts.add(set, plan) })
  })
  expect(await drafts.write(targets)).toMatchObject({
    lost: [{ state: { contentId: expect.stringMatching(/id0$/) } }],
    usable: [{ state: { contentId: expect.stringMatching(/id1$/) } }],
  })
  expect([...switching.contents.contents.keys()]).toEqual([expect.stringMatching(/id1$/)])
})

it.each([
  [true, true],
  [false, undefined],
])('notes in a content if descriptions were left out of any of its files: %s', async (isWithout, expected) => {
  const switching = openSwitching()
  const sources = [newSource('one'), { ...newSource('other'), ...(isWithout && { withoutDescriptions: true }) }]
  await switching.contents.putSources(sources, switching.now())
  const drafts = openDrafts('load', switching)
  const set = { sourcesKey: 'key', sources, partial: false, figures: { rates: 1, codes: 1, npis: 1 } }
  const contentId = drafts.add(set, { payer: 'Acme', plan: 'Gold', planIds: [] })
  await drafts.write([])
  expect(switching.contents.contents.get(contentId)?.withoutDescriptions).toBe(expected)
})

it("records the size of the content's file, which every search of it reads", async () => {
  const switching = openSwitching()
  const sources = [newSource('one')]
  await switching.contents.putSources(sources, switching.now())
  const drafts = openDrafts('load', switching)
  const set = { sourcesKey: 'key', sources, partial: false, figures: { rates: 1, codes: 1, npis: 1 } }
  const contentId = drafts.add(set, { payer: 'Acme', plan: 'Gold', planIds: [] })
  await drafts.write([])
  const stored = (await switching.warehouse.list()).find(({ id }) => id === contentId)
  expect(switching.contents.contents.get(contentId)?.tableBytes).toBe(stored?.bytes)
  expect(stored?.bytes).toBeGreaterThan(0)
})

it('leaves out a content if one of its files has been removed', async () => {
  const switching = openSwitching()
  const sources = [newSource('kept'), newSource('removed')]
  await switching.contents.putSources(sources.slice(0, 1), switching.now())
  const drafts = openDrafts('load', switching)
  const plan = { payer: 'Acme', plan: 'Gold', planIds: [] }
  const set = { sourcesKey: 'key', sources, partial: false, figures: { rates: 1, codes: 1, npis: 1 } }
  const target = newEntry({ ...plan, contentId: drafts.add(set, plan) })
  expect(await drafts.write([target])).toEqual({ usable: [], lost: [target] })
  expect(switching.contents.contents.size).toBe(0)
})

it('puts a thousand consecutive contents of a load into one folder, and again if the load is resumed', () => {
  const switching = openSwitching()
  const draft = (count: number) => {
    const drafts = openDrafts('load', switching)
    return Array.from({ length: count }, (_, index) => {
      const set = { sourcesKey: `${index}`, sources: [], partial: false, figures: { rates: 1, codes: 1, npis: 1 } }
      return drafts.add(set, { payer: 'Acme', plan: `Plan ${index}`, planIds: [] })
    })
  }
  const foldersOf = (ids: readonly string[]) => new Set(ids.map((id) => bucketOf(contentTable, id)))
  const [first, resumed] = [draft(2_000), draft(1_000)]
  expect(new Set([...first, ...resumed]).size).toBe(3_000)
  expect(foldersOf(first.slice(0, 1_000)).size).toBe(1)
  expect(foldersOf(first).size).toBe(2)
  expect(foldersOf(resumed)).toEqual(foldersOf(first.slice(0, 1_000)))
})
