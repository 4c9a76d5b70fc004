import type { Estimate, FeeSchedule } from '../../client/api.ts'
import type { Chosen } from './draft.ts'
import { listMissing } from './estimates.ts'

/** A fee schedule that does not exist, and the one that is meant. */
export interface Correction {
  readonly missing: FeeSchedule
  readonly meant: FeeSchedule
}

/** Compares letters alone: `base` takes no notice of case and accents. */
const letters = new Intl.Collator('en', { sensitivity: 'base' })

/** True if two names differ in nothing that people mean: case, accents and white space are none of it. */
function isSameName(one: string, other: string): boolean {
  const tidy = (name: string) => name.replace(/\s+/g, ' ').trim()
  return letters.compare(tidy(one), tidy(other)) === 0
}

const isSpelling = (one: FeeSchedule, other: FeeSchedule) =>
  isSameName(one.payer, other.payer) && isSameName(one.plan, other.plan)

/** Returns the missing fee schedules that exist in another spelling, if it is the only one. */
export const findSpellings = (estimate: Estimate): readonly Correction[] =>
  listMissing(estimate).flatMap((missing): readonly Correction[] => {
    const [meant, ...further] = missing.nearest.filter((entry) => isSpelling(entry, missing))
    if (meant === undefined || further.length > 0) return []
    const { payer, plan } = missing
    return [{ missing: { payer, plan }, meant: { payer: meant.payer, plan: meant.plan } }]
  })

/** Replaces chosen fee schedules by those that are meant, each once. */
export function replaceFeeSchedules(chosen: readonly Chosen[], corrections: readonly Correction[]): readonly Chosen[] {
  const isSame = (one: Chosen, { payer, plan }: FeeSchedule) =>
    'payer' in one && one.payer === payer && one.plan === plan
  const replaced = chosen.map((one) => corrections.find(({ missing }) => isSame(one, missing))?.meant ?? one)
  return replaced.filter(
    (one, index) => !('payer' in one) || replaced.findIndex((other) => isSame(other, one)) === index,
  )
}
