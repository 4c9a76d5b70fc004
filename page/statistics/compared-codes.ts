import { at } from '../../schema/at.ts'
import { formatNumber } from '../../schema/phrases.ts'
import { nameClass } from '../display/billing-classes.ts'
import { listCompared } from './answer-codes.ts'
import type { ComparableCode } from './comparable-prices.ts'

const writeTerms = (terms: readonly string[]): string => terms.join(', ')

/** Says how many codes are compared by which class, and on which terms: a count of codes says nothing of that. */
export function describeCompared(codes: readonly ComparableCode[]): string | undefined {
  const compared = listCompared(codes)
  if (compared.length < 2) return undefined
  const classes = [...Map.groupBy(compared, ({ basis }) => nameClass(basis.billingClass).toLowerCase())]
    .toSorted(([, one], [, other]) => other.length - one.length)
    .map(([name, ofClass]) => `${formatNumber(ofClass.length)} ${name}`)
  const [terms = '', ...others] = new Set(compared.map(({ bases }) => writeTerms(at(bases, 0).terms)))
  const modifiers = new Set(compared.map(({ basis }) => basis.modifiers))
  return [
    `Codes compared: ${classes.join(', ')}`,
    ...(others.length === 0 && terms !== '' ? [terms] : []),
    ...(others.length > 0 ? ['each on the terms that most of its plans share'] : []),
    ...(modifiers.size > 1 ? ['some with modifiers'] : []),
  ].join('; ')
}
