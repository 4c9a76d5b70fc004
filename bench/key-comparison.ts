import { isSameKey, issueApiKey, parseApiKey } from '../core/api-key.ts'
import type { Samples } from './statistics.ts'
import { shuffle } from './statistics.ts'

/** Comparisons that are timed together: one alone is shorter than the clock's tick. */
const batch = 1000

/**
 * Nanoseconds of the service's comparison where the stored hash differs from the first byte on, and where it differs in
 * the last alone; and those of one that leaves at the first difference.
 */
export function sampleComparison(count: number): Samples {
  const { token, stored } = issueApiKey('Bench0123456')
  const presented = parseApiKey(token) ?? stored
  const early = { ...stored, hash: flip(presented.hash, 0) }
  const late = { ...stored, hash: flip(presented.hash, presented.hash.length - 1) }
  const kinds: readonly (readonly [string, () => boolean])[] = [
    ['service: no byte matches', () => isSameKey(presented, early)],
    ['service: all bytes but the last match', () => isSameKey(presented, late)],
    ['leaves early: no byte matches (control)', () => leavesEarly(presented.hash, early.hash)],
    ['leaves early: all bytes but the last match (control)', () => leavesEarly(presented.hash, late.hash)],
  ]
  const times = new Map(kinds.map(([kind]): [string, number[]] => [kind, []]))
  const warmUp = Math.ceil(count / 10)
  for (let round = 0; round < count + warmUp; round++) {
    for (const [kind, compare] of shuffle(kinds, Math.random)) {
      const start = process.hrtime.bigint()
      let same = 0
      for (let at = 0; at < batch; at++) if (compare()) same += 1
      const nanoseconds = Number(process.hrtime.bigint() - start) / batch
      if (same > 0) throw new TypeError(`${kind} took a wrong key for a right one`)
      if (round >= warmUp) times.get(kind)?.push(nanoseconds)
    }
  }
  return times
}

function leavesEarly(a: string, b: string): boolean {
  for (let at = 0; at < a.length; at++) if (a.charCodeAt(at) !== b.charCodeAt(at)) return false
  return a.length === b.length
}

function flip(hash: string, at: number): string {
  return hash.slice(0, at) + (hash[at] === '0' ? '1' : '0') + hash.slice(at + 1)
}
