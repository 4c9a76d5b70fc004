import { hash } from 'node:crypto'
import type { PublishedId } from './published-number.ts'
import { charactersOf, normaliseNumber } from './published-number.ts'

/** A provider group id as numbers, on which prices and groups are joined. */
export interface ReferenceNumber {
  /** Equal exactly for ids with the same characters. */
  readonly number: bigint
  /** Equal for ids of the same numeric value, such as 1 and `1.0`. Undefined if the characters are not a number. */
  readonly value: bigint | undefined
}

/** Maximum number of cached ids; beyond it the cache is cleared. */
const maxKept = 100_000

const kept = new Map<string, ReferenceNumber>()

/**
 * Computes the numbers of a provider group id: the id itself if it is a natural number, else a negative 63-bit hash.
 * The probability that two of a million ids in a file share a number is below 1e-6.
 */
export function referenceNumberOf(id: PublishedId): ReferenceNumber {
  const characters = charactersOf(id)
  const known = kept.get(characters)
  if (known !== undefined) return known
  const normal = normaliseNumber(characters)
  const numbers = { number: numberOfText(characters), value: normal === undefined ? undefined : numberOfValue(normal) }
  if (kept.size >= maxKept) kept.clear()
  kept.set(characters, numbers)
  return numbers
}

/** The number of an id in the most common form: a natural number without leading zeros, point or exponent. */
export function plainNumberOf(id: unknown): bigint | undefined {
  return typeof id === 'number' && Number.isSafeInteger(id) && id >= 0 && id < 1e15 ? BigInt(id) : undefined
}

/** Converts the first 63 bits of a hex hash to a negative number. */
export function numberOfDigest(digest: string): bigint {
  return -(BigInt(`0x${digest.slice(0, 16)}`) >> 1n) - 1n
}

function numberOfText(characters: string): bigint {
  const isPlain = /^(?:0|[1-9]\d{0,14})$/.test(characters)
  return isPlain ? BigInt(characters) : numberOfDigest(hash('sha256', characters))
}

/**
 * Most ids are plain decimals, whose value gets the same number as these characters.
 *
 * @param normal the normalized form of the value, such as `12e1`
 */
function numberOfValue(normal: string): bigint {
  const [, sign = '', digits = '', exponent = '0'] = /^(-?)(\d+)(?:e(-?\d+))?$/.exec(normal) ?? []
  const zeros = Number(exponent)
  if (Math.abs(zeros) > maxZeros) return numberOfText(normal)
  if (zeros >= 0) return numberOfText(sign + digits + '0'.repeat(zeros))
  const padded = digits.padStart(1 - zeros, '0')
  return numberOfText(`${sign}${padded.slice(0, zeros)}.${padded.slice(zeros)}`)
}

/** Numbers with larger exponents are not written out. */
const maxZeros = 30
