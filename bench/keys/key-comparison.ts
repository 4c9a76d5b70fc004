import { isSameKey, issueApiKey } from '../../core/access/api-key.ts'
import type { Samples } from '../statistics.ts'
import { shuffle } from '../statistics.ts'

/** Comparisons timed together: a single one is shorter than the clock's tick. */
const batch = 1000

/**
 * Nanoseconds of the service's comparison if the hashes differ from the first byte on, or only in the last byte. The
 * control is a comparison that stops at the first difference.
 */
export function sampleComparison(count: number): Samples {
  const first = (hash: string) => flip(hash, 0)
  const last = (hash: string) => flip(hash, hash.length - 1)
  const kinds: readonly (readonly [string, (hash: string) => string, Compare])[] = [
    ['service: no byte matches', first, isSameHash],
    ['service: all bytes but the last match', last, isSameHash],
    ['leaves early: no byte matches (control)', first, leavesEarly],
    ['leaves early: all bytes but the last match (control)', last, leavesEarly],
  ]
  const times = new Map(kinds.map(([kind]): [string, number[]] => [kind, []]))
  const warmUp = Math.ceil(count / 10)
  for (let round = 0; round < count + warmUp; round++) {
    for (const [kind, change, compare] of shuffle(kinds, Math.random)) {
      // New ones each time, because a text's location in memory affects the time more than its content.
      const { hash } = issueApiKey(orgId).stored
      const other = change(hash)
      const start = process.hrtime.bigint()
      let same = 0
      for (let at = 0; at < batch; at++) if (compare(hash, other)) same += 1
      const nanoseconds = Number(process.hrtime.bigint() - start) / batch
      if (same > 0) throw new TypeError(`${kind} accepted a wrong key`)
      if (round >= warmUp) times.get(kind)?.push(nanoseconds)
    }
  }
  return times
}

type Compare = (a: string, b: string) => boolean

const orgId = 'Bench0123456'

const isSameHash: Compare = (a, b) => isSameKey({ orgId, keyId: '', hash: a }, { orgId, keyId: '', hash: b })

function leavesEarly(a: string, b: string): boolean {
  for (let at = 0; at < a.length; at++) if (a.charCodeAt(at) !== b.charCodeAt(at)) return false
  return a.length === b.length
}

/** In one piece, like a hash from the table: an engine reads concatenated strings at a different speed. */
function flip(hash: string, at: number): string {
  const bytes = Buffer.from(hash)
  bytes.write(hash[at] === '0' ? '1' : '0', at)
  return bytes.toString()
}
