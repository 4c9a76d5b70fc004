/**
 * The layout of a monthly NPPES file. Source: CMS, "NPPES Data Dissemination – Readme",
 * `npidata_pfile_*_fileheader.csv`.
 */

const numbered = (count: number, names: readonly string[]) =>
  Array.from({ length: count }, (_, index) => names.map((name) => `${name}_${index + 1}`)).flat()

const address = (kind: string) => [
  `Provider First Line Business ${kind} Address`,
  `Provider Second Line Business ${kind} Address`,
  ...['City Name', 'State Name', 'Postal Code', 'Country Code (If outside U.S.)', 'Telephone Number', 'Fax Number'].map(
    (field) => `Provider Business ${kind} Address ${field}`,
  ),
]

const personName = ['Last Name', 'First Name', 'Middle Name', 'Name Prefix Text', 'Name Suffix Text', 'Credential Text']

/** The 329 columns, in order. */
export const nppesHeader: readonly string[] = [
  ...['NPI', 'Entity Type Code', 'Replacement NPI', 'Employer Identification Number (EIN)'],
  'Provider Organization Name (Legal Business Name)',
  'Provider Last Name (Legal Name)',
  ...personName.slice(1).map((name) => `Provider ${name}`),
  ...['Provider Other Organization Name', 'Provider Other Organization Name Type Code'],
  ...personName.map((name) => `Provider Other ${name}`),
  'Provider Other Last Name Type Code',
  ...address('Mailing'),
  ...address('Practice Location'),
  ...['Provider Enumeration Date', 'Last Update Date'],
  ...['NPI Deactivation Reason Code', 'NPI Deactivation Date', 'NPI Reactivation Date', 'Provider Gender Code'],
  ...['Last Name', 'First Name', 'Middle Name', 'Title or Position', 'Telephone Number'].map(
    (field) => `Authorized Official ${field}`,
  ),
  ...numbered(15, [
    'Healthcare Provider Taxonomy Code',
    'Provider License Number',
    'Provider License Number State Code',
    'Healthcare Provider Primary Taxonomy Switch',
  ]),
  ...numbered(
    50,
    ['', ' Type Code', ' State', ' Issuer'].map((field) => `Other Provider Identifier${field}`),
  ),
  ...['Is Sole Proprietor', 'Is Organization Subpart', 'Parent Organization LBN', 'Parent Organization TIN'],
  ...['Prefix', 'Suffix'].map((field) => `Authorized Official Name ${field} Text`),
  'Authorized Official Credential Text',
  ...numbered(15, ['Healthcare Provider Taxonomy Group']),
]

/** The values of a line that are not empty, by column. */
export type NppesLine = Readonly<Record<string, string>>

const quote = (value: string) => `"${value.replaceAll('"', '""')}"`

/** A file as CMS writes it: every field quoted. */
export function writeNppes(lines: readonly NppesLine[], lineEnd = '\n', header = nppesHeader): string {
  const rows = [header, ...lines.map((line) => header.map((name) => line[name] ?? ''))]
  return rows.map((row) => row.map(quote).join(',') + lineEnd).join('')
}
