import { expect, it } from 'vitest'
import { ContentDrafts } from '../../../../loader/publish/catalogue/content-drafts.ts'
import type { ContentDraft } from '../../../../loader/publish/catalogue/write-contents.ts'
import { createMemoryContents } from '../../../doubles/memory-contents.ts'
import { newSource } from './catalogue-model.ts'

it('a content with a file that an earlier version read is not written', async () => {
  const contents = createMemoryContents()
  const now = () => new Date('2026-11-20T09:30:00Z')
  const name = { name: 'a.json', identity: 'a.json' }
  const { tableFiles: _, ...old } = { ...newSource('old'), ...name }
  const sources = [old, { ...newSource('new'), ...name }]
  await contents.putSources(sources, now())
  const drafts = new ContentDrafts(() => `content ${ids++}`)
  let ids = 0
  const plan = { payer: 'Acme', plan: 'Gold', planIds: [] }
  for (const source of sources) {
    const figures = { rates: 1, codes: 1, npis: 1 }
    drafts.add({ sourcesKey: source.sourceId, sources: [source], partial: false, figures }, plan)
  }
  const written: ContentDraft[] = []
  const lost = await drafts.write(async (whole) => void written.push(...whole), { contents, now })
  expect([...lost]).toEqual(['content 0'])
  expect(written.map(({ contentId }) => contentId)).toEqual(['content 1'])
})
