import { useMemo } from 'preact/hooks'
import { assignHues } from '../result/hues/plan-hues.ts'
import { HuesContext } from '../result/hues/plan-swatch.tsx'
import { planOf } from '../result/rate-groups.ts'
import { SummaryPlot } from '../result/spread/summary-plot.tsx'
import { readAnswer } from './answer-rows.ts'
import type { Fields } from './fields.ts'

interface Props {
  /** The result of the tool; undefined until the host sends it. */
  readonly result: Fields | 'cancelled' | undefined
}

/** The groups of a tool's answer as a plot, or a sentence that says why there is none. */
export function AnsweredPlot({ result }: Props) {
  const { rows, remarks } = useMemo(
    () => (typeof result === 'object' ? readAnswer(result) : { rows: [], remarks: [] }),
    [result],
  )
  const hues = useMemo(() => assignHues(rows.map(planOf)), [rows])
  return (
    <>
      <h1>Statistics of rates</h1>
      {rows.length === 0 ? (
        <p role="status">{describeAbsence(result)}</p>
      ) : (
        <HuesContext.Provider value={hues}>
          <p class="terms">{remarks.join(' ')}</p>
          <SummaryPlot rows={rows} />
        </HuesContext.Provider>
      )}
    </>
  )
}

function describeAbsence(result: Props['result']): string {
  if (result === undefined) return 'Waiting for the statistics …'
  return result === 'cancelled' ? 'The question was cancelled.' : 'This answer has no statistics to draw.'
}
