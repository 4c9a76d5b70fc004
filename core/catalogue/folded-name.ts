import { type FeeSchedule, normaliseName } from './fee-schedule.ts'

/**
 * Folds a name for completion, which ignores case. Each character is folded separately, so that a prefix of a name
 * folds to a prefix of the folded name (Greek's final sigma would not).
 */
export function foldName(name: string): string {
  return Array.from(normaliseName(name), (character) => character.toLowerCase()).join('')
}

/** Orders and finds names by payer, then plan. No name has a control character. */
export function foldPayerAndPlan({ payer, plan }: FeeSchedule): string {
  return `${foldPayer(payer)}${foldName(plan)}`
}

/** The prefix of the folded names of a payer's plans. */
export function foldPayer(payer: string): string {
  return `${foldName(payer)}\u0000`
}
