import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { noText } from '../../../../loader/collect/distinct/text-list.ts'
import { groupField, groupUses, tinField, tinSize } from '../../../../loader/collect/groups/group-fields.ts'
import { GroupStore } from '../../../../loader/collect/groups/group-store.ts'
import { MemberSort } from '../../../../loader/write/member-sort.ts'
import { at, uint32At } from '../../../../schema/at.ts'
import { seedsFrom } from '../../../builders/test-machine.ts'

interface AnyTin {
  readonly type: string
  readonly value: string
  readonly name: string | undefined
  readonly npis: readonly number[]
}

const anyNpi = fc.oneof(
  fc.constant(0),
  fc.integer({ min: 1_000_000_000, max: 1_000_000_009 }),
  fc.integer({ min: 1_000_000_000, max: 9_999_999_999 }),
)
const anyTin: fc.Arbitrary<AnyTin> = fc.record({
  type: fc.constantFrom('ein', 'npi', 'Steuernummer'),
  value: fc.stringMatching(/^[0-9]{1,12}$/),
  name: fc.option(fc.string({ unit: 'grapheme' }), { nil: undefined }),
  npis: fc.oneof(fc.array(anyNpi, { maxLength: 6 }), fc.array(anyNpi, { minLength: 40, maxLength: 80 })),
})
/** Groups, of which several recur, unchanged or with their TINs in reverse order. */
const anyGroups = fc
  .array(fc.array(anyTin, { maxLength: 4 }), { minLength: 1, maxLength: 12 })
  .chain((groups) => fc.array(fc.tuple(fc.constantFrom(...groups), fc.boolean()), { maxLength: 60 }))
  .map((picks) => picks.map(([tins, isTurned]) => (isTurned ? tins.toReversed() : tins)))

function addGroup(store: GroupStore, tins: readonly AnyTin[], keptNpis: ReadonlySet<number> | undefined) {
  for (const { type, value, name, npis } of tins) {
    for (const npi of npis) store.npis.push(npi)
    store.addTin(store.texts.add(type), store.texts.add(value), name === undefined ? noText : store.texts.add(name))
  }
  return store.endGroup(keptNpis)
}

const groupOf = (store: GroupStore, tin: number) => uint32At(store.tins.items, tin * tinSize + tinField.group)

/** Unites TINs that are listed several times: each has all its NPIs, at the place of the first. */
function unite(tins: readonly AnyTin[]): readonly AnyTin[] {
  const united = new Map<string, AnyTin>()
  for (const tin of tins) {
    if (tin.npis.length === 0) continue
    const key = JSON.stringify([tin.type, tin.value, tin.name?.toWellFormed() ?? null])
    united.set(key, { ...tin, npis: [...(united.get(key)?.npis ?? []), ...tin.npis] })
  }
  return [...united.values()]
}

/** Returns the rows of a group with its texts, in the order of its TINs. */
const describeGroup = (tins: readonly AnyTin[], keptNpis: ReadonlySet<number> | undefined) => {
  const npiCount = new Set(tins.flatMap(({ npis }) => npis).filter((npi) => npi !== 0)).size
  return unite(tins).flatMap(({ type, value, name, npis }) =>
    [...new Set(npis)]
      .toSorted((a, b) => a - b)
      .filter((npi) => keptNpis?.has(npi) ?? true)
      .map((npi) => JSON.stringify([npi, type, value, name?.toWellFormed() ?? null, npiCount])),
  )
}

/** Returns the rows of all groups by their numbers, as a writer reads them. */
function describeStored(store: GroupStore) {
  const groups = Array.from({ length: store.count }, (): string[] => [])
  const sort = new MemberSort()
  const rows = sort.sort(store)
  const textOf = (id: number | undefined) => (id === undefined || id === noText ? null : store.texts.at(id))
  for (let row = 0; row < rows; row++) {
    const tin = at(sort.tins, row)
    const group = groupOf(store, tin)
    const [type, value, name] = [tinField.type, tinField.value, tinField.name].map((field) =>
      textOf(store.tins.items[tin * tinSize + field]),
    )
    groups[group]?.push(JSON.stringify([sort.npis[row], type, value, name, store.of(group, groupField.npiCount)]))
  }
  return {
    groups,
    order: Array.from({ length: rows }, (_, row) => [sort.npis[row], groupOf(store, at(sort.tins, row))]),
  }
}

