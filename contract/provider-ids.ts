/** The least and the greatest NPI of a provider: ten digits. */
export const npiRange = { least: 1_000_000_000, greatest: 9_999_999_999 } as const

/** True for an NPI, and for 0, which matches rates agreed for a whole TIN (CMS schema, `provider_groups[].npi`). */
export const isNpi = (value: number) =>
  value === 0 || (Number.isInteger(value) && value >= npiRange.least && value <= npiRange.greatest)

/** An NPI of a provider as text. */
export const writtenNpi = /^[1-9]\d{9}$/

/** An NPI, or 0, as text. */
export const writtenNpiOrZero = /^(0|[1-9]\d{9})$/

/** A taxonomy code as NUCC publishes it. */
export const publishedTaxonomy = /^[0-9A-Z]{10}$/

/** A TIN as people and publishers write it, an EIN with its hyphen or without: 2 to 20 digits and hyphens. */
export const writtenTin = /^\d[\d-]{0,18}\d$/

/** Prefix of health applications in the United States, which precedes an NPI in the computation of the check digit. */
const issuerPrefix = '80840'

/**
 * True if an NPI's last digit is its check digit (Luhn); 0, which matches rates agreed for a whole TIN, has none.
 * Source: CMS, "Requirements for National Provider Identifier (NPI) and NPI Check Digit".
 */
export function hasCheckDigit(npi: number): boolean {
  if (npi === 0) return true
  const digits = Array.from(`${issuerPrefix}${npi}`, Number).reverse()
  const sum = digits.reduce((total, digit, position) => {
    const weighted = position % 2 === 1 ? digit * 2 : digit
    return total + (weighted > 9 ? weighted - 9 : weighted)
  }, 0)
  return sum % 10 === 0
}
