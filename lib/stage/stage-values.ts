import * as v from 'valibot'

/** Values of stage files, whose faults show what was written. */

/** A value as it is shown in a fault. */
export const shown = (value: unknown): string => JSON.stringify(value) ?? 'nothing'

/** A whole number of at least `least`. */
export function wholeNumber(least: number) {
  const message = ({ input }: { readonly input: unknown }) =>
    `must be a whole number of at least ${least}, not ${shown(input)}`
  return v.pipe(v.number(message), v.integer(message), v.minValue(least, message))
}

/** A whole number from `least` to `most`. */
export function numberIn(least: number, most: number) {
  const message = ({ input }: { readonly input: unknown }) =>
    `must be a whole number from ${least} to ${most}, not ${shown(input)}`
  return v.pipe(v.number(message), v.integer(message), v.minValue(least, message), v.maxValue(most, message))
}
