import { join } from 'node:path'

/**
 * The data that the local service loads on its first start: four fee schedules of two payers, all fictional.
 * `local/samples/generate-samples.ts` generates the files.
 */

const folder = join(import.meta.dirname, '.')

/** Paths of the in-network files, to be loaded together. */
export const sampleFiles: readonly string[] = [
  'blue-harbor-ppo-gold-professional.json',
  'blue-harbor-ppo-gold-facility.json',
  'blue-harbor-hmo-silver.json',
  'summit-ridge-choice-ppo.json',
  'summit-ridge-choice-facility.json',
  'summit-ridge-select-dental.json',
].map((name) => join(folder, name))

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
  npis: [1000100000, 1000100017],
  billing_codes: ['99213', '27447', '73721'],
  fee_schedules: [gold, choice],
}

/** What does one payer pay any provider for the most common visits and the emergency room? More than 3,000 rows. */
export const largeSearch: SampleSearch = {
  billing_codes: ['99203', '99204', '99212', '99213', '99214', '99215', '450'],
  fee_schedules: [gold, silver],
}
