import { at } from '../../schema/at.ts'
import { nameSome } from '../../schema/phrases.ts'
import { PrintableError } from '../../schema/printable-error.ts'

/** The columns of CMS's monthly file, by their names. Source: CMS, "NPPES Data Dissemination – Readme", file header. */

const practice = (field: string) => `Provider Business Practice Location Address ${field}`

const single = {
  npi: 'NPI',
  entityType: 'Entity Type Code',
  organization: 'Provider Organization Name (Legal Business Name)',
  lastName: 'Provider Last Name (Legal Name)',
  firstName: 'Provider First Name',
  middleName: 'Provider Middle Name',
  city: practice('City Name'),
  state: practice('State Name'),
  postalCode: practice('Postal Code'),
  country: practice('Country Code (If outside U.S.)'),
  deactivated: 'NPI Deactivation Date',
  reactivated: 'NPI Reactivation Date',
} as const

const taxonomies = Array.from({ length: 15 }, (_, index) => ({
  code: `Healthcare Provider Taxonomy Code_${index + 1}`,
  isPrimary: `Healthcare Provider Primary Taxonomy Switch_${index + 1}`,
}))

const monthlyFile = 'a monthly file of NPPES'

/** A file that is not a monthly file of NPPES, or is damaged. */
export class NppesRefused extends PrintableError {}

/**
 * Reads the first line of a CSV file as names; every field may be quoted.
 *
 * @param head bytes with the whole line
 * @param expected name of the file that it should be, for messages
 * @throws NppesRefused if it is no CSV
 */
export function readHeader(head: Buffer, expected = monthlyFile): readonly string[] {
  const text = head.toString().replace(/^\ufeff/, '')
  if (text.trim() === '') throw new NppesRefused(`not ${expected}: it is empty`)
  if (/^\s*[[{]/.test(text))
    throw new NppesRefused(`not ${expected}, which is CSV: it is JSON; npm run load loads files of rates`)
  const line = at(text.split(/\r?\n/, 1), 0)
  const fields = line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^",]*))/g)
  return [...fields].map(([, quoted, plain = '']) => (quoted?.replaceAll('""', '"') ?? plain).trim())
}

/** Checks that a file has columns of these names. @throws NppesRefused naming the columns that are missing */
export function requireColumns(header: readonly string[], names: readonly string[], file: string): void {
  const missing = names.filter((name) => !header.includes(name))
  if (missing.length > 0)
    throw new NppesRefused(`not ${file}: it has no column ${nameSome(missing.map((name) => `"${name}"`))}`)
}

/**
 * Returns the SELECT items that make one row of a line, over columns `c0`, `c1` and so on in the order of the header:
 * the NPI, a flag for a deactivated NPI, then the columns of results.
 *
 * @throws NppesRefused naming the columns that are missing
 */
export function selectItems(header: readonly string[]): readonly string[] {
  const names = [...Object.values(single), ...taxonomies.flatMap(({ code, isPrimary }) => [code, isPrimary])]
  requireColumns(header, names, monthlyFile)
  const column = (name: string) => `nullif(trim(c${header.indexOf(name)}), '')`
  const field = (name: keyof typeof single) => column(single[name])
  const line = (sql: string) => String.raw`nullif(trim(regexp_replace(${sql}, '\s+', ' ', 'g')), '')`
  const person = `concat_ws(' ', ${(['firstName', 'middleName', 'lastName'] as const).map(field).join(', ')})`
  const primary = taxonomies.map(
    ({ code, isPrimary }) => `CASE WHEN ${column(isPrimary)} = 'Y' THEN ${column(code)} END`,
  )
  const zip = String.raw`nullif(regexp_extract(${field('postalCode')}, '^(\d{5})(-?\d{4})?$', 1), '')`
  return [
    String.raw`CASE WHEN regexp_matches(${field('npi')}, '^\d{10}$') THEN CAST(${field('npi')} AS bigint) END AS npi`,
    `${field('deactivated')} IS NOT NULL AND ${field('reactivated')} IS NULL AS is_deactivated`,
    `${line(`CASE WHEN ${field('entityType')} = '1' THEN ${person} ELSE ${field('organization')} END`)} AS provider_name`,
    `coalesce(${[...primary, ...taxonomies.map(({ code }) => column(code))].join(', ')}) AS provider_taxonomy`,
    `${line(field('city'))} AS provider_city`,
    `upper(${line(field('state'))}) AS provider_state`,
    `CASE WHEN coalesce(${field('country')}, 'US') = 'US' THEN ${zip} END AS provider_zip`,
  ]
}
