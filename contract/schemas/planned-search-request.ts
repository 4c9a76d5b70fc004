import * as v from 'valibot'
import { searchFilters } from './searches.ts'
import { describeValue } from './values.ts'

/** The filters of a search as they will be once searches by TIN are built. */
export const plannedFilters = {
  ...searchFilters,
  tins: v.exactOptional(
    describeValue(
      v.pipe(v.array(v.pipe(v.string(), v.regex(/^\d[\d-]{0,18}\d$/))), v.minLength(1), v.maxLength(2000)),
      'Providers by TIN: 1 to 2,000 strings of digits, since leading zeros carry meaning; hyphens are ignored. With `tins` and without `npis`, rates agreed with a whole TIN are found too; with `npis` only if 0 is among them. Left out: all TINs.',
      ['12-3456789'],
    ),
  ),
}

export const plannedSearchRequest = v.pipe(
  v.strictObject(plannedFilters),
  v.minEntries(2),
  v.description(
    'What to search for. At least one of `npis`, `billing_codes` and `tins` is required; those left out mean all, and a rate must match all that are named. The whole request has at most 1 MiB, no field twice in an object, and no other field: a misspelt filter must not widen a search. Lists that are together too long for a query (262,144 bytes) are refused with 400, naming the one to shorten.',
  ),
)
