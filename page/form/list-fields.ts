import { providerLimits, requestLimits } from '../../contract/limits.ts'
import { providerLists } from '../../contract/provider-ids.ts'
import { type PastedValues, parseCodes, parseNpis, parseTins, parseWritten } from './pasted-values.ts'

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

const [states, zips, taxonomies] = providerLists

/** The lists in the order of the form. */
export const listFields = [
  {
    name: 'codes',
    label: 'Billing codes',
    help: 'CPT, HCPCS, MS-DRG, revenue codes and others. Empty: all codes.',
    nouns: ['billing code', 'billing codes'],
    parse: parseCodes,
    limit: requestLimits.billing_codes,
  },
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
    help: 'Where the practice is, two letters each. Needs NPPES in the service. Empty: all states.',
    nouns: ['state', 'states'],
    parse: parseWritten(states.written),
    limit: providerLimits.states,
  },
  {
    name: 'zips',
    label: 'ZIP codes of providers',
    help: 'Where the practice is, five digits each. Needs NPPES. Empty: all ZIP codes.',
    nouns: ['ZIP code', 'ZIP codes'],
    parse: parseWritten(zips.written),
    limit: providerLimits.zips,
  },
  {
    name: 'taxonomies',
    label: 'Specialties of providers',
    help: 'NUCC taxonomy codes, such as 207R00000X. Needs NPPES. Empty: all specialties.',
    nouns: ['taxonomy code', 'taxonomy codes'],
    parse: parseWritten(taxonomies.written),
    limit: providerLimits.taxonomies,
  },
] as const satisfies readonly ListField[]

export type ListName = (typeof listFields)[number]['name']
