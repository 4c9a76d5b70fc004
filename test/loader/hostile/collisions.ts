import { createHashKey, hashBytes } from '../../../loader/decode/keyed-hash.ts'
import { createRandom, type Random } from '../../bench/loader/random.ts'
import { seedsFrom } from '../../builders/test-machine.ts'

/** What somebody knows who has read the seeds of another process. */
export const leakedSeed = 7

/**
 * Values whose hashes share their lowest bits in a table with a leaked seed.
 *
 * @param hashOf the hash of the value of a number, by that seed
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

/** Texts that collide in the pool of a process whose seeds have leaked. */
export function collidingTexts(count: number, bits = 9): readonly string[] {
  const key = createHashKey(seedsFrom(leakedSeed))
  const bytes = Buffer.alloc(20)
  const hashOf = (text: string) => hashBytes(bytes, 0, bytes.write(text, 'latin1'), key)
  return [...collide((number) => `text ${number}`, hashOf, bits).take(count)]
}

/** FNV-1a, which many tables hash texts with, from the hash of what comes before. */
function hashByFnv(text: string, before = 0x811c9dc5): number {
  let hash = before
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 16_777_619)
  return hash >>> 0
}

/**
 * Texts with one hash by FNV-1a. Its state is its hash: pairs that collide stay so, whatever comes behind them.
 *
 * @param exponent makes two to the power of it
 */
export function textsOfOneFnvHash(exponent: number): readonly string[] {
  const random = createRandom(1)
  let texts = ['']
  for (let round = 0; round < exponent; round++) {
    const [one, other] = findFnvPair(hashByFnv(texts[0] ?? ''), random)
    texts = texts.flatMap((text) => [text + one, text + other])
  }
  return texts
}

function findFnvPair(before: number, random: Random): readonly [string, string] {
  const met = new Map<number, string>()
  for (;;) {
    const text = (36 ** 4 + random.below(35 * 36 ** 4)).toString(36)
    const hash = hashByFnv(text, before)
    const other = met.get(hash)
    if (other !== undefined && other !== text) return [other, text]
    met.set(hash, text)
  }
}

/** Numbers with the same lowest bits in the hash that V8 gives numbers in maps and sets, which has no seed. */
export function collidingNumbers(count: number, bits = 9): readonly number[] {
  return [...collide((number) => number, hashByEngine, bits).take(count)]
}

/** Source: V8, `ComputeUnseededHash`. */
function hashByEngine(number: number): number {
  let hash = number >>> 0
  hash = (~hash + (hash << 15)) >>> 0
  hash = (hash ^ (hash >>> 12)) >>> 0
  hash = (hash + (hash << 2)) >>> 0
  hash = (hash ^ (hash >>> 4)) >>> 0
  hash = Math.imul(hash, 2057) >>> 0
  return (hash ^ (hash >>> 16)) >>> 0
}
