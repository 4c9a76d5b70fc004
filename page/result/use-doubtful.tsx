import { useMemo } from 'preact/hooks'
import type { ResultRow } from '../../client/results/result-row.ts'
import { countOf } from '../../schema/phrases.ts'
import { useLinked } from '../address/view-link.ts'
import { isDoubtfulRow } from '../statistics/comparable-prices.ts'
import { describeLeftOut, type LeftOut } from '../statistics/left-out.ts'

/** The parameter of the address that lets doubtful prices count. */
const parameter = 'doubtful'

/** The rows of a result by whether their amounts may not be rates. */
interface CountedRows {
  /** The rows that count: the sure ones, unless the reader lets all count or all are doubtful. */
  readonly rows: readonly ResultRow[]
  readonly sure: readonly ResultRow[]
  readonly doubtful: readonly ResultRow[]
}

/** Returns the rows that count, as the reader chose. */
export function useCountedRows(all: readonly ResultRow[]): CountedRows {
  const [choice] = useLinked(parameter)
  const { sure = [], doubtful = [] } = useMemo(
    () => Object.groupBy(all, (row) => (isDoubtfulRow(row) ? 'doubtful' : 'sure')),
    [all],
  )
  return { sure, doubtful, rows: choice !== undefined || sure.length === 0 ? all : sure }
}

/** Returns a notice of doubtful prices, which lets them count, a warning if there are no others, and few words. */
export function useDoubtfulNotice(leftOut: LeftOut, hasSure: boolean) {
  const [choice, setChoice] = useLinked(parameter)
  const isCounted = choice !== undefined
  if (leftOut.count === 0) return { notice: null, warning: null, omission: '' }
  if (!hasSure)
    return {
      omission: 'all prices are doubtful',
      notice: null,
      warning: <span class="warning">All prices are doubtful: placeholders, or far from all others</span>,
    }
  const notice = (
    <span>
      {describeLeftOut(leftOut, isCounted)}: placeholders, and amounts far from all others{' '}
      <button type="button" class="quiet inline" onClick={() => setChoice(isCounted ? undefined : 'counted')}>
        {isCounted ? 'Leave them out' : 'Count them'}
      </button>
    </span>
  )
  const { inPlot } = leftOut
  const omission = inPlot === 0 ? '' : `${countOf(inPlot, 'doubtful price')} ${isCounted ? 'counted' : 'left out'}`
  return { notice, warning: null, omission }
}
