import { compose, type Part, type Sentence, showPlan } from '../../client/results/sentence.ts'
import type { SummaryWeight } from '../../contract/summaries.ts'
import { at } from '../../schema/at.ts'
import { keyOfPlan } from './answer-codes.ts'
import { type ComparableCode, type ComparablePrices, isSingleService } from './comparable-prices.ts'
import { groupPrices, medianOf, type RateGroup } from './rate-groups.ts'
import { showAmount } from './sentence.ts'

/** The class that is named beside another, who bills it, and words for facilities in its sentence. */
interface OtherClass {
  readonly name: string
  readonly billers: string
  readonly there: string
}

/** The class that is named beside each. Source: CMS schema, `billing_class`. */
const otherClasses: Readonly<Record<string, OtherClass>> = {
  professional: { name: 'institutional', billers: 'Hospitals and other facilities', there: 'there' },
  institutional: { name: 'professional', billers: 'Professionals', there: 'in a facility' },
}

/** The modifier of a physician's part of a service, such as the reading of an MRI. Source: CPT, modifiers. */
const professionalComponent = '26'

/**
 * Names the amounts of the other class of a code, if it has both: what a facility bills beside a professional's price,
 * or the reverse. It never says that one is paid besides, because a professional price without modifier is often for
 * machine and reading; the physician's part in a facility has a modifier, where payers publish it.
 */
export function answerOtherClass(
  { code, basis, groups: shown }: ComparablePrices,
  codes: readonly ComparableCode[],
  weight: SummaryWeight,
): Sentence | undefined {
  const otherClass = otherClasses[basis.billingClass]
  if (otherClass === undefined) return undefined
  const { name, billers, there } = otherClass
  const ofCode = codes.filter((each) => each.code === code && isSingleService(each.arrangement))
  const findClass = (billingClass: string) => ofCode.find((each) => each.basis.billingClass === billingClass)
  const other = findClass(name)
  if (other === undefined || other.groups.length === 0) return undefined
  const parts = findClass('professional')?.bases.find((each) => each.basis.modifiers === professionalComponent)
  const groupsOfPart = parts === undefined ? [] : groupPrices(parts.kinds.flat(), weight)
  const end =
    parts === undefined || groupsOfPart.length === 0
      ? ['; a physician may bill apart.']
      : [
          `; the physician’s part ${there} is modifier ${professionalComponent}: `,
          ...showMedians(groupsOfPart, parts.basis.unit, shown),
          '.',
        ]
  return compose(`${billers} bill their own amount: `, ...showMedians(other.groups, other.basis.unit, shown), ...end)
}

/**
 * Shows the medians of one or two plans, or the lowest and the highest of more. Those of the plans that are shown stand
 * in the order in which the sentence names these; any others have their names.
 */
function showMedians(
  groups: readonly RateGroup[],
  unit: string,
  shown: readonly RateGroup[],
): readonly (string | Part)[] {
  const order = shown.map(keyOfPlan)
  const isNamed = order.length === groups.length && groups.every((group) => order.includes(keyOfPlan(group)))
  const sorted = isNamed ? groups.toSorted((a, b) => order.indexOf(keyOfPlan(a)) - order.indexOf(keyOfPlan(b))) : groups
  const ends = groups.length > 2 ? [at(groups, 0), at(groups, groups.length - 1)] : sorted
  return ends.flatMap((group, index) => [
    index === 0 ? '' : joinEnds(groups),
    showAmount(medianOf(group), unit),
    ...(isNamed && groups.length < 3 ? [] : [' (', showPlan(group, groups), ')']),
  ])
}

const joinEnds = ({ length }: readonly RateGroup[]) => (length > 2 ? ' to ' : ' and ')
