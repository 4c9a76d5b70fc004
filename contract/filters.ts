import { writtenNpiOrZero, writtenTin } from './provider-ids.ts'

/**
 * The lists by which a search chooses rows, each stated once. Requests, their stored form, conditions, manifests,
 * lists, titles, the form, links, options of the command line and documents iterate over them, so that a filter that is
 * added here is nowhere forgotten.
 */

/** The kinds of values of filters: `core/search/filter-kinds.ts` says how each is read and compared. */
type FilterKind = 'npi' | 'tin' | 'code' | 'name' | 'listed'

/** The noun for one value, and for several. */
export type Nouns = readonly [one: string, several: string]

/** A list of a search. A rate must match every list that a request names; a list that is left out means all. */
interface FilterFacts {
  /** Its name in requests, messages, lists and documents. */
  readonly name: string
  readonly kind: FilterKind
  /** Its field in the canonical form of a request, under which it is stored. */
  readonly field: string
  /** The object of the request that has it, if not the request itself. */
  readonly parent?: 'providers'
  /** The column of results with the values that are compared; it decides which table has the condition. */
  readonly column: string
  /** Most values of a request. */
  readonly limit: number
  readonly nouns: Nouns
  /** The words before its values in titles; values that speak for themselves have none. */
  readonly titleWord: string
  /** Its option on the command line. */
  readonly option: string
  /** Headers of columns in files that have its values, in lower case and without other characters than letters. */
  readonly headers: readonly string[]
  /** The form of a value as people write it, in any case. */
  readonly written: RegExp
  /** The form in words, after "must be". */
  readonly rule: string
  /** True if manifests list the values that no row of the result has. */
  readonly isCheckedForRows: boolean
}

export const filterList = [
  {
    name: 'npis',
    kind: 'npi',
    field: 'npis',
    column: 'npi',
    limit: 10_000,
    nouns: ['NPI', 'NPIs'],
    titleWord: 'NPI ',
    option: 'npi',
    headers: ['npi', 'npis', 'npinumber', 'providernpi', 'nationalprovideridentifier'],
    written: writtenNpiOrZero,
    rule: 'an NPI: ten digits, or 0',
    isCheckedForRows: true,
  },
  {
    name: 'tins',
    kind: 'tin',
    field: 'tins',
    column: 'tin_value',
    limit: 2_000,
    nouns: ['TIN', 'TINs'],
    titleWord: 'TIN ',
    option: 'tin',
    headers: ['tin', 'tins', 'taxid', 'taxidentificationnumber', 'ein', 'tinvalue'],
    written: writtenTin,
    rule: 'a TIN: 2 to 20 digits and hyphens',
    isCheckedForRows: true,
  },
  {
    name: 'billing_codes',
    kind: 'code',
    field: 'billingCodes',
    column: 'billing_code',
    limit: 2_000,
    nouns: ['billing code', 'billing codes'],
    titleWord: '',
    option: 'code',
    headers: ['code', 'codes', 'billingcode', 'billingcodes', 'procedurecode', 'cpt', 'cptcode', 'hcpcs', 'hcpcscode'],
    written: /./,
    rule: 'a billing code',
    isCheckedForRows: true,
  },
  {
    name: 'networks',
    kind: 'name',
    field: 'networks',
    column: 'network_name',
    limit: 200,
    nouns: ['network', 'networks'],
    titleWord: 'network ',
    option: 'network',
    headers: ['network', 'networks', 'networkname'],
    written: /./,
    rule: 'the name of a network',
    isCheckedForRows: false,
  },
  {
    name: 'states',
    kind: 'listed',
    field: 'states',
    parent: 'providers',
    column: 'provider_state',
    limit: 60,
    nouns: ['state', 'states'],
    titleWord: '',
    option: 'state',
    headers: ['state', 'states', 'providerstate'],
    written: /^[A-Za-z]{2}$/,
    rule: 'a state or territory of two letters',
    isCheckedForRows: false,
  },
  {
    name: 'zips',
    kind: 'listed',
    field: 'zips',
    parent: 'providers',
    column: 'provider_zip',
    limit: 2_000,
    nouns: ['ZIP code', 'ZIP codes'],
    titleWord: 'ZIP ',
    option: 'zip',
    headers: ['zip', 'zips', 'zipcode', 'zipcodes', 'providerzip'],
    written: /^\d{5}$/,
    rule: 'a ZIP code of five digits, without its +4',
    isCheckedForRows: false,
  },
  {
    name: 'taxonomies',
    kind: 'listed',
    field: 'taxonomies',
    parent: 'providers',
    column: 'provider_taxonomy',
    limit: 200,
    nouns: ['taxonomy code', 'taxonomy codes'],
    titleWord: 'specialty ',
    option: 'taxonomy',
    headers: ['taxonomy', 'taxonomies', 'taxonomycode', 'providertaxonomy'],
    written: /^[A-Za-z0-9]{10}$/,
    rule: 'an NUCC taxonomy code of ten letters and digits',
    isCheckedForRows: false,
  },
] as const satisfies readonly FilterFacts[]

