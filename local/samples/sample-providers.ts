/**
 * The clinics in the sample files. None of these NPIs can belong to anyone, because each has a wrong check digit (CMS,
 * NPI check digit: Luhn over 80840 and the NPI); no EIN begins with 00.
 */

export interface Clinic {
  readonly name: string
  /** EIN, with its hyphen. */
  readonly tin: string
  readonly npis: readonly number[]
}

const firstNpi = 1_000_100_000
const stepBetweenNpis = 17

const sizes: readonly (readonly [name: string, npis: number])[] = [
  ['Pier Street Orthopedics', 24],
  ['Lighthouse Family Medicine', 48],
  ['Harbor Women and Children', 36],
  ['Saltmarsh Heart Group', 28],
  ['Breakwater Imaging', 20],
  ['Driftwood Internal Medicine', 60],
  ['Gull Island Community Hospital', 52],
  ['Ridgeline Surgical Partners', 32],
  ['Timberline Primary Care', 56],
  ['Granite Peak Medical Center', 44],
  ['Aspen Hollow Dental', 26],
  ['Meadow Lane Dental', 22],
]

export const clinics: readonly Clinic[] = sizes.map(([name, size], index) => {
  const before = sizes.slice(0, index).reduce((sum, [, count]) => sum + count, 0)
  const npis = Array.from({ length: size }, (_, member) => inventNpi(before + member))
  return { name, tin: `00-${String(1_204_007 + index * 38_611).padStart(7, '0')}`, npis }
})

/** A ten-digit number that is not a valid NPI. */
function inventNpi(ordinal: number): number {
  const npi = firstNpi + ordinal * stepBetweenNpis
  return hasCheckDigit(npi) ? npi + 1 : npi
}

function hasCheckDigit(npi: number): boolean {
  const digits = [...`80840${npi}`].map(Number).reverse()
  const sum = digits.reduce(
    (total, digit, place) => total + (place % 2 === 0 ? digit : Math.floor(digit / 5) + ((digit * 2) % 10)),
    0,
  )
  return sum % 10 === 0
}
