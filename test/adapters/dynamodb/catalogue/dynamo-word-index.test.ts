import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { createDynamoCatalogue } from '../../../../adapters/dynamodb/catalogue/dynamo-catalogue.ts'
import { connectDynamo } from '../../../../adapters/dynamodb/dynamo-client.ts'
import type { Posting } from '../../../../core/catalogue/posting.ts'
import { newEntry } from '../../../builders/sample-search.ts'
import { createMemoryCatalogue } from '../../../doubles/memory-catalogue.ts'
import { connectEndpoints } from '../../../endpoints/connect.ts'

const { tables } = connectEndpoints()
/** The adapter, and its double in tests of the core and the loader. */
const catalogues = {
  DynamoDB: createDynamoCatalogue(connectDynamo(), tables.catalogue, tables.contents),
  memory: createMemoryCatalogue(),
}

const at = new Date('2026-11-20T09:30:00.000Z')
const newId = () => randomUUID().replaceAll('-', '').slice(0, 20)

describe.each(Object.entries(catalogues))('the index of a catalogue in %s', (_, catalogue) => {
  /** Finds the postings of a payer that no other test uses. */
  const findOf = async (payer: string, start: string): Promise<readonly Posting[]> =>
    (await catalogue.findPostings(start))
      .filter((each) => each.payer === payer)
      .toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))

  it('leads from the beginning of a key to payers, names and variants, until its segment is removed', async () => {
    const [payer, segmentId] = [`Payer ${randomUUID()}`, newId()]
    const posting = (key: string, name = '', variant = '') => ({ key, payer, name, variant })
    const [payerPosting, namePosting, idPosting] = [
      posting('blue'),
      posting('bluegold', 'Gold "Ü" %'),
      posting('b', 'PPO', 'PPO (EIN 123456789)'),
    ]
    const otherPostings = [posting('äther', 'x'), posting('=group', 'x'), posting('𝒳y', 'x')]
    await catalogue.addPostings({ segmentId, createdAt: at }, [namePosting, payerPosting, idPosting, ...otherPostings])
    expect(await findOf(payer, 'blue')).toEqual([payerPosting, namePosting])
    expect(await findOf(payer, 'b')).toEqual([idPosting, payerPosting, namePosting])
    expect(await findOf(payer, 'blueg')).toEqual([namePosting])
    for (const other of otherPostings) expect(await findOf(payer, other.key)).toEqual([other])
    expect(await findOf(payer, 'blueh')).toEqual([])
    expect(await catalogue.listSegments()).toContainEqual({ segmentId, createdAt: at })
    await catalogue.removeSegment(segmentId)
    await catalogue.removeSegment(segmentId)
    for (const start of ['b', 'ä', '=']) expect(await findOf(payer, start)).toEqual([])
    expect(await catalogue.listSegments()).not.toContainEqual({ segmentId, createdAt: at })
  })

  it('returns the postings of whole keys, wherever they are stored', async () => {
    const payer = `Payer ${randomUUID()}`
    const posting = (key: string) => ({ key, payer, name: 'PPO', variant: `PPO (${key})` })
    const [one, sibling, longer, other, short] = ['123456789', '123400000', '1234567890', '998', '7'].map(posting)
    if (!one || !sibling || !longer || !other || !short) throw new TypeError('five postings')
    await catalogue.addPostings({ segmentId: newId(), createdAt: at }, [one, sibling, longer])
    await catalogue.addPostings({ segmentId: newId(), createdAt: at }, [other, short])
    const keys = [one.key, sibling.key, other.key, short.key, '000', one.key]
    const postings = (await catalogue.findPostingsOf(keys)).filter((each) => each.payer === payer)
    expect(postings.toSorted((a, b) => (a.key < b.key ? -1 : 1))).toEqual([sibling, one, short, other])
    expect(await catalogue.findPostingsOf([])).toEqual([])
  })

  it('returns only postings that fit the filter, up to the limit', async () => {
    const payer = `Payer ${randomUUID()}`
    const postings = ['A', 'B', 'C'].map((name) => ({ key: 'gold', payer, name, variant: '' }))
    await catalogue.addPostings({ segmentId: newId(), createdAt: at }, postings)
    const isKept = (posting: Posting) => posting.payer === payer && posting.name !== 'A'
    expect(await catalogue.findPostings('gold', { isKept, limit: 3 })).toHaveLength(2)
    expect(await catalogue.findPostings('gold', { isKept, limit: 1 })).toHaveLength(1)
  })

  it('holds several segments, and any number of postings of one key', async () => {
    const payer = `Payer ${randomUUID()}`
    const postings = Array.from({ length: 9000 }, (_, index) => ({
      key: 'gold',
      payer,
      name: `Gold ${randomUUID()}`,
      variant: index % 2 === 0 ? '' : 'set below',
    })).map((each) => ({ ...each, variant: each.variant === '' ? '' : `${each.name} (EIN 1)` }))
    await catalogue.addPostings({ segmentId: newId(), createdAt: at }, postings.slice(0, 8000))
    await catalogue.addPostings({ segmentId: newId(), createdAt: at }, postings.slice(8000))
    const matches = await findOf(payer, 'go')
    expect(new Set(matches.map((each) => JSON.stringify(each)))).toEqual(
      new Set(postings.map((each) => JSON.stringify(each))),
    )
  })

  it('stays out of lists of fee schedules', async () => {
    const entry = newEntry({ payer: `Payer ${randomUUID()}` })
    const payer = `Payer ${randomUUID()}`
    await catalogue.addPostings({ segmentId: newId(), createdAt: at }, [{ key: 'x', payer, name: '', variant: '' }])
    await catalogue.replace(entry, undefined)
    let after: { readonly payer: string; readonly plan: string } | undefined
    const listedPayers: string[] = []
    do {
      const page = await catalogue.list({ limit: 3, ...(after && { after }) })
      listedPayers.push(...page.items.map(({ payer }) => payer))
      after = page.next
    } while (after !== undefined)
    expect(listedPayers).toContain(entry.payer)
    expect(listedPayers).not.toContain(payer)
  })

  it('counts as whole only once a whole segment is written', async () => {
    const emptyCatalogue = createMemoryCatalogue()
    const unindexed = catalogue === catalogues.memory ? emptyCatalogue : catalogue
    if (unindexed === emptyCatalogue) expect(await emptyCatalogue.isIndexed()).toBe(false)
    await unindexed.addPostings({ segmentId: newId(), createdAt: at }, [], 'whole')
    expect(await unindexed.isIndexed()).toBe(true)
  })
})
