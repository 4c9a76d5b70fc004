import { describe, expect, it } from 'vitest'
import { NumberPool } from '../../../loader/collect/distinct/number-pool.ts'
import { noText } from '../../../loader/collect/distinct/text-list.ts'
import { TextPool } from '../../../loader/collect/distinct/text-pool.ts'
import { GroupStore } from '../../../loader/collect/groups/group-store.ts'
import { createHashKey, HashedWords, hashBytes } from '../../../loader/decode/keyed-hash.ts'
import { seedsFrom } from '../../builders/test-machine.ts'
import { collide, collidingNumbers, collidingTexts, leakedSeed, textsOfOneFnvHash } from './collisions.ts'

const otherSeed = 8

/** Average number of probes of an entry that does not collide, and maximum number that a crowded table may add. */
const [fewProbes, mostRehashed] = [4, 20]

interface Table<Value> {
  readonly probes: number
  add(value: Value): unknown
}

/** Returns the average number of slots that are examined for a value. */
function probesPerValue<Value>(table: Table<Value>, values: readonly Value[]): number {
  for (const value of values) table.add(value)
  return table.probes / values.length
}

const poolOf = (seed: number): Table<string> => new TextPool(seedsFrom(seed))
const numbersOf = (seed: number): Table<number> => new NumberPool(seedsFrom(seed))

interface AnyGroup {
  readonly value: string
  readonly name?: string
  readonly npis: readonly number[]
}

function storeOf(seed: number): Table<AnyGroup> & { readonly store: GroupStore } {
  const store = new GroupStore(seedsFrom(seed))
  return {
    store,
    get probes() {
      return store.probes
    },
    add({ value, name, npis }) {
      for (const npi of npis) store.npis.push(npi)
      const { texts } = store
      store.addTin(texts.add('ein'), texts.add(value), name === undefined ? noText : texts.add(name))
      return store.endGroup()
    },
  }
}

describe('the keyed hash', () => {
  it('equals HalfSipHash-1-3', () => {
    // The vectors of Linux (siphash_kunit.c) for a key and texts of the bytes 0, 1, 2, and so on.
    const bytes = Buffer.from([0, 1, 2, 3, 4, 5, 6, 7])
    const key = { low: 0x03_02_01_00, high: 0x07_06_05_04 }
    expect(Array.from(bytes, (_, length) => hashBytes(bytes, 0, length, key))).toEqual([
      0x58_14_c8_96, 0xe7_e8_64_ca, 0xbc_4b_0e_30, 0x01_53_99_39, 0x7e_05_9e_a6, 0x88_e3_d8_9b, 0xa0_08_0b_65,
      0x9d_38_d9_d6,
    ])
  })

  it('depends on every bit of a number of 32 bits', () => {
    const key = createHashKey(seedsFrom(1))
    const hashOf = (number: number) => {
      const words = new HashedWords()
      words.add(number)
      return words.hash(key)
    }
    const hashes = Array.from({ length: 32 }, (_, bit) => hashOf(2 ** bit))
    expect(new Set([...hashes, hashOf(0)]).size).toBe(33)
  })
})

describe('texts that collide in another process', () => {
  const texts = collidingTexts(2000)

  it('share a slot there', () => {
    const key = createHashKey(seedsFrom(leakedSeed))
    const slots = texts.map((text) => hashBytes(Buffer.from(text), 0, text.length, key) % 512)
    expect(new Set(slots).size).toBe(1)
  })

  it('do not collide in this one', () => {
    expect(probesPerValue(poolOf(otherSeed), texts)).toBeLessThan(fewProbes)
  })

  it('get other hashes in a process whose seeds have leaked', () => {
    const half = probesPerValue(poolOf(leakedSeed), texts.slice(0, 1000))
    const whole = probesPerValue(poolOf(leakedSeed), texts)
    expect(half).toBeGreaterThan(fewProbes)
    expect(whole).toBeLessThan(mostRehashed + half)
    expect(whole).toBeLessThan(mostRehashed * fewProbes)
  })

  it('keep their numbers when they get other hashes', () => {
    const pool = new TextPool(seedsFrom(leakedSeed))
    expect(texts.map((text) => pool.add(text))).toEqual([...texts.keys()])
    expect(texts.map((text) => pool.add(text))).toEqual([...texts.keys()])
    expect(texts.map((_, number) => pool.at(number))).toEqual(texts)
  })
})

