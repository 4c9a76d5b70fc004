import type { Plan } from './comparison/compare-results.ts'

/** A part of a sentence: words, or a name or an amount from a result, which a page sets off. */
export interface Part {
  readonly text: string
  readonly kind: 'words' | 'plan' | 'code' | 'amount'
  /** The plan that a part of the kind `plan` names. */
  readonly plan?: Plan
}

/** A sentence about a result. */
export type Sentence = readonly Part[]

/** Composes a sentence of words and other parts. */
export const compose = (...parts: readonly (string | Part)[]): Sentence =>
  parts.map((part) => (typeof part === 'string' ? { text: part, kind: 'words' } : part))

/** Writes a sentence as plain text. */
export const writeSentence = (sentence: Sentence): string => sentence.map(({ text }) => text).join('')

/** Names a plan, and its payer if another plan has the same name. */
export const showPlan = ({ payer, plan }: Plan, plans: readonly Plan[]): Part => ({
  text: plans.some((other) => other.plan === plan && other.payer !== payer) ? `${plan} of ${payer}` : `${plan}`,
  kind: 'plan',
  plan: { payer, plan },
})
