import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import type { Sentence } from '../../client/results/sentence.ts'
import { countOf } from '../../schema/phrases.ts'
import { PlanSwatch } from '../display/plan-swatch.tsx'
import { describeExpired } from '../highlights/price-shapes.ts'
import { answerCode } from '../statistics/answer-code.ts'
import { answerCodes, findSharedTerms, listCompared, writeTerms } from '../statistics/answer-codes.ts'
import type { ComparableCode, ComparablePrices } from '../statistics/comparable-prices.ts'

interface Props {
  /** The code that the plot shows, as it is narrowed there. */
  readonly shown: ComparablePrices
  /** Every code of the result. */
  readonly codes: readonly ComparableCode[]
  /** Number of fee schedules with prices of the code that is shown. */
  readonly plans: number
  /** Says which plans are not compared, and why. */
  readonly notCompared: string | undefined
  /** Says which prices are left out. */
  readonly omission: ComponentChildren
  /** Says how prices are counted. */
  readonly counting: ComponentChildren
  readonly children?: ComponentChildren
}

/** Answers the request in one sentence; if a result has several codes, a second one is about the code that is shown. */
export function AnswerView({ shown, codes, plans, notCompared, omission, counting, children }: Props) {
  const overall = useMemo(() => answerCodes(codes), [codes])
  const namedTerms = useMemo(() => findSharedTerms(listCompared(codes)), [codes])
  const answer = useMemo(() => answerCode(shown), [shown])
  const terms = shown.groups[0]?.terms ?? []
  const isNamed = overall !== undefined && namedTerms === writeTerms(terms)
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
        {terms.length > 0 && !isNamed && <span>Terms: {terms.join(' · ')}</span>}
        {otherPlans > 0 && (
          <span>{countOf(otherPlans, 'other plan has', 'other plans have')} prices on other terms only</span>
        )}
        {notCompared !== undefined && <span>{notCompared}</span>}
        {omission}
        {expired !== undefined && <span>{expired}</span>}
        {counting}
      </p>
      {children}
    </div>
  )
}

/** A sentence whose names and amounts are set off. A plan has its swatch where it is named first. */
export const Words = ({ sentence }: { readonly sentence: Sentence }) =>
  sentence.map(({ text, kind, plan }, index) =>
    kind === 'words' ? (
      text
    ) : (
      <bdi key={index} class={kind}>
        {plan && isFirst(sentence, index) && <PlanSwatch {...plan} />}
        {text}
      </bdi>
    ),
  )

const isFirst = (sentence: Sentence, index: number) =>
  sentence.findIndex(({ kind, text }) => kind === 'plan' && text === sentence[index]?.text) === index
