import { describe, expect, it } from 'vitest'
import { maxNamesOfPublisher, openCodeNameWriter } from '../../../core/vocabulary/code-name-writer.ts'
import { publisherKeyOf } from '../../../core/vocabulary/code-names.ts'
import { createMemoryCodeNames } from '../../doubles/vocabulary/memory-code-names.ts'

const newName = (code: string, name = 'Knee') => ({ type: 'CPT', code, name })

/** Opens writers over one store, which notes the number of names of each write. */
function openStore() {
  const codeNames = createMemoryCodeNames()
  const writes: number[] = []
  let ids = 0
  const store: typeof codeNames = {
    ...codeNames,
    addNames: (key, names, id) => {
      writes.push(names.length)
      return codeNames.addNames(key, names, id)
    },
  }
  return { store, writes, open: () => openCodeNameWriter(store, () => `${ids++}`) }
}

describe('a writer of names of codes', () => {
  it('adds a name once for a publisher, however many files and loads have it', async () => {
    const { open, writes } = openStore()
    const writer = open()
    await Promise.all([writer.add('A', [newName('1'), newName('2')]), writer.add('A', [newName('2'), newName('3')])])
    await open().add('A', [newName('1'), newName('3'), newName('4')])
    expect(writes).toEqual([2, 1, 1])
  })

  it('adds the names of each publisher apart', async () => {
    const { open, store } = openStore()
    const writer = open()
    await writer.add('A', [newName('1')])
    await writer.add('B', [newName('1')])
    for (const publisher of ['A', 'B']) expect(await store.readNamesOf(publisherKeyOf(publisher))).toHaveLength(1)
  })

  it('writes nothing for a file without names', async () => {
    const { open, writes } = openStore()
    await open().add('A', [])
    expect(writes).toEqual([])
  })

  it('stores no more names of a publisher than its maximum', async () => {
    const { open, writes } = openStore()
    const writer = open()
    await writer.add(
      'A',
      Array.from({ length: maxNamesOfPublisher - 1 }, (_, index) => newName(String(index))),
    )
    await writer.add('A', [newName('x'), newName('y')])
    await writer.add('A', [newName('z')])
    expect(writes).toEqual([maxNamesOfPublisher - 1, 1])
  })

  it('fails with the store, and lets no later file of the publisher pass', async () => {
    const { store, open } = openStore()
    const fail = () => Promise.reject(new Error('no table'))
    const writer = openCodeNameWriter({ ...store, addNames: fail }, () => '')
    await expect(writer.add('A', [newName('1')])).rejects.toThrow('no table')
    await expect(writer.add('A', [newName('2')])).rejects.toThrow('no table')
    await open().add('A', [newName('1')])
  })

  it('adds removed names again when a file has them', async () => {
    const { open, writes } = openStore()
    const writer = open()
    await writer.add('A', [newName('1')])
    await writer.remove()
    await writer.add('A', [newName('1')])
    expect(writes).toEqual([1, 1])
  })
})
