import { hash } from 'node:crypto'
import type { PublishedId } from './published-number.ts'
import { charactersOf, normaliseNumber } from './published-number.ts'

/** An id while prices and groups are joined. */
export interface ReferenceNumber {
  /** The same for the same characters, and only for them. */
  readonly number: bigint
  /** The same for the same numeric value: that of 1 for `1.0`. Undefined if the characters are not a number. */
  readonly value: bigint | undefined
}

/** Ids whose numbers are kept; when there are more, all are computed again. */
const mostKept = 100_000

const kept = new Map<string, ReferenceNumber>()

/**
 * The numbers of a provider group's id: the id itself if it is a natural number, else 63 bits of a hash, negative. Two
 * ids of a file of a million share a number with a probability below 1e-6.
 */
export function referenceNumberOf(id: PublishedId): ReferenceNumber {
  const characters = charactersOf(id)
  const known = kept.get(characters)
  if (known !== undefined) return known
  const normal = normaliseNumber(characters)
  const numbers = { number: numberOfText(characters), value: normal === undefined ? undefined : numberOfValue(normal) }
  if (kept.size >= mostKept) kept.clear()
  kept.set(characters, numbers)
  return numbers
}

/** The number of an id that is written as most are: a natural number without leading zeros, point or exponent. */
export function plainNumberOf(id: unknown): bigint | undefined {
  return typeof id === 'number' && Number.isSafeInteger(id) && id >= 0 && id < 1e15 ? BigInt(id) : undefined
}

/** The first 63 bits of a hash in hex, as a negative number. */
export function numberOfDigest(digest: string): bigint {
  return -(BigInt(`0x${digest.slice(0, 16)}`) >> 1n) - 1n
}

function numberOfText(characters: string): bigint {
  const isPlain = /^(?:0|[1-9]\d{0,14})$/.test(characters)
  return isPlain ? BigInt(characters) : numberOfDigest(hash('sha256', characters))
}

/**
 * Most ids are written as plain decimals: their value has the number of these characters.
 *
 * @param normal the one form of all numbers of the same value, such as `12e1`
 */
function numberOfValue(normal: string): bigint {
  const [, sign = '', digits = '', exponent = '0'] = /^(-?)(\d+)(?:e(-?\d+))?$/.exec(normal) ?? []
  const zeros = Number(exponent)
  if (Math.abs(zeros) > mostZeros) return numberOfText(normal)
  if (zeros >= 0) return numberOfText(sign + digits + '0'.repeat(zeros))
  const padded = digits.padStart(1 - zeros, '0')
  return numberOfText(`${sign}${padded.slice(0, zeros)}.${padded.slice(zeros)}`)
}

/** Numbers with larger exponents are not written out. */
const mostZeros = 30
