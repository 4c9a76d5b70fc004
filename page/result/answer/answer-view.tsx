import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import type { Sentence } from '../../../client/results/sentence.ts'
import { formatNumber } from '../../../schema/phrases.ts'
import type { ComparablePrices } from '../comparable-prices.ts'
import { answerCode } from './answer-code.ts'
import { answerCodes } from './answer-codes.ts'
import { describeExpired } from './expired-prices.ts'

interface Props {
  /** The code that the plot shows, as it is narrowed there. */
  readonly shown: ComparablePrices
  /** Every code of the result. */
  readonly codes: readonly ComparablePrices[]
  /** Number of fee schedules with prices of the code that is shown. */
  readonly plans: number
  /** Says which prices are left out. */
  readonly omission: ComponentChildren
  /** Says how prices are counted. */
  readonly counting: ComponentChildren
  readonly children?: ComponentChildren
}

/** Answers the request in one sentence; if a result has several codes, a second one is about the code that is shown. */
export function AnswerView({ shown, codes, plans, omission, counting, children }: Props) {
  const overall = answerCodes(codes)
  const answer = answerCode(shown)
  const [terms = []] = shown.groups.map((group) => group.terms)
  const expired = useMemo(() => describeExpired(shown.groups), [shown])
  const otherPlans = plans - shown.groups.length
  return (
    <div class="answer">
      <p class="lead">
        <Words sentence={overall ?? answer} />
      </p>
      {overall && (
        <p class="detail">
          <Words sentence={answer} />
        </p>
      )}
      <p class="read">
        {terms.length > 0 && <span>Terms: {terms.join(' · ')}</span>}
        {otherPlans > 0 && (
          <span>
            {formatNumber(otherPlans)} other {otherPlans === 1 ? 'plan has' : 'plans have'} prices on other terms only
          </span>
        )}
        {omission}
        {expired !== undefined && <span>{expired}</span>}
        {counting}
      </p>
      {children}
    </div>
  )
}

/** A sentence whose names and amounts are set off. */
export const Words = ({ sentence }: { readonly sentence: Sentence }) =>
  sentence.map(({ text, kind }, index) =>
    kind === 'words' ? (
      text
    ) : (
      <bdi key={index} class={kind}>
        {text}
      </bdi>
    ),
  )
