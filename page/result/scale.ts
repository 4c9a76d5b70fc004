/** The part of the number line that a plot shows. */
export interface Scale {
  readonly from: number
  readonly to: number
  /** Round numbers within it, ascending. */
  readonly ticks: readonly number[]
}

/** Free at both ends, as a share of what is between the least and the largest value. */
const margin = 0.04

/**
 * The scale of a plot of values: what they span and a little more, so that their spread is seen. It does not begin at 0,
 * which only lengths need.
 */
export function makeScale(values: readonly number[]): Scale {
  const least = values.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY)
  const most = values.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY)
  if (least > most) return { from: 0, to: 1, ticks: [] }
  const span = most - least || Math.abs(most) || 1
  const [from, to] = [least - span * margin, most + span * margin]
  return { from, to, ticks: roundNumbers(from, to) }
}

/** Three to eight multiples of a power of ten, or of its double or its fivefold. */
function roundNumbers(from: number, to: number): readonly number[] {
  const power = 10 ** Math.floor(Math.log10((to - from) / 2))
  const step =
    [5, 2, 1].map((factor) => factor * power).find((each) => countMultiples(from, to, each) >= 3) ?? power / 2
  const first = Math.ceil(from / step)
  return Array.from({ length: countMultiples(from, to, step) }, (_, index) =>
    Number(((first + index) * step).toPrecision(12)),
  )
}

const countMultiples = (from: number, to: number, step: number) => Math.floor(to / step) - Math.ceil(from / step) + 1