export type Filter = (typeof filterList)[number]

export type FilterName = Filter['name']

/** The lists in the object `providers` of a request. NPPES, or columns of an own relation, have their values. */
export type ProviderList = Extract<Filter, { readonly parent: 'providers' }>

export const providerLists: readonly ProviderList[] = filterList.filter((filter) => 'parent' in filter)

/** The filters as people are told of them: codes come first. */
export const shownFilters: readonly Filter[] = filterList.toSorted(
  (a, b) => Number(b.kind === 'code') - Number(a.kind === 'code'),
)

/** The names of the filters whose values without rows a manifest lists. */
export type CheckedFilter = Extract<Filter, { readonly isCheckedForRows: true }>['name']

/** Returns the filter of a name. */
export function filterOf<Name extends FilterName>(name: Name): Extract<Filter, { readonly name: Name }> {
  const filter = filterList.find((each): each is Extract<Filter, { readonly name: Name }> => each.name === name)
  if (filter === undefined) throw new RangeError(`there is no filter ${name}`)
  return filter
}

/** Returns the field of a request that has a filter: its own, or that of the object which it is in. */
export const requestField = (filter: Filter) => ('parent' in filter ? filter.parent : filter.name)

type ValuesOf<Each extends Filter> = Each['kind'] extends 'npi' ? readonly number[] : readonly string[]

type ListsBy<Key extends 'name' | 'field'> = {
  readonly [Each in Exclude<Filter, ProviderList> as Each[Key]]?: ValuesOf<Each>
} & { readonly providers?: { readonly [Each in ProviderList as Each[Key]]?: readonly string[] } }

/** The lists of a request in its canonical form; an absent list means all. */
export type FilterLists = ListsBy<'field'>

/** The lists of a request as it is sent. */
export type RequestedLists = ListsBy<'name'>

/** The values of a list. */
export type FilterValues = readonly number[] | readonly string[]

/** Returns the values of a filter in the canonical form of a request; undefined if the request does not have it. */
export const valuesOf = (lists: FilterLists, filter: Filter): FilterValues | undefined =>
  'parent' in filter ? lists.providers?.[filter.field] : lists[filter.field]

/** Returns the values of a filter in a request as it is sent. */
export const requestedValuesOf = (lists: RequestedLists, filter: Filter): FilterValues | undefined =>
  'parent' in filter ? lists.providers?.[filter.name] : lists[filter.name]

/** Makes the lists of a request in its canonical form, of the filters that have values. */
export const collectLists = (find: (filter: Filter) => FilterValues | undefined): FilterLists =>
  collectBy('field', find)

/** Makes the lists of a request as it is sent. */
export const collectRequestedLists = (find: (filter: Filter) => FilterValues | undefined): RequestedLists =>
  collectBy('name', find)

function collectBy<Key extends 'name' | 'field'>(
  key: Key,
  find: (filter: Filter) => FilterValues | undefined,
): ListsBy<Key> {
  const entries = filterList.flatMap((filter) => {
    const values = find(filter)
    return values === undefined ? [] : [{ filter, entry: [filter[key], values] as const }]
  })
  const ofProviders = entries.filter(({ filter }) => 'parent' in filter).map(({ entry }) => entry)
  const ofRequest = entries.filter(({ filter }) => !('parent' in filter)).map(({ entry }) => entry)
  const providers = ofProviders.length === 0 ? {} : { providers: Object.fromEntries(ofProviders) }
  // The values come from the same filters as the keys, which the compiler cannot follow through a list.
  return { ...Object.fromEntries(ofRequest), ...providers } as ListsBy<Key>
}

/** Formats names of filters as a list in words: "a, b and c". */
export const listNames = (names: readonly string[]): string =>
  names.length < 2 ? names.join() : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
