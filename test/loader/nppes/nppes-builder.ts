import type { NppesLine } from '../../../local/samples/generator/nppes-layout.ts'

const practice = 'Provider Business Practice Location Address'

/** The columns of a line that say who and where a provider is. */
export const nppesColumns = {
  npi: 'NPI',
  entityType: 'Entity Type Code',
  organization: 'Provider Organization Name (Legal Business Name)',
  lastName: 'Provider Last Name (Legal Name)',
  firstName: 'Provider First Name',
  middleName: 'Provider Middle Name',
  city: `${practice} City Name`,
  state: `${practice} State Name`,
  zip: `${practice} Postal Code`,
  country: `${practice} Country Code (If outside U.S.)`,
  deactivated: 'NPI Deactivation Date',
  reactivated: 'NPI Reactivation Date',
} as const

/** A line from the fields that matter here. */
export const nppesLine = (
  fields: Partial<Record<keyof typeof nppesColumns, string>>,
  others: NppesLine = {},
): NppesLine => ({
  ...Object.fromEntries(
    Object.entries(nppesColumns).flatMap(([field, column]) => {
      const value = fields[field as keyof typeof nppesColumns]
      return value === undefined ? [] : [[column, value]]
    }),
  ),
  ...others,
})
