import type { FeeSchedule } from './fee-schedule.ts'
import { normaliseName } from './fee-schedule.ts'

/**
 * The form in which names are completed: upper and lower case are the same. Each character is folded alone, so that the
 * beginning of a name folds to the beginning of the folded name (Greek's final sigma would not).
 */
export function foldName(name: string): string {
  return Array.from(normaliseName(name), (character) => character.toLowerCase()).join('')
}

/** Orders and finds names by payer, then plan. No name has a control character. */
export function foldPayerAndPlan({ payer, plan }: FeeSchedule): string {
  return `${foldPayer(payer)}${foldName(plan)}`
}

/** What the folded names of a payer's plans begin with. */
export function foldPayer(payer: string): string {
  return `${foldName(payer)}\u0000`
}
