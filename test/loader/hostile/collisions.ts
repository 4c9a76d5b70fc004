import { createHashKey, hashBytes } from '../../../loader/decode/keyed-hash.ts'
import { at } from '../../../schema/at.ts'
import { createRandom, type Random } from '../../bench/loader/random.ts'
import { seedsFrom } from '../../builders/test-machine.ts'

/** The seed of a process whose seeds have leaked. */
export const leakedSeed = 7

/**
 * Values whose hashes share their lowest bits in a table with a leaked seed.
 *
 * @param hashOf returns the hash of a value by that seed
 */
export function* collide<Value>(
  makeValue: (number: number) => Value,
  hashOf: (value: Value) => number,
  bits: number,
): Generator<Value> {
  const mask = 2 ** bits - 1
  for (let number = 0; ; number++) {
    const value = makeValue(number)
    if ((hashOf(value) & mask) === 0) yield value
  }
}

/** Returns texts that collide in the pool of a process whose seeds have leaked. */
export function collidingTexts(count: number, bits = 9): readonly string[] {
  const key = createHashKey(seedsFrom(leakedSeed))
  const bytes = Buffer.alloc(20)
  const hashOf = (text: string) => hashBytes(bytes, 0, bytes.write(text, 'latin1'), key)
  return [...collide((number) => `text ${number}`, hashOf, bits).take(count)]
}

/** Hashes a text by FNV-1a, which many hash tables use. @param before hash of the text before it */
function hashByFnv(text: string, before = 0x811c9dc5): number {
  let hash = before
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 16_777_619)
  return hash >>> 0
}

/**
 * Returns texts with the same hash by FNV-1a. Its state is its hash, so pairs that collide still do with any text after
 * them.
 *
 * @param exponent exponent of the number of texts, which is a power of two
 */
export function textsOfOneFnvHash(exponent: number): readonly string[] {
  const random = createRandom(1)
  let texts = ['']
  for (let round = 0; round < exponent; round++) {
    const [one, other] = findFnvPair(hashByFnv(at(texts, 0)), random)
    texts = texts.flatMap((text) => [text + one, text + other])
  }
  return texts
}

function findFnvPair(before: number, random: Random): readonly [string, string] {
  const textsOfHashes = new Map<number, string>()
  for (;;) {
    const text = (36 ** 4 + random.below(35 * 36 ** 4)).toString(36)
    const hash = hashByFnv(text, before)
    const other = textsOfHashes.get(hash)
    if (other !== undefined && other !== text) return [other, text]
    textsOfHashes.set(hash, text)
  }
}

/** Returns numbers that collide in the maps and sets of V8, which hash numbers without a seed. */
export function collidingNumbers(count: number, bits = 9): readonly number[] {
  return [...collide((number) => number, hashByEngine, bits).take(count)]
}

/** Hashes a number as the maps of V8 do. Source: V8, `ComputeUnseededHash`. */
function hashByEngine(number: number): number {
  let hash = number >>> 0
  hash = (~hash + (hash << 15)) >>> 0
  hash = (hash ^ (hash >>> 12)) >>> 0
  hash = (hash + (hash << 2)) >>> 0
  hash = (hash ^ (hash >>> 4)) >>> 0
  hash = Math.imul(hash, 2057) >>> 0
  return (hash ^ (hash >>> 16)) >>> 0
}
