import { useMemo } from 'preact/hooks'
import type { ResultRow } from '../../client/results/result-row.ts'
import { countOf } from '../../schema/phrases.ts'
import { useLinked } from '../address/view-link.ts'
import { isDoubtfulRow } from '../statistics/comparable-prices.ts'
import type { LeftOut } from '../statistics/left-out-words.ts'

/** The parameter of the address that lets doubtful prices count. */
export const doubtfulParameter = 'doubtful'

/** The rows of a result by whether their amounts may not be rates. */
interface CountedRows {
  /** The rows that count: the sure ones, unless the reader lets all count or all are doubtful. */
  readonly rows: readonly ResultRow[]
  readonly sure: readonly ResultRow[]
  readonly doubtful: readonly ResultRow[]
}

/** Returns the rows that count, as the reader chose. */
export function useCountedRows(all: readonly ResultRow[]): CountedRows {
  const [choice] = useLinked(doubtfulParameter)
  const { sure = [], doubtful = [] } = useMemo(
    () => Object.groupBy(all, (row) => (isDoubtfulRow(row) ? 'doubtful' : 'sure')),
    [all],
  )
  return { sure, doubtful, rows: choice !== undefined || sure.length === 0 ? all : sure }
}

/** Returns a warning if all prices are doubtful, and few words for those of the plot, empty if there are none. */
export function useDoubtfulWords({ count, inPlot }: LeftOut, hasSure: boolean) {
  const [choice] = useLinked(doubtfulParameter)
  if (count > 0 && !hasSure)
    return {
      omission: 'all prices are doubtful',
      warning: <span class="warning">All prices are doubtful: placeholders, or far from all others</span>,
    }
  const omission =
    inPlot === 0 ? '' : `${countOf(inPlot, 'doubtful price')} ${choice === undefined ? 'left out' : 'counted'}`
  return { omission, warning: null }
}
