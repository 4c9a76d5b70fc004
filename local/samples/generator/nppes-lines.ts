import { draw, drawOne } from './draws.ts'
import type { NppesLine } from './nppes-layout.ts'

/** A TIN with the NPIs that bill under it. */
export interface ListedPractice {
  readonly tin: string
  readonly name: string
  /** The first NPI is that of the organization, the others are those of people. */
  readonly npis: readonly number[]
}

const towns = [
  ...[
    ['PORTLAND', 'OR', '97205'],
    ['PORTLAND', 'OR', '97214'],
    ['SALEM', 'OR', '97301'],
    ['EUGENE', 'OR', '97401'],
  ],
  ...[
    ['BEND', 'OR', '97701'],
    ['MEDFORD', 'OR', '97504'],
    ['SEATTLE', 'WA', '98101'],
    ['TACOMA', 'WA', '98402'],
  ],
  ...[
    ['SPOKANE', 'WA', '99201'],
    ['VANCOUVER', 'WA', '98660'],
    ['BOISE', 'ID', '83702'],
    ['NAMPA', 'ID', '83651'],
  ],
] as const

/** Taxonomies by a word of the practice's name: first the organization's, then its people's. Source: NUCC. */
const taxonomies: readonly (readonly [words: RegExp, organization: string, ...people: readonly string[]])[] = [
  [/hospital|medical center/i, '282N00000X', '208M00000X', '207P00000X', '207L00000X'],
  [/imaging|radiology|mri/i, '261QR0200X', '2085R0202X'],
  [/laboratory/i, '291U00000X', '207ZP0102X'],
  [/orthopedic|bone|surgical/i, '261QS0132X', '207X00000X', '207XX0005X'],
  [/dental/i, '261QD0000X', '1223G0001X'],
  [/heart|cardio/i, '261QM2500X', '207RC0000X'],
  [/digestive|gastro/i, '261QE0800X', '207RG0100X'],
  [/pediatric|children/i, '261QP2300X', '208000000X', '207V00000X'],
  [/internal|associates/i, '261QP2300X', '207R00000X', '363LA2200X'],
  [/./, '261QP2300X', '207Q00000X', '363LF0000X'],
]

const firstNames = [
  ...['ADA', 'AMIR', 'ANNA', 'BRUNO', 'CARLA', 'CHEN', 'DARIA', 'DIEGO', 'ELENA', 'EMEKA', 'ESTHER', 'FARID'],
  ...['GRACE', 'HANA', 'HUGO', 'INES', 'IVAN', 'JONAS', 'JUNE', 'KAI', 'LEILA', 'LIAM', 'LUCIA', 'MARCUS', 'MEI'],
  ...['MILO', 'NADIA', 'NOAH', 'OLGA', 'OMAR', 'PAULA', 'PRIYA', 'RAVI', 'ROSA', 'SAMUEL', 'SOFIA', 'TARIQ', 'TESS'],
  ...['THEO', 'UMA', 'VERA', 'VIKTOR', 'WANDA', 'YARA', 'YUSUF', 'ZOE'],
]
const lastNames = [
  ...['ABERNATHY', 'ADEYEMI', 'ALMQUIST', 'BAPTISTE', 'BELLWEATHER', 'BRANDVOLD', 'CALLOWAY', 'CASTELLAN', 'DELACROIX'],
  ...['DRISCOLL', 'EASTERLING', 'FAIRBANKS', 'FERREIRA', 'GALLOWAY', 'GREENWOOD', 'HALVORSEN', 'HARGROVE', 'IBARRA'],
  ...['INGRAM', 'JANKOWSKI', 'KAPOOR', 'KINGSLEY', 'LANGSTROM', 'LINDQVIST', 'MARCHETTI', 'MERRIWEATHER', 'NAKAGAWA'],
  ...['NIGHTINGALE', 'OKAFOR', 'OSTERHOUT', 'PADMANABHAN', 'PELLETIER', 'QUILL', 'RAVENSCROFT', 'ROSENTHAL', 'SANTORO'],
  ...[
    'SILVERTHORNE',
    'STAVROS',
    'THORNBURY',
    'TREVINO',
    'UNDERHILL',
    'VALDERRAMA',
    'VANCE',
    'WHITLOCK',
    'WOLFSON',
    'YAMADA',
  ],
]

