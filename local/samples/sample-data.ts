import { basename, join } from 'node:path'

/**
 * The data that the local service loads on its first start: six fee schedules of two payers, all fictional, as
 * published for October and for November 2026, with an NPPES month of their providers. The files have the CMS format,
 * schema 2.x, and the features that make real ones hard to read: groups that many prices share, several TINs a group,
 * rates of a whole TIN, percentages and per diems beside dollars, codes without their leading zeros, a wildcard, and
 * prices of every flag. The NPIs have right check digits and are lower than the first of CMS's Medicare payment files
 * (1003000126); no EIN begins with 00.
 */

export const samplesFolder: string = import.meta.dirname

const inSamples = (name: string) => join(samplesFolder, name)

/** Four fee schedules for individuals, edited by hand. */
export const individualFiles: readonly string[] = [
  'blue-harbor-ppo-gold-professional.json',
  'blue-harbor-ppo-gold-facility.json',
  'blue-harbor-hmo-silver.json',
  'summit-ridge-choice-ppo.json',
  'summit-ridge-choice-facility.json',
  'summit-ridge-select-dental.json',
].map(inSamples)

/**
 * Two fee schedules of an employer, which `npm run samples` makes: hundreds of prices for a code, and doubtful ones.
 */
export const employerFiles: readonly string[] = [
  'blue-harbor-choice-plus-professional.json.gz',
  'blue-harbor-choice-plus-facility.json.gz',
  'summit-ridge-open-access-professional.json.gz',
  'summit-ridge-open-access-facility.json.gz',
].map(inSamples)

/** Paths of the in-network files of November, to be loaded together. */
export const sampleFiles: readonly string[] = [...individualFiles, ...employerFiles]

export const octoberFolder = '2026-10'

/**
 * The files of the employer's plans, and of the first for individuals, as published a month before; `npm run samples`
 * makes them. As of October, the other plans cannot be searched.
 */
export const octoberFiles: readonly string[] = [...individualFiles.slice(0, 2), ...employerFiles].map((path) =>
  inSamples(join(octoberFolder, `${basename(path, '.gz')}.gz`)),
)

/** The time at which the files of October are loaded: searches as of the end of October find them. */
export const octoberLoadedAt: Date = new Date('2026-10-05T06:00:00Z')

/** Name of the monthly NPPES file of the providers, which `npm run samples` makes. */
export const nppesFile = 'npidata_pfile_20050523-20261109.csv.gz'

export const nppesPath: string = inSamples(nppesFile)

/** Names of the specialties in `nppesFile`, in the layout of NUCC's CSV; their wording is ours. */
export const specialtiesPath: string = inSamples('specialties.csv')

/** The body of `POST /v1/searches`. */
export interface SampleSearch {
  readonly billing_codes: readonly string[]
  readonly fee_schedules: readonly { readonly payer: string; readonly plan: string }[]
}

/** Prices of an employer's two plans for an MRI of a leg joint, a visit, a knee replacement, and the stay for one. */
export const firstSearch: SampleSearch = {
  billing_codes: ['73721', '99213', '27447', '470'],
  fee_schedules: [
    { payer: 'Blue Harbor Health', plan: 'Harbor Choice Plus' },
    { payer: 'Summit Ridge Insurance', plan: 'Ridge Open Access' },
  ],
}
