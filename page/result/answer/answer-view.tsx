import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import { formatNumber } from '../../../schema/phrases.ts'
import type { ComparablePrices } from '../comparable-prices.ts'
import { answerCode } from './answer-code.ts'
import { answerCodes } from './answer-codes.ts'
import { describeExpired } from './expired-prices.ts'
import type { Sentence } from './sentence.ts'

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

/** The answer of a result in one sentence; if it has several codes, a second sentence is about the one that is shown. */
export function AnswerView({ shown, codes, plans, omission, counting, children }: Props) {
  const overall = answerCodes(codes)
  const answer = answerCode(shown)
  const [terms = []] = shown.groups.map((group) => group.terms)
  const expired = useMemo(() => describeExpired(shown.groups), [shown])
  const others = plans - shown.groups.length
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
        {others > 0 && (
          <span>
            {formatNumber(others)} other {others === 1 ? 'plan has' : 'plans have'} prices on other terms only
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
