import { percentileOf, veryFew } from '../../schema/summary/percentiles.ts'

/** The part of the number line that a plot shows. */
export interface Scale {
  readonly from: number
  readonly to: number
  /** Round numbers within it, ascending. */
  readonly ticks: readonly number[]
}

/** Free at both ends, as a share of the range between the least and the largest value. */
const margin = 0.04

/** Free at the end of a scale of few values, so that the last amount can stand behind its dot. */
const labelMargin = 0.28

/** Amounts start at zero if the least one is below this share of the largest: little room is lost by it. */
const nearZero = 0.3

/**
 * Returns the scale of a plot of values: their range and a little more, so that their spread is seen. It begins at zero
 * if the values are not far from it.
 */
export function makeScale(values: readonly number[], beginsAtZero = false): Scale {
  const [least, most] = endsOf(values)
  if (least > most) return { from: 0, to: 1, ticks: [] }
  const isFromZero = least >= 0 && most > 0 && (beginsAtZero || least < most * nearZero)
  const start = isFromZero ? 0 : least
  const span = most - start || Math.abs(most) || 1
  const to = most + span * (beginsAtZero ? labelMargin : margin)
  const from = isFromZero ? 0 : roundDown(start - span * margin, to)
  return { from, to, ticks: multiplesOf(findStep(from, to), from, to) }
}

/** Multiple of the interquartile range within which values are not far from the others. Source: Tukey, "far out". */
const farOut = 3

/** Values within this share of the median are never far from the others, even if most values are equal. */
const alwaysNear = 0.5

/** An end of the scale is moved to its last value if this costs at most this share of the range of the others. */
const cheap = 0.25

/**
 * Returns the scale of a plot of groups of values, without the few that are far from all others of their group, unless
 * they take little room. Groups are judged one by one, so that a group with a level of its own is not left out. Groups
 * that are too small for percentiles are shown whole, and from zero if all are: their values are not a distribution.
 *
 * @param groups each ascending
 */
export function makeBulkScale(groups: readonly (readonly number[])[]): Scale {
  const values = groups.flat()
  const [low, high] = endsOf(groups.flatMap(keepBulk))
  const room = (high - low) * cheap
  const shown = values.filter((value) => value >= low - room && value <= high + room)
  return makeScale(
    shown,
    groups.every((group) => group.length < veryFew),
  )
}

/** Returns the least and the largest of values, in the other order for none. */
const endsOf = (values: readonly number[]) =>
  values.reduce<readonly [number, number]>(
    ([least, most], value) => [Math.min(least, value), Math.max(most, value)],
    [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY],
  )

function keepBulk(ascending: readonly number[]): readonly number[] {
  if (ascending.length < veryFew) return ascending
  const [low, high] = [percentileOf(ascending, 25), percentileOf(ascending, 75)]
  const middle = percentileOf(ascending, 50)
  const reach = farOut * (high - low)
  const from = Math.min(low - reach, middle - Math.abs(middle) * alwaysNear)
  const to = Math.max(high + reach, middle + Math.abs(middle) * alwaysNear)
  return ascending.filter((value) => value >= from && value <= to)
}

/** Returns the round number at or below a start of the scale, to a tenth of the step between its round numbers. */
function roundDown(from: number, to: number): number {
  const part = findStep(from, to) / 10
  return Number((Math.floor(from / part) * part).toPrecision(12))
}

/** Returns the greatest step of a power of ten, its double or its fivefold that gives three round numbers or more. */
function findStep(from: number, to: number): number {
  const power = 10 ** Math.floor(Math.log10((to - from) / 2))
  return [5, 2, 1].map((factor) => factor * power).find((step) => countMultiples(from, to, step) >= 3) ?? power / 2
}

const multiplesOf = (step: number, from: number, to: number): readonly number[] => {
  const first = Math.ceil(from / step)
  return Array.from({ length: countMultiples(from, to, step) }, (_, index) =>
    Number(((first + index) * step).toPrecision(12)),
  )
}

const countMultiples = (from: number, to: number, step: number) => Math.floor(to / step) - Math.ceil(from / step) + 1