describe('a store of provider groups', () => {
  it('returns the rows of each group, and stores equal groups once, with any filter', () => {
    const anyKept = fc.option(
      fc.uniqueArray(anyNpi).map((npis) => new Set(npis)),
      { nil: undefined },
    )
    fc.assert(
      fc.property(anyGroups, anyKept, (groups, keptNpis) => {
        const store = new GroupStore(seedsFrom(1))
        const numbers = groups.map((tins) => addGroup(store, tins, keptNpis))
        for (let group = 0; group < store.count; group++) store.setUse(group, groupUses.used)
        const stored = describeStored(store).groups
        const expected = groups.map((tins) => describeGroup(tins, keptNpis))
        for (const [index, number] of numbers.entries()) {
          expect(number === undefined ? [] : stored[number]?.toSorted()).toEqual(expected[index]?.toSorted())
          if (number !== undefined) expect(store.rowsOf(number)).toBe(expected[index]?.length)
        }
        const distinct = new Set(expected.filter((rows) => rows.length > 0).map((rows) => rows.join()))
        expect(store.count).toBe(distinct.size)
      }),
      { numRuns: 300 },
    )
  })

  it('sorts its members by NPI and group, without unused groups', () => {
    fc.assert(
      fc.property(anyGroups, fc.nat(), (groups, unused) => {
        const store = new GroupStore(seedsFrom(1))
        for (const tins of groups) addGroup(store, tins, undefined)
        for (let group = 0; group < store.count; group++) store.setUse(group, group % 3 === unused % 3 ? 0 : 1)
        const { order } = describeStored(store)
        expect(order).toEqual(order.toSorted(([a = 0, b = 0], [c = 0, d = 0]) => a - c || b - d))
        expect(order.some(([, group = 0]) => group % 3 === unused % 3)).toBe(false)
      }),
    )
  })

  it('stores an equal group again after it forgets, and has no group after it is cleared', () => {
    const store = new GroupStore(seedsFrom(1))
    const tins = [{ type: 'ein', value: '012345678', name: 'Häfen & Söhne', npis: [1_000_000_001, 0] }]
    const numbers = [addGroup(store, tins, undefined), addGroup(store, tins, undefined)]
    store.forget()
    numbers.push(addGroup(store, tins, undefined))
    expect(numbers).toEqual([0, 0, 1])
    store.clear()
    expect([store.count, addGroup(store, tins, undefined), store.count]).toEqual([0, 0, 1])
  })

  it('drops the open group, and nothing else', () => {
    const store = new GroupStore(seedsFrom(1))
    const tins = [{ type: 'ein', value: '1', name: undefined, npis: [1_000_000_001] }]
    addGroup(store, tins, undefined)
    store.npis.push(1_000_000_002)
    store.addTin(store.texts.add('ein'), store.texts.add('2'))
    store.npis.push(1_000_000_003)
    store.dropOpen()
    expect([addGroup(store, tins, undefined), store.count, store.npis.length]).toEqual([0, 1, 1])
  })

  it('copies the TINs of a group of another store', () => {
    fc.assert(
      fc.property(anyGroups, (groups) => {
        const [one, other] = [new GroupStore(seedsFrom(1)), new GroupStore(seedsFrom(1))]
        for (const tins of groups) addGroup(one, tins, undefined)
        for (let group = 0; group < one.count; group++) {
          other.addTinsOf(one, group)
          expect(other.endGroup()).toBe(group)
        }
        for (const store of [one, other])
          for (let group = 0; group < store.count; group++) store.setUse(group, groupUses.used)
        expect(describeStored(other)).toEqual(describeStored(one))
      }),
    )
  })

  it('stores each of 10,000 NPIs of one TIN once', () => {
    const npis = Array.from({ length: 20_000 }, (_, index) => 1_000_000_000 + ((index * 7919) % 10_000))
    const store = new GroupStore(seedsFrom(1))
    expect(addGroup(store, [{ type: 'ein', value: '1', name: undefined, npis }], undefined)).toBe(0)
    expect([store.rowsOf(0), store.of(0, groupField.npiCount)]).toEqual([10_000, 10_000])
  })
})

it('weighs the lists of networks that references name', () => {
  const store = new GroupStore(seedsFrom(1))
  const names = Array.from({ length: 100 }, (_, index) => `a network of a long name ${index}`)
  for (const name of names) store.addNetworks({ names: [name, ...names], isKept: true })
  expect(store.weight).toBeGreaterThan(100 * names.join().length)
  store.clear()
  expect(store.weight).toBeLessThan(100)
})
