import { charactersOf, type PublishedNumber } from '../json/published-number.ts'

/** A negotiated rate as a whole number of ten-thousandths: decimal(18,4) without its point. */
export interface ExactRate {
  readonly tenThousandths: bigint
  /** True if rounding dropped a digit other than zero. */
  readonly rounded: boolean
}

const decimals = 4
const tenThousand = 10 ** decimals
const precision = 18
const number = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/

/** Maximum number of ten-thousandths for which a float and its decimal with 15 digits correspond one to one. */
const maxExact = 1e15

/**
 * Reads a negotiated rate, rounding half to even to four decimals.
 *
 * @param rate read with `parsePublished`, or a number whose shortest text is the published one
 * @returns undefined if it does not fit decimal(18,4)
 */
export function readExactRate(rate: number | PublishedNumber): ExactRate | undefined {
  if (typeof rate === 'number') {
    const units = Math.round(rate * tenThousand)
    // If the division gives the same float, it is exactly this decimal, because both have at most 15 digits.
    if (units / tenThousand === rate && Math.abs(units) <= maxExact) {
      return { tenThousandths: BigInt(units), rounded: false }
    }
  }
  return parseExactRate(charactersOf(rate))
}

/**
 * Reads the characters of a JSON number, rounding half to even to four decimals. Works on the digits only: with floats,
 * 0.00005 and 1.00005 would round in different directions.
 *
 * @returns undefined if the number does not fit decimal(18,4): from 99999999999999.99995
 */
export function parseExactRate(characters: string): ExactRate | undefined {
  const [, sign, whole = '', fraction = '', exponent = '0'] = number.exec(characters) ?? []
  const digits = (whole + fraction).replace(/^0+/, '')
  if (digits === '') return whole === '' ? undefined : { tenThousandths: 0n, rounded: false }
  // The number of digits to the ten-thousandths; the digits after them are dropped.
  const count = digits.length + Number(exponent) - fraction.length + decimals
  // Checked first, because an exponent of a billion must not be written out as a billion zeros.
  if (count > precision) return undefined
  const wholeUnits = BigInt(digits.slice(0, Math.max(0, count)).padEnd(count, '0'))
  const dropped = count < 0 ? `0${digits}` : digits.slice(count)
  const [first = '0'] = dropped
  const isUp = first > '5' || (first === '5' && (isNotZero(dropped.slice(1)) || wholeUnits % 2n === 1n))
  const units = isUp ? wholeUnits + 1n : wholeUnits
  if (units >= 10n ** BigInt(precision)) return undefined
  return { tenThousandths: sign === '-' ? -units : units, rounded: isNotZero(dropped) }
}

const isNotZero = (digits: string) => /[1-9]/.test(digits)
