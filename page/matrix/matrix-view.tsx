import { useMemo, useState } from 'preact/hooks'
import { compareTexts } from '../../client/results/compare-texts.ts'
import type { SummaryWeight } from '../../contract/summaries.ts'
import { formatNumber } from '../../schema/phrases.ts'
import { useLinked } from '../address/view-link.ts'
import { nameClass } from '../display/billing-classes.ts'
import { useNarrow } from '../display/use-narrow.ts'
import type { Highlight } from '../highlights/highlight.ts'
import type { ComparableCode } from '../statistics/comparable-prices.ts'
import {
  compareOther,
  compareShared,
  findUsualTerms,
  haveClasses,
  listPlans,
  type MatrixCode,
  type MatrixPlan,
  tagBasis,
} from '../statistics/matrix.ts'
import { describeMonths } from '../statistics/matrix-months.ts'
import { MatrixList } from './matrix-list.tsx'
import { MatrixTable } from './matrix-table.tsx'

/** Numbers of codes shown at once, and of other bases shown of a code. */
const [pageSize, maxOthers] = [25, 20]

interface Props {
  readonly codes: readonly ComparableCode[]
  readonly weight: SummaryWeight
  /** The amount, provider or business that the reader looks for in every cell. */
  readonly highlight: Highlight | undefined
}

/**
 * Shows the median of each code and class in each plan: as a table, or on a narrow screen as a list for each code. A
 * cell leads to its plot and rows.
 */
export function MatrixView({ codes, weight, highlight }: Props) {
  const [choice, setReference] = useLinked('reference')
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set())
  const [shown, setShown] = useState(pageSize)
  const plans = useMemo(() => listPlans(codes), [codes])
  const isNarrow = useNarrow(findLeastWidth(plans.length))
  const reference = plans.find(({ key }) => key === choice) ?? plans[0]
  const key = reference?.key ?? ''
  const ordered = useMemo(() => codes.toSorted((a, b) => compareTexts(a.code, b.code)), [codes])
  const rows = useMemo(
    () => ordered.slice(0, shown).map((code) => ({ code, shared: compareShared(code, key, weight) })),
    [ordered, shown, key, weight],
  )
  const usualTerms = useMemo(() => findUsualTerms(ordered), [ordered])
  const isDivided = useMemo(() => haveClasses(codes), [codes])
  const toggle = (codeKey: string) => {
    const next = new Set(open)
    if (!next.delete(codeKey)) next.add(codeKey)
    setOpen(next)
  }
  const list = rows.map(({ code: { code, name, basis, bases }, shared }): MatrixCode => {
    const codeKey = `${code} ${basis.billingClass}`
    const otherBases = open.has(codeKey) ? bases.slice(1, 1 + maxOthers) : []
    return {
      code,
      key: codeKey,
      name,
      tags: [...(isDivided ? [nameClass(basis.billingClass)] : []), ...tagBasis(shared.basis, usualTerms)],
      shared,
      otherCount: bases.length - 1,
      isOpen: open.has(codeKey),
      others: otherBases.map((other) => compareOther(other, key, weight)),
      onToggle: () => toggle(codeKey),
    }
  })
  if (reference === undefined || (codes.length === 1 && plans.length === 1)) return null
  const shownMatrix = {
    plans,
    highlight,
    codes: list,
    reference: plans.length > 1 ? reference : undefined,
  }
  return (
    <section aria-labelledby="matrix" class="matrix">
      <h2 id="matrix">{plans.length === 1 ? 'Medians by code' : 'Medians by code and plan'}</h2>
      {plans.length > 1 && <ReferenceChoice plans={plans} reference={reference} onChoice={setReference} />}
      <p class="read">{describeMonths(plans)}</p>
      {isNarrow ? <MatrixList {...shownMatrix} /> : <MatrixTable {...shownMatrix} />}
      {codes.length > shown && (
        <button type="button" onClick={() => setShown(shown + pageSize)}>
          Show {formatNumber(Math.min(pageSize, codes.length - shown))} more codes
        </button>
      )}
    </section>
  )
}

/** Widths in rem: of the table without plans, of a plan, of a phone, and of a window on which a table may scroll. */
const [headWidth, planWidth, phoneWidth, scrollWidth] = [18, 8, 40, 62]

/** Returns the width of the window that a table of plans needs; on a narrower one it is a list. */
const findLeastWidth = (plans: number) => Math.max(phoneWidth, Math.min(scrollWidth, headWidth + plans * planWidth))

interface ReferenceProps {
  readonly plans: readonly MatrixPlan[]
  readonly reference: MatrixPlan
  readonly onChoice: (key: string | undefined) => void
}

function ReferenceChoice({ plans, reference, onChoice }: ReferenceProps) {
  return (
    <div class="controls choices">
      <div>
        <label for="reference">Differences from</label>
        <select
          id="reference"
          value={reference.key}
          onChange={({ currentTarget: { value } }) => onChoice(value === plans[0]?.key ? undefined : value)}
        >
          {plans.map(({ key, plan, payer }) => (
            <option key={key} value={key}>
              {plan} · {payer}
            </option>
          ))}
        </select>
      </div>
    </div>
  )
}
