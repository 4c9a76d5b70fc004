import { Decimal } from '../../parquet/decimal.ts'

/** An amount as it was published: a number, or its digits if a double would round them. */
export type Amount = number | string

/**
 * Returns the number that digits write, or the digits if a double would round them. Commands, tools and the page show
 * amounts by it.
 */
export function exactAmount(digits: string): Amount {
  const number = Number(digits)
  return String(number) === digits ? number : digits
}

/** @throws SyntaxError if the text is no number in decimal digits */
export function parseDecimal(text: string): Decimal {
  const [whole = '', fraction = ''] = text.split('.')
  return new Decimal(BigInt(whole + fraction), fraction.length)
}

/** Returns the difference of two amounts: also that of two which have the same nearest double. */
export function subtractAmounts(one: Amount, other: Amount): number {
  if (typeof one === 'number' && typeof other === 'number') return one - other
  // A number that somebody types may be too large or too small for plain digits.
  if ([one, other].some((amount) => String(amount).includes('e'))) return Number(one) - Number(other)
  const [a, b] = [parseDecimal(String(one)), parseDecimal(String(other))]
  const scale = Math.max(a.scale, b.scale)
  return Number(a.unscaledAt(scale) - b.unscaledAt(scale)) / 10 ** scale
}
