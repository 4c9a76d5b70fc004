import * as v from 'valibot'
import { filterOf, type ProviderList } from '../filters.ts'
import { providerPages } from '../limits.ts'
import { writtenNpi } from '../provider-ids.ts'
import { providerNpi } from './requests/search-request.ts'
import { describeObject, describeValue, nameText, pageSize, wordRules } from './values.ts'

const nullableText = (description: string, example: string) =>
  describeValue(v.nullable(v.string()), description, example)

export const namedProvider = describeObject('A provider of the month of NPPES that searches read.', {
  npi: describeValue(providerNpi, 'The NPI, as `npis` of a search takes it.', 1000100010),
  name: nullableText('Name of the organization, or first, middle and last name of the person.', 'GRACE JANKOWSKI'),
  taxonomy: nullableText(
    'Code of the primary specialty, as `providers.taxonomies` of a search takes it.',
    '207X00000X',
  ),
  specialty: nullableText(
    'Name of the specialty; null if the operator has not loaded names of specialties, or not this one.',
    'Bones and joints',
  ),
  city: nullableText('City of the practice location.', 'PORTLAND'),
  state: nullableText('State or territory of the practice location; abroad as it was written.', 'OR'),
  zip: nullableText('The five digits of the ZIP code of the practice location, in the United States only.', '97205'),
})

export const foundProviders = describeObject('The providers that match.', {
  providers: v.pipe(
    v.array(namedProvider),
    v.description(
      'The providers, ordered by state, ZIP code and name. Empty if none matches, or if none was found within the limits.',
    ),
  ),
  nppes_month: describeValue(
    v.pipe(v.string(), v.regex(/^\d{4}-\d{2}$/)),
    'The month of NPPES that was looked at, which new searches read too.',
    '2026-11',
  ),
  complete: describeValue(v.boolean(), 'True if these are all providers that match.', true),
  stopped_by: describeValue(
    v.nullable(v.picklist(['limit', 'bytes', 'time'])),
    'The limit at which the call stopped before it had looked at everything: `limit`, as more match; `bytes` (16 MB) or `time` (10 seconds), as more may match. Null if `complete`. Ask for a ZIP code, or for more words.',
    null,
  ),
})

const areaFilter = ({ written }: ProviderList, description: string, example: string) =>
  describeValue(v.pipe(v.string(), v.regex(written)), description, example)

/** Filters of the call. */
export const providerFilters = {
  npi: describeValue(
    v.pipe(v.string(), v.regex(writtenNpi)),
    'One provider by its NPI, ten digits. Without other filters.',
    '1000100010',
  ),
  q: describeValue(
    nameText,
    `Words of the name of a provider, all of them, ${wordRules}. Needs a \`zip\` or a \`state\`. The rules for names of payers apply.`,
    'jankowski',
  ),
  state: areaFilter(
    filterOf('states'),
    'Only providers with a practice in this state or territory. Needs `q` or a `zip`.',
    'OR',
  ),
  zip: areaFilter(filterOf('zips'), 'Only providers with a practice in this ZIP code of five digits.', '97205'),
  taxonomy: areaFilter(
    filterOf('taxonomies'),
    'Only providers of this primary specialty, by its NUCC code. Needs a `zip`, or a `state` with `q`.',
    '207X00000X',
  ),
}

export const providersLimit = describeValue(pageSize(providerPages), 'Maximum number of providers.', 20)
