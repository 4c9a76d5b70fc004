import { expect, it } from 'vitest'
import { openDrafts } from '../../../core/switching/content-drafts.ts'
import { newEntry } from '../../builders/sample-search.ts'
import { newSource, openSwitching } from './open-switching.ts'

it('a content with a file that an earlier version read is not written', async () => {
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
    lost: [{ state: { contentId: 'id0' } }],
    usable: [{ state: { contentId: 'id1' } }],
  })
  expect([...switching.contents.contents.keys()]).toEqual(['id1'])
})
