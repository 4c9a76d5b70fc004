import { providerLimits, requestLimits } from '../../contract/limits.ts'
import { providerLists } from '../../contract/provider-ids.ts'
import {
  type PastedValues,
  parseCodes,
  parseNpis,
  parseStates,
  parseTins,
  parseWritten,
  parseZips,
} from '../values/pasted-values.ts'

/** A list of values of a search, as the form takes it. */
export interface ListField {
  /** Its name in links. */
  readonly name: string
  readonly label: string
  readonly help: string
  /** The noun for one value, and for several. */
  readonly nouns: readonly [one: string, several: string]
  readonly parse: (text: string) => PastedValues
  readonly limit: number
}

const [, , taxonomies] = providerLists

/** The list that most searches have. */
export const codeField = {
  name: 'codes',
  label: 'Billing codes',
  help: 'CPT, HCPCS, MS-DRG, revenue codes and others. Empty: all codes.',
  nouns: ['billing code', 'billing codes'],
  parse: parseCodes,
  limit: requestLimits.billing_codes,
} as const satisfies ListField

/** The lists that narrow a search to some providers, in the order of the form. */
export const providerFields = [
  {
    name: 'npis',
    label: 'NPIs',
    help: 'National provider ids of ten digits; 0 for rates of a whole TIN. Empty: all providers.',
    nouns: ['NPI', 'NPIs'],
    parse: parseNpis,
    limit: requestLimits.npis,
  },
  {
    name: 'tins',
    label: 'TINs',
    help: 'Tax ids of who is paid, with or without hyphens. Empty: all TINs.',
    nouns: ['TIN', 'TINs'],
    parse: parseTins,
    limit: requestLimits.tins,
  },
  {
    name: 'states',
    label: 'States of providers',
    help: 'Where the practice is: names or two letters. Empty: all states.',
    nouns: ['state', 'states'],
    parse: parseStates,
    limit: providerLimits.states,
  },
  {
    name: 'zips',
    label: 'ZIP codes of providers',
    help: 'Where the practice is, by five digits. Empty: all ZIP codes.',
    nouns: ['ZIP code', 'ZIP codes'],
    parse: parseZips,
    limit: providerLimits.zips,
  },
  {
    name: 'taxonomies',
    label: 'Specialties of providers',
    help: 'NUCC taxonomy codes, such as 207R00000X. Empty: all specialties.',
    nouns: ['taxonomy code', 'taxonomy codes'],
    parse: parseWritten(taxonomies.written),
    limit: providerLimits.taxonomies,
  },
] as const satisfies readonly ListField[]

export const listFields = [codeField, ...providerFields]

export type ListName = (typeof listFields)[number]['name']
