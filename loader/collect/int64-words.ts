import { uint32At } from '../../schema/at.ts'

/**
 * Integers of 64 bits as pairs of words, the low one first, as in Parquet and in the memory of a `BigInt64Array`. A
 * bigint for each of millions of prices would be an object.
 */

/**
 * Sets the integer at an index.
 *
 * @param integer a number of at most 2^53, or any integer of 64 bits as a bigint
 */
export function setInt64(words: Uint32Array, index: number, integer: number | bigint): void {
  const isBig = typeof integer === 'bigint'
  words[2 * index] = isBig ? Number(BigInt.asUintN(32, integer)) : integer
  words[2 * index + 1] = isBig ? Number(BigInt.asUintN(32, integer >> 32n)) : Math.floor(integer / wordSize)
}

/** Returns the integer at an index, exact up to 2^53. */
export function int64At(words: Uint32Array, index: number): number {
  // The high word has the sign.
  return (uint32At(words, 2 * index + 1) | 0) * wordSize + uint32At(words, 2 * index)
}

const wordSize = 2 ** 32
