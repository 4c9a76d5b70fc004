/**
 * Below the first NPI of CMS's Medicare payment files, 1003000126, and above those of the samples that are edited by
 * hand.
 */
const firstBase = 100_010_800

/** Sum that the prefix of health applications in the United States, 80840, adds to the Luhn sum of an NPI. */
const prefixSum = 24

/**
 * Makes the NPI at a position in the sequence of NPIs, with its check digit.
 * Source: CMS, "Requirements for National Provider Identifier (NPI) and NPI Check Digit".
 *
 * @param position from 0 to 191,999
 */
export function makeNpi(position: number): number {
  const base = firstBase + position
  if (!Number.isInteger(position) || position < 0 || base >= 100_300_000)
    throw new RangeError(`no NPI has the position ${position}`)
  const sum = Array.from(String(base), Number)
    .reverse()
    .reduce((total, digit, index) => {
      const weighted = index % 2 === 0 ? digit * 2 : digit
      return total + (weighted > 9 ? weighted - 9 : weighted)
    }, prefixSum)
  return base * 10 + ((10 - (sum % 10)) % 10)
}
