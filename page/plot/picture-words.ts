import { useContext, useMemo } from 'preact/hooks'
import { writeSentence } from '../../client/results/sentence.ts'
import { joinTitle } from '../../client/search-title.ts'
import type { SummaryWeight } from '../../contract/summaries.ts'
import { nameSome } from '../../schema/phrases.ts'
import { formatMonth } from '../display/formats.ts'
import { TitleContext } from '../display/saved-files.ts'
import type { Highlight } from '../highlights/highlight.ts'
import { answerCode } from '../statistics/answer-code.ts'
import type { ComparablePrices } from '../statistics/comparable-prices.ts'
import { countedOnce } from '../statistics/weights.ts'
import type { PictureWords } from './draw-picture.ts'

/** Maximum numbers of plans and of months of a plan that a picture names. */
const [maxPlans, maxMonths] = [6, 3]

interface Facts {
  /** The prices that the sentence compares. */
  readonly shared: ComparablePrices
  readonly weight: SummaryWeight
  /** Says which prices are left out; empty if none are. */
  readonly omission: string
  readonly highlight: Highlight | undefined
}

/** Returns the words of a picture of the plot: title and sentence, and where its numbers come from. */
export function usePictureWords({ shared, weight, omission, highlight }: Facts): Omit<PictureWords, 'caption'> {
  const title = joinTitle(useContext(TitleContext))
  const sentence = useMemo(() => writeSentence(answerCode(shared)), [shared])
  const plans = shared.groups.map(({ plan, payer, months }) => {
    const published = months.length === 0 ? '' : `, published ${nameSome(months.map(formatMonth), maxMonths)}`
    return `${plan} of ${payer}${published}`
  })
  const label = highlight?.kind === 'party' || highlight?.kind === 'amount' ? `marked: ${highlight.label}` : ''
  const facts = [countedOnce[weight], omission, label].filter((fact) => fact !== '')
  return {
    title,
    sentence,
    source: [`Source: ${nameSome(plans, maxPlans, '; ')}.`, `Counted: ${facts.join('; ')}.`],
  }
}
