import { describeBriefly, namePeriod } from '../../client/results/comparison/change-sentences.ts'
import { asksForSame } from '../../client/results/comparison/comparable-requests.ts'
import { NotComparable } from '../../client/results/comparison/not-comparable.ts'
import { Words } from '../result/answer-view.tsx'
import type { Changes } from './use-changes.ts'

/** The id of the heading above all that changed. */
export const changesTitle = 'changes-title'

/** Says in one sentence what changed, with a way to the section that says more; empty if nothing is compared. */
export const ChangeLine = ({ changes }: { readonly changes: Changes | undefined }) => (
  <div role="status">{changes && <Line changes={changes} />}</div>
)

function Line({ changes: { newer, compared, error } }: { readonly changes: Changes }) {
  const comparison = compared?.comparison
  if (error === undefined && compared === undefined) return <p class="read">Comparing with the earlier result …</p>
  if (error !== undefined || compared === undefined || comparison === undefined)
    return (
      <p class="detail changed">
        <SectionButton />: {nameObstacle(error)}.
      </p>
    )
  return (
    <p class="detail changed">
      <SectionButton since={namePeriod(comparison.published)?.from} />: <Words sentence={describeBriefly(comparison)} />
      {!asksForSame(compared.older, newer) && <span class="warning"> The two searches asked for different plans.</span>}
    </p>
  )
}

function nameObstacle(error: unknown): string {
  if (error === undefined) return 'one of the results is too large to be compared here'
  return error instanceof NotComparable ? 'these results cannot be compared' : 'the results could not be compared'
}

/** Leads to the section of changes. It is no link, because the fragment of the address names the view. */
const SectionButton = ({ since }: { readonly since?: string | undefined }) => (
  <button type="button" class="quiet inline" onClick={showSection}>
    What changed{since !== undefined && ` since ${since}`}
  </button>
)

function showSection(): void {
  const title = document.getElementById(changesTitle)
  title?.scrollIntoView()
  title?.focus()
}
