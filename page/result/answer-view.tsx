import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import type { Sentence } from '../../client/results/sentence.ts'
import type { SummaryWeight } from '../../contract/summaries.ts'
import { countOf } from '../../schema/phrases.ts'
import { PlanSwatch } from '../display/plan-swatch.tsx'
import { answerCode } from '../statistics/answer-code.ts'
import { answerCodes } from '../statistics/answer-codes.ts'
import type { ComparableCode, ComparablePrices } from '../statistics/comparable-prices.ts'
import { answerOtherClass } from '../statistics/other-class.ts'
import { countedBriefly } from '../statistics/weights.ts'

interface Props {
  /** The code that the plot shows, as it is narrowed there. */
  readonly shown: ComparablePrices
  /** Every code of the result. */
  readonly codes: readonly ComparableCode[]
  readonly weight: SummaryWeight
  /** Says which plans are not compared, and why. */
  readonly notCompared: string | undefined
  /** Says in few words which prices are left out; empty if none are. */
  readonly omission: string
  /** Facts that change how the sentence is read. */
  readonly warnings: ComponentChildren
  /** Says how prices are counted; undefined until its code is loaded. */
  readonly facts: ComponentChildren
  readonly children?: ComponentChildren
}

/**
 * Answers the request in one sentence; if a result has several codes, a second one is about the code that is shown. If
 * that has prices of professionals and of facilities, a line names those that are not shown. How prices are counted is
 * folded below one line.
 */
export function AnswerView({ shown, codes, weight, notCompared, omission, warnings, facts, children }: Props) {
  const overall = useMemo(() => answerCodes(codes), [codes])
  const answer = useMemo(() => answerCode(shown), [shown])
  const otherClass = useMemo(() => answerOtherClass(shown, codes, weight), [shown, codes, weight])
  const prices = shown.groups.reduce((sum, group) => sum + group.prices.length, 0)
  const counted = [`${countOf(prices, 'price')}, ${countedBriefly[weight]}`, omission, 'how this is counted']
  return (
    <div class="answer">
      <p class="lead">
        <Words sentence={overall ?? answer} />
      </p>
      {[overall && answer, otherClass].map(
        (sentence, index) =>
          sentence && (
            <p key={index} class="detail">
              <Words sentence={sentence} />
            </p>
          ),
      )}
      <p class="read">
        {notCompared !== undefined && <span>{notCompared}</span>}
        {warnings}
      </p>
      <details class="counting">
        <summary>{counted.filter((fact) => fact !== '').join(' · ')}</summary>
        {facts}
      </details>
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
