import { expect, it } from 'vitest'
import { openDrafts } from '../../../core/switching/content-drafts.ts'
import { newEntry } from '../../builders/sample-search.ts'
import { createTestWarehouse } from '../../builders/test-warehouse.ts'
import { newSource } from './catalogue-model.ts'

it('a content with a file that an earlier version read is not written', async () => {
  await using opened = await createTestWarehouse()
  const { catalogue, contents, folder: warehouse } = opened
  const now = () => new Date('2026-11-20T09:30:00Z')
  const name = { name: 'a.json', identity: 'a.json' }
  const { tableFiles: _, ...old } = { ...newSource('old'), ...name }
  const sources = [old, { ...newSource('new'), ...name }]
  await contents.putSources(sources, now())
  let ids = 0
  const newId = () => `content${ids++}`
  const drafts = openDrafts('load', { warehouse, catalogue, contents, newId, now })
  const plan = { payer: 'Acme', plan: 'Gold', planIds: [] }
  const targets = sources.map((source) => {
    const figures = { rates: 1, codes: 1, npis: 1 }
    const set = { sourcesKey: source.sourceId, sources: [source], partial: false, figures }
    return newEntry({ ...plan, contentId: drafts.add(set, plan) })
  })
  expect(await drafts.write(targets)).toMatchObject({
    lost: [{ state: { contentId: 'content0' } }],
    usable: [{ state: { contentId: 'content1' } }],
  })
  expect([...contents.contents.keys()]).toEqual(['content1'])
})
