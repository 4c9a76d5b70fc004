import { Fragment } from 'preact'
import { useMemo } from 'preact/hooks'
import type { ResultRow } from '../../client/results/result-row.ts'
import { defaultWeight, type SummaryWeight } from '../../contract/summaries.ts'
import { countOf } from '../../schema/phrases.ts'
import { useLinked } from '../address/view-link.ts'
import { describeExpired } from '../highlights/price-shapes.ts'
import type { ComparableCode, ComparablePrices } from '../statistics/comparable-prices.ts'
import { describeCompared } from '../statistics/compared-codes.ts'
import { describeLeftOut, type LeftOut } from '../statistics/left-out-words.ts'
import { listWeights } from '../statistics/rate-groups.ts'
import { countedOnce, thingNames } from '../statistics/weights.ts'
import { doubtfulParameter } from './use-doubtful.tsx'
import { weightParameter } from './weight-view.tsx'

interface Props {
  /** The code that the plot shows, as it is narrowed there. */
  readonly shown: ComparablePrices
  /** Every code of the result. */
  readonly codes: readonly ComparableCode[]
  /** Number of fee schedules with prices of the code that is shown. */
  readonly plans: number
  /** The rows of the result. */
  readonly rows: readonly ResultRow[]
  readonly weight: SummaryWeight
  /** The doubtful values; undefined if there are no others. */
  readonly leftOut: LeftOut | undefined
}

/** Says on which terms prices are compared, which are not, and how they are counted. */
export function CountingFacts({ shown, codes, plans, rows, weight, leftOut }: Props) {
  const terms = shown.groups[0]?.terms ?? []
  const otherPlans = plans - shown.groups.length
  const facts = [
    describeCompared(codes),
    terms.length > 0 ? `Terms: ${terms.join(' · ')}` : undefined,
    otherPlans > 0
      ? `${countOf(otherPlans, 'other plan has', 'other plans have')} prices of another class or on other terms only`
      : undefined,
    describeExpired(shown.groups),
  ]
  return (
    <p class="read">
      {facts.map((fact) => fact !== undefined && <span key={fact}>{fact}</span>)}
      {leftOut !== undefined && leftOut.count > 0 && <DoubtfulNotice leftOut={leftOut} />}
      <WeightChoice rows={rows} weight={weight} />
    </p>
  )
}

/** Says how prices are counted, and offers the other ways that the rows of the result allow. */
function WeightChoice({ rows, weight }: { readonly rows: readonly ResultRow[]; readonly weight: SummaryWeight }) {
  const [, setChoice] = useLinked(weightParameter)
  const otherWeights = useMemo(() => listWeights(rows).filter((other) => other !== weight), [rows, weight])
  return (
    <span>
      Counted: {countedOnce[weight]}
      {otherWeights.map((choice) => (
        <Fragment key={choice}>
          {' '}
          <button
            type="button"
            class="quiet inline"
            title={`Count ${countedOnce[choice]}`}
            onClick={() => setChoice(choice === defaultWeight ? undefined : choice)}
          >
            By {thingNames[choice]}
          </button>
        </Fragment>
      ))}
    </span>
  )
}

/** Says how many prices are doubtful, and lets them count. */
function DoubtfulNotice({ leftOut }: { readonly leftOut: LeftOut }) {
  const [choice, setChoice] = useLinked(doubtfulParameter)
  const isCounted = choice !== undefined
  return (
    <span>
      {describeLeftOut(leftOut, isCounted)}: placeholders, and amounts far from all others{' '}
      <button type="button" class="quiet inline" onClick={() => setChoice(isCounted ? undefined : 'counted')}>
        {isCounted ? 'Leave them out' : 'Count them'}
      </button>
    </span>
  )
}