it('gives texts that collide by FNV-1a different hashes', () => {
  const texts = textsOfOneFnvHash(9)
  expect(new Set(texts).size).toBe(512)
  expect(probesPerValue(poolOf(otherSeed), texts)).toBeLessThan(fewProbes)
})

describe('provider groups', () => {
  const group = (number: number): AnyGroup => ({ value: '1', npis: [1_000_000_000 + number] })

  it('do not collide in this process if they collide in one whose seeds have leaked', () => {
    const leaked = storeOf(leakedSeed)
    leaked.add({ value: '1', npis: [0] })
    const groups = [...collide(group, (each) => hashOfGroup(leaked.store, each), 9).take(1000)]
    expect(probesPerValue(storeOf(otherSeed), groups)).toBeLessThan(3 * fewProbes)
    const rehashed = probesPerValue(storeOf(leakedSeed), groups)
    expect(rehashed).toBeGreaterThan(3 * fewProbes)
    expect(rehashed).toBeLessThan(mostRehashed * fewProbes)
  })

  it.each<readonly [string, (number: number) => AnyGroup]>([
    ['names of one TIN', (number) => ({ value: '1', name: `name ${number}`, npis: [1_000_000_000] })],
    ['values of TINs', (number) => ({ value: String(number), npis: [1_000_000_000] })],
    [
      'the highest bits of their NPIs',
      // Only the bits above the lowest 32 differ.
      (number) => ({
        value: '1',
        npis: Array.from({ length: 11 }, (_, bit) => 1_000_000_000 + bit + ((number >> bit) & 1) * 2 ** 32),
      }),
    ],
  ])('do not collide if they differ only in %s', (_, groupOf) => {
    const table = storeOf(otherSeed)
    const groups = Array.from({ length: 2048 }, (_each, number) => groupOf(number))
    expect(probesPerValue(table, groups)).toBeLessThan(3 * fewProbes)
    expect(table.store.count).toBe(groups.length)
  })

  it('keep their numbers when they get other hashes', () => {
    const { store, add } = storeOf(leakedSeed)
    const groups = Array.from({ length: 600 }, (_, number) => group(number))
    expect(groups.map(add)).toEqual([...groups.keys()])
    const before = store.probes
    expect(groups.map(add)).toEqual([...groups.keys()])
    expect(store.probes - before).toBeLessThan(3 * fewProbes * groups.length)
  })
})

const words = new HashedWords()

/** Returns the hash of a group of one TIN without a name, from the same words as `GroupHash`. */
function hashOfGroup(store: GroupStore, { npis: [npi = 0] }: AnyGroup): number {
  const [type, value] = [store.texts.add('ein'), store.texts.add('1')]
  words.clear()
  for (const word of [0, type, value, noText, 0, 1, npi, 0]) words.add(word)
  return words.hash(groupKey)
}

/** The key of a store, which takes its seeds after the key of its texts. */
const groupKey = (() => {
  const newSeed = seedsFrom(leakedSeed)
  createHashKey(newSeed)
  return createHashKey(newSeed)
})()

describe('numbers', () => {
  const numbers = collidingNumbers(2000)

  it('do not collide if they collide in maps of the engine', () => {
    expect(probesPerValue(numbersOf(otherSeed), numbers)).toBeLessThan(fewProbes)
  })

  it('keep their places, including large and negative ones', () => {
    const pool = new NumberPool(seedsFrom(otherSeed))
    const all = [...numbers, ...numbers.map((number) => -number - 1), ...numbers.map((number) => 2 ** 45 + number)]
    expect(all.map((number) => pool.add(number))).toEqual([...all.keys()])
    expect(all.map((number) => pool.find(number))).toEqual([...all.keys()])
    expect(pool.find(0.5)).toBe(-1)
  })
})
