import { nameSome } from '../../schema/phrases.ts'
import { formatMonth } from '../display/formats.ts'
import type { MatrixPlan } from './matrix.ts'

/** Maximum number of plans named with the same months, and of different months. */
const [maxPlans, maxMonths] = [3, 4]

/** Says when plans were published: once the months of most of them, and other months with their plans. */
export function describeMonths(plans: readonly MatrixPlan[]): string {
  const dated = plans.filter(({ months }) => months.length > 0)
  const [most, ...others] = [...Map.groupBy(dated, ({ months }) => months.map(formatMonth).join(' and '))].sort(
    ([, a], [, b]) => b.length - a.length,
  )
  if (most === undefined) return ''
  const exceptions = others.map(
    ([months, ofMonths]) =>
      `${nameSome(
        ofMonths.map(({ plan }) => plan),
        maxPlans,
      )} in ${months}`,
  )
  const [months] = most
  return exceptions.length === 0
    ? `Published in ${months}.`
    : `Published in ${months}; but ${nameSome(exceptions, maxMonths, '; ')}.`
}
