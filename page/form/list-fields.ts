import { type Filter, type FilterName, filterList, filterOf } from '../../contract/filters.ts'
import {
  type PastedValues,
  parseCodes,
  parseLines,
  parseNpis,
  parseStates,
  parseTins,
  parseWritten,
  parseZips,
} from '../values/pasted-values.ts'

/** The words and the parser of a list in the form. */
interface FieldWords {
  /** Its name in links. */
  readonly name: string
  readonly label: string
  readonly help: string
  readonly parse: (text: string) => PastedValues
}

/** The fields by their filters; in links, codes have a shorter name. */
const fieldWords = {
  billing_codes: {
    name: 'codes',
    label: 'Billing codes',
    help: 'CPT, HCPCS, MS-DRG, revenue codes and others. Empty: all codes.',
    parse: parseCodes,
  },
  npis: {
    name: 'npis',
    label: 'NPIs',
    help: 'National provider ids of ten digits; 0 for rates of a whole TIN. Empty: all providers.',
    parse: parseNpis,
  },
  tins: {
    name: 'tins',
    label: 'TINs',
    help: 'Tax ids of who is paid, with or without hyphens. Empty: all TINs.',
    parse: parseTins,
  },
  networks: {
    name: 'networks',
    label: 'Networks',
    help: 'Names of networks exactly as results have them, each on a line. Empty: all rates.',
    parse: parseLines,
  },
  states: {
    name: 'states',
    label: 'States of providers',
    help: 'Where the practice is: names or two letters. Empty: all states.',
    parse: parseStates,
  },
  zips: {
    name: 'zips',
    label: 'ZIP codes of providers',
    help: 'Where the practice is, by five digits. Empty: all ZIP codes.',
    parse: parseZips,
  },
  taxonomies: {
    name: 'taxonomies',
    label: 'Specialties of providers',
    help: 'NUCC taxonomy codes, such as 207R00000X. Empty: all specialties.',
    parse: parseWritten('taxonomies'),
  },
} as const satisfies Readonly<Record<FilterName, FieldWords>>

export type ListName = (typeof fieldWords)[FilterName]['name']

/** A list of values of a search, as the form takes it. */
export interface ListField extends FieldWords {
  readonly name: ListName
  readonly filter: Filter
}

const fieldOf = (filter: Filter): ListField => ({ filter, ...fieldWords[filter.name] })

/** The list that most searches have. */
export const codeField: ListField = fieldOf(filterOf('billing_codes'))

/** The lists that narrow a search to some providers, in the order of the form. */
export const providerFields: readonly ListField[] = filterList.filter(({ kind }) => kind !== 'code').map(fieldOf)

export const listFields: readonly ListField[] = [codeField, ...providerFields]
