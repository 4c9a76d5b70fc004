/** An exact decimal number, as Parquet stores it: a whole number divided by a power of ten. */
export class Decimal {
  readonly unscaled: bigint
  /** Digits after the point, from 0. */
  readonly scale: number

  constructor(unscaled: bigint, scale: number) {
    this.unscaled = unscaled
    this.scale = scale
  }

  /** Returns the digits without zeros at the end of the fraction, and never an exponent: 2.11, -0.5, 100. */
  toString(): string {
    const sign = this.unscaled < 0n ? '-' : ''
    const digits = String(this.unscaled)
      .replace('-', '')
      .padStart(this.scale + 1, '0')
    const point = digits.length - this.scale
    const fraction = digits.slice(point).replace(/0+$/, '')
    return `${sign}${digits.slice(0, point)}${fraction === '' ? '' : `.${fraction}`}`
  }

  /** Returns the nearest double, which statistics and scales of plots compute with. */
  valueOf(): number {
    return Number(this.toString())
  }

  /**
   * Returns the number at another scale, such as 4 for the type decimal(18,4).
   *
   * @throws RangeError if it has more digits after the point
   */
  unscaledAt(scale: number): bigint {
    if (scale >= this.scale) return this.unscaled * 10n ** BigInt(scale - this.scale)
    const factor = 10n ** BigInt(this.scale - scale)
    if (this.unscaled % factor !== 0n) throw new RangeError(`${this} has more than ${scale} digits after the point`)
    return this.unscaled / factor
  }
}

/** Orders decimals, also of different scales, ascending. */
export function compareDecimals(a: Decimal, b: Decimal): number {
  const scale = Math.max(a.scale, b.scale)
  const difference = a.unscaledAt(scale) - b.unscaledAt(scale)
  if (difference === 0n) return 0
  return difference < 0n ? -1 : 1
}
