/** A payer and one of its plans, in the form that searches, loader and catalogue compare (see `normaliseName`). */
export interface FeeSchedule {
  readonly payer: string
  readonly plan: string
}

/** Longest name of a payer or plan, in UTF-16 code units. */
export const longestName = 200

/**
 * Brings the name of a payer or plan into the one form in which names are compared, then case-sensitively:
 * Unicode NFC, trimmed, inner white space collapsed to one space.
 */
export function normaliseName(text: string): string {
  return text.normalize('NFC').trim().replace(/\s+/gu, ' ')
}

/**
 * Says what is wrong with the name of a payer or plan, by the same rule for a request and for a load.
 *
 * @returns the rule that the name breaks, or undefined for a good name
 */
export function findNameFault(text: string): string | undefined {
  const textFault = findTextFault(text)
  if (textFault !== undefined) return textFault
  const { length } = normaliseName(text)
  if (length === 0) return 'must not be empty'
  if (length > longestName) return `must have at most ${longestName} characters, not ${length}`
  return undefined
}

/**
 * Says what makes a text unfit to be stored and searched: lone surrogates (they have no UTF-8 form), what stands for
 * bytes that were no UTF-8 (the gateway hands bodies on as text), and control characters (a name that cannot be printed
 * cannot be checked by eye).
 */
export function findTextFault(text: string): string | undefined {
  if (!text.isWellFormed()) return 'must be well-formed Unicode (it has a lone surrogate)'
  if (text.includes('\uFFFD')) return 'must be UTF-8 (it has the character that stands for bytes that are not)'
  if (/\p{Cc}/u.test(text)) return 'must not contain control characters'
  return undefined
}

/** One word for a fee schedule, to use as a key of maps. JSON, since any separator could stand in a name. */
export function feeScheduleKey({ payer, plan }: FeeSchedule): string {
  return JSON.stringify([payer, plan])
}

/** Groups fee schedules by payer, in order of first appearance. */
export function groupByPayer(feeSchedules: readonly FeeSchedule[]): Map<string, string[]> {
  const plansOf = new Map<string, string[]>()
  for (const { payer, plan } of feeSchedules) {
    const plans = plansOf.get(payer)
    if (plans === undefined) plansOf.set(payer, [plan])
    else plans.push(plan)
  }
  return plansOf
}
