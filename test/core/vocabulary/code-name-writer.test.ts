import { describe, expect, it } from 'vitest'
import { maxNamesOfPayer, openCodeNameWriter } from '../../../core/vocabulary/code-name-writer.ts'
import { payerKeyOf } from '../../../core/vocabulary/code-names.ts'
import { createMemoryCodeNames } from '../../doubles/vocabulary/memory-code-names.ts'

const newName = (code: string, name = 'Knee') => ({ type: 'CPT', code, name })
const newSource = (sourceId: string, reportingEntityName = 'Publisher') => ({ sourceId, reportingEntityName })
const day = (date: number) => new Date(Date.UTC(2026, 10, date))

/** Opens writers over one store, whose clock `setDay` sets. */
function openStore() {
  const store = createMemoryCodeNames()
  let [ids, now] = [0, day(1)]
  const writer = openCodeNameWriter(
    store,
    () => `id${ids++}`,
    () => now,
  )
  const listCodes = (payer: string) =>
    store.lists
      .filter(({ payerKey }) => payerKey === payerKeyOf(payer))
      .flatMap(({ names }) => names.map(({ code }) => code))
  const setDay = (date: number) => {
    now = day(date)
  }
  return { store, writer, listCodes, setDay }
}

describe('a writer of names of codes', () => {
  it('shows the names of sources once they are published, each once for a payer', async () => {
    const { writer, store, listCodes } = openStore()
    await writer.add('s1', [newName('1'), newName('2')])
    await writer.add('s2', [newName('2'), newName('3')])
    expect(store.lists).toEqual([])
    const [first, second] = [newSource('s1'), newSource('s2')]
    await writer.publish([{ payer: 'A', sources: [first] }])
    await writer.publish([
      { payer: 'A', sources: [first, second] },
      { payer: 'B', sources: [second] },
    ])
    expect([listCodes('A'), listCodes('B')]).toEqual([
      ['1', '2', '3'],
      ['2', '3'],
    ])
  })

  it('writes nothing if the sources of a load are published or have no names', async () => {
    const { writer, store } = openStore()
    await writer.add('s1', [newName('1')])
    await writer.add('s2', [])
    const plans = [{ payer: 'A', sources: [newSource('s1'), newSource('s2')] }]
    await writer.publish(plans)
    const [version, lists] = [await store.readVersion(), [...store.lists]]
    await writer.publish(plans)
    await writer.publish([{ payer: 'B', sources: [newSource('s2')] }])
    expect([await store.readVersion(), store.lists]).toEqual([version, lists])
  })

  it('stores no more names of a payer than its maximum', async () => {
    const { writer, listCodes } = openStore()
    await writer.add(
      's1',
      Array.from({ length: maxNamesOfPayer - 1 }, (_, index) => newName(String(index))),
    )
    await writer.add('s2', [newName('x'), newName('y')])
    await writer.publish([{ payer: 'A', sources: [newSource('s1'), newSource('s2')] }])
    expect(listCodes('A')).toHaveLength(maxNamesOfPayer)
    expect(listCodes('A').at(-1)).toBe('x')
  })

  it('removes names with the last source that has them, a day after they were published', async () => {
    const { writer, listCodes, setDay } = openStore()
    await writer.add('bad', [newName('1', 'Wrong'), newName('2')])
    await writer.add('good', [newName('1', 'Right'), newName('2')])
    await writer.publish([{ payer: 'A', sources: [newSource('bad')] }])
    setDay(3)
    await writer.publish([{ payer: 'A', sources: [newSource('good')] }])
    setDay(5)
    await writer.clean([{ payer: 'A', sources: [newSource('good')] }], day(4))
    expect(listCodes('A')).toEqual(['1', '2'])
    await writer.clean([], day(6))
    expect(listCodes('A')).toEqual([])
  })

  it('leaves names of a load that has not switched yet', async () => {
    const { writer, listCodes } = openStore()
    await writer.add('s1', [newName('1')])
    await writer.publish([{ payer: 'A', sources: [newSource('s1')] }])
    await writer.clean([], day(0))
    expect(listCodes('A')).toEqual(['1'])
  })

  it('changes nothing at a clean if each payer has one list of its sources', async () => {
    const { writer, store, setDay } = openStore()
    const plans = [{ payer: 'A', sources: [newSource('s1')] }]
    await writer.add('s1', [newName('1')])
    await writer.publish(plans)
    setDay(9)
    const version = await store.readVersion()
    await writer.clean(plans, day(8))
    expect([await store.readVersion(), store.lists]).toMatchObject([version, [{ id: 'id0' }]])
  })

  it('removes all names', async () => {
    const { writer, store } = openStore()
    await writer.add('s1', [newName('1')])
    const plans = [{ payer: 'A', sources: [newSource('s1')] }]
    await writer.publish(plans)
    const version = await store.readVersion()
    await writer.remove()
    await writer.publish(plans)
    await writer.clean(plans, day(9))
    expect(store.lists).toEqual([])
    expect(await store.readVersion()).not.toBe(version)
  })
})
