import { useMemo } from 'preact/hooks'
import type { ResultRow } from '../../client/results/result-row.ts'
import { defaultWeight, type SummaryWeight } from '../../contract/summaries.ts'
import { useLinked } from '../address/view-link.ts'
import { formatRate } from '../display/formats.ts'
import { listWeights, percentileAt, type RateGroup } from '../statistics/rate-groups.ts'
import { findOtherMedian, thingNames } from '../statistics/weights.ts'

/** The parameter of the address that names the weight. */
export const weightParameter = 'weight'

/** Returns the weight under which the prices of rows are counted: the default, unless the reader chose another. */
export function useWeight(rows: readonly ResultRow[]): SummaryWeight {
  const [choice] = useLinked(weightParameter)
  const weights = useMemo(() => listWeights(rows), [rows])
  return weights.find((weight) => weight === choice) ?? weights[0] ?? defaultWeight
}

interface Props {
  /** The rows of the result. */
  readonly all: readonly ResultRow[]
  /** The groups that the sentence is about, and the rows of their code and basis. */
  readonly groups: readonly RateGroup[]
  readonly rows: readonly ResultRow[]
  readonly unit: string
  readonly weight: SummaryWeight
}

/** Points out a median that another way of counting would change. */
export function OtherMedian({ all, groups, rows, unit, weight }: Props) {
  const other = useMemo(() => {
    const otherWeights = listWeights(all).filter((each) => each !== weight)
    return findOtherMedian(groups, rows, otherWeights)
  }, [all, groups, rows, weight])
  if (other === undefined) return null
  return (
    <span class="warning">
      Counted by {thingNames[other.weight]}, the median of <bdi>{other.group.plan}</bdi> is{' '}
      {formatRate(other.median, unit)}, not {formatRate(percentileAt(other.group, 50), unit)}
    </span>
  )
}
