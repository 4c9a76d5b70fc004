import { join } from 'node:path'

/**
 * The data that the local service loads on its first start: four fee schedules of two payers, all fictional. Files of the
 * CMS format, schema 2.x, with what makes real ones hard to read: groups that many prices share, several TINs a group,
 * rates of a whole TIN, percentages and per diems beside dollars, codes without their leading zeros, a wildcard. The NPIs
 * have right check digits and are lower than the first of CMS's Medicare payment files (1003000126); no EIN begins with 00.
 */

/** Paths of the in-network files, to be loaded together. */
export const sampleFiles: readonly string[] = [
  'blue-harbor-ppo-gold-professional.json',
  'blue-harbor-ppo-gold-facility.json',
  'blue-harbor-hmo-silver.json',
  'summit-ridge-choice-ppo.json',
  'summit-ridge-choice-facility.json',
  'summit-ridge-select-dental.json',
].map((name) => join(import.meta.dirname, name))

/** The body of `POST /v1/searches`. */
export interface SampleSearch {
  readonly npis?: readonly number[]
  readonly billing_codes?: readonly string[]
  readonly fee_schedules: readonly { readonly payer: string; readonly plan: string }[]
}

const gold = { payer: 'Blue Harbor Health', plan: 'Harbor PPO Gold' }
const silver = { payer: 'Blue Harbor Health', plan: 'Harbor HMO Silver' }
const choice = { payer: 'Summit Ridge Insurance', plan: 'Ridge Choice PPO' }

/** What do two surgeons get for a visit, a knee replacement and a knee MRI from two payers? 16 rows. */
export const smallSearch: SampleSearch = {
  npis: [1000100002, 1000100010],
  billing_codes: ['99213', '27447', '73721'],
  fee_schedules: [gold, choice],
}

/** What does one payer pay any provider for the most common visits and the emergency room? More than 3,000 rows. */
export const largeSearch: SampleSearch = {
  billing_codes: ['99203', '99204', '99212', '99213', '99214', '99215', '450'],
  fee_schedules: [gold, silver],
}
