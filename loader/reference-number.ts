import { hash } from 'node:crypto'
import type { PublishedId } from './published-number.ts'
import { charactersOf } from './published-number.ts'

/** Ids whose numbers are kept; beyond, the oldest go. */
const mostKept = 100_000

const kept = new Map<PublishedId, bigint>()

/**
 * A number that stands for the characters of a provider group's id while prices and groups are joined: the id itself
 * where it is a whole number, else 63 bits of its hash, negative. Two ids of a file of a million share a number with a
 * probability below 1e-6.
 */
export function referenceNumberOf(id: PublishedId): bigint {
  if (typeof id === 'number' && Number.isSafeInteger(id) && id >= 0) return BigInt(id)
  const known = typeof id === 'object' ? undefined : kept.get(id)
  if (known !== undefined) return known
  const characters = charactersOf(id)
  const number = /^(?:0|[1-9]\d{0,14})$/.test(characters)
    ? BigInt(characters)
    : numberOfDigest(hash('sha256', characters))
  if (kept.size >= mostKept) kept.clear()
  if (typeof id !== 'object') kept.set(id, number)
  return number
}

/** The first 63 bits of a hash in hex, as a negative number. */
export function numberOfDigest(digest: string): bigint {
  return -(BigInt(`0x${digest.slice(0, 16)}`) >> 1n) - 1n
}