/** Share of the NPIs that the month does not have: registered since, or mistyped by a payer. */
const absentShare = 0.01

/** Share of the NPIs that were deactivated. CMS publishes only the date. */
const deactivatedShare = 0.01

const practiceAddress = 'Provider Business Practice Location Address'
const mailingAddress = 'Provider Business Mailing Address'

/** Makes the lines of the NPIs of practices in a monthly file, in order of NPI. */
export function makeNppesLines(practices: readonly ListedPractice[]): readonly NppesLine[] {
  const lines = practices.flatMap((practice) => linesOf(practice))
  return lines.toSorted((one, other) => Number(one['NPI']) - Number(other['NPI']))
}

function linesOf({ tin, name, npis }: ListedPractice): readonly NppesLine[] {
  const [, organizationCode, ...peopleCodes] = taxonomies.find(([words]) => words.test(name)) ?? []
  if (organizationCode === undefined) throw new RangeError(`no taxonomy fits ${name}`)
  const address = addressOf(tin)
  return npis.flatMap((npi, index): readonly NppesLine[] => {
    const isOrganization = index === 0
    const luck = draw('listed', npi)
    if (!isOrganization && luck < absentShare) return []
    if (!isOrganization && luck < absentShare + deactivatedShare)
      return [{ NPI: String(npi), 'NPI Deactivation Date': '03/17/2025' }]
    const identity = isOrganization ? organizationNamed(name) : personOf(npi)
    const taxonomy = isOrganization ? organizationCode : drawOne(peopleCodes, 'taxonomy', npi)
    return [
      {
        NPI: String(npi),
        ...identity,
        ...address,
        'Provider Enumeration Date': dayOf(npi),
        'Last Update Date': '10/05/2026',
        'Healthcare Provider Taxonomy Code_1': taxonomy,
        'Healthcare Provider Primary Taxonomy Switch_1': 'Y',
      },
    ]
  })
}

function addressOf(tin: string): NppesLine {
  const [city, state, zip] = drawOne(towns, 'place', tin)
  const road = drawOne(['MAIN ST', 'RIVER RD', 'PARK AVE', '2ND AVE'], 'road', tin)
  const street = `${100 + Math.floor(draw('street', tin) * 8900)} ${road}`
  // Most providers give their ZIP code with its +4.
  const postalCode = `${zip}${1000 + Math.floor(draw('zip', tin) * 9000)}`
  const parts = {
    'City Name': city,
    'State Name': state,
    'Postal Code': postalCode,
    'Country Code (If outside U.S.)': 'US',
  }
  const at = (kind: string) => Object.entries(parts).map(([field, value]) => [`${kind} ${field}`, value])
  return {
    'Provider First Line Business Practice Location Address': street,
    ...Object.fromEntries([...at(practiceAddress), ...at(mailingAddress)]),
  }
}

const organizationNamed = (name: string): NppesLine => ({
  'Entity Type Code': '2',
  'Provider Organization Name (Legal Business Name)': name.toUpperCase().replace('’', "'"),
})

const personOf = (npi: number): NppesLine => ({
  'Entity Type Code': '1',
  'Provider Last Name (Legal Name)': drawOne(lastNames, 'last name', npi),
  'Provider First Name': drawOne(firstNames, 'first name', npi),
  'Provider Credential Text': 'M.D.',
})

const dayOf = (npi: number) =>
  `${String(1 + Math.floor(draw('month', npi) * 12)).padStart(2, '0')}/15/${2006 + Math.floor(draw('year', npi) * 18)}`
