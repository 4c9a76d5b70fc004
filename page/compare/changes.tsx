import { useMemo, useState } from 'preact/hooks'
import type { Manifest } from '../../client/api.ts'
import { chooseColumns, listChanges } from '../../client/results/comparison/change-columns.ts'
import { describeComparison } from '../../client/results/comparison/change-sentences.ts'
import { asksForSame } from '../../client/results/comparison/comparable-requests.ts'
import type { Comparison } from '../../client/results/comparison/compare-results.ts'
import { NotComparable } from '../../client/results/comparison/not-comparable.ts'
import type { Change } from '../../client/results/comparison/price-changes.ts'
import { searchLink } from '../address/routes.ts'
import { Words } from '../result/answer-view.tsx'
import { RowTable } from '../result/row-table.tsx'
import { ProblemBox } from '../service/problem.tsx'
import { describeResult } from './earlier-results.ts'
import { FigureTable } from './figure-table.tsx'
import type { Changes } from './use-changes.ts'

/** The columns that are shown first: as many as fit beside each other. */
const firstColumns = [...['change', 'percent', 'old', 'new', 'rate_unit', 'billing_code', 'name', 'provider', 'plan']]

/** Shows what differs between two results: a sentence, figures of plans and codes, and the prices that differ. */
export function ChangesView({ changes: { olderId, newer, compared, error, retry } }: { readonly changes: Changes }) {
  if (error instanceof NotComparable) return <p class="problem">These results cannot be compared: {error.message}.</p>
  if (error !== undefined) return <ProblemBox error={error} onRetry={retry} isReading />
  if (compared === undefined) return <p>Reading both results …</p>
  const { older, comparison } = compared
  if (comparison === undefined) return <TooLarge olderId={olderId} newerId={newer.job_id} />
  return (
    <>
      <Answer comparison={comparison} older={older} isSameRequest={asksForSame(older, newer)} />
      {comparison.plans.length > 0 && <FigureTable comparison={comparison} />}
      {comparison.changes.length > 0 && <ChangeTable key={olderId} changes={comparison.changes} />}
    </>
  )
}

interface AnswerProps {
  readonly comparison: Comparison
  readonly older: Manifest
  readonly isSameRequest: boolean
}

function Answer({ comparison, older, isSameRequest }: AnswerProps) {
  const { lead, notes } = describeComparison(comparison)
  return (
    <div class="answer">
      <p class="lead">
        <Words sentence={lead} />
      </p>
      {notes.map((note, index) => (
        <p key={index} class="detail">
          <Words sentence={note} />
        </p>
      ))}
      {!isSameRequest && (
        <p class="warning">
          The two searches asked for different plans: prices that only one asked for did not change.
        </p>
      )}
      <p class="read">
        <span>
          Compared with the result <a href={searchLink(older.job_id)}>{describeResult(older)}</a>
        </span>
      </p>
    </div>
  )
}

function ChangeTable({ changes }: { readonly changes: readonly Change[] }) {
  const listing = useMemo(() => listChanges(changes), [changes])
  const { columns, common } = useMemo(() => chooseColumns(listing), [listing])
  const first = columns.includes('provider') ? firstColumns : [...firstColumns, 'tin_value']
  const [shown, setShown] = useState<readonly string[]>(columns.filter((column) => first.includes(column)))
  return (
    <>
      {common.length > 0 && <p class="read">All changes have: {common.join(', ')}</p>}
      <div class="changes">
        <RowTable
          nouns={['change', 'changes']}
          rows={listing.rows}
          all={listing.columns}
          columns={shown}
          onColumns={setShown}
        />
      </div>
    </>
  )
}

interface TooLargeProps {
  readonly olderId: string
  readonly newerId: string
}

const TooLarge = ({ olderId, newerId }: TooLargeProps) => (
  <div class="problem" role="alert">
    <p>
      One of these results is too large to be read here whole, and parts of it have other changes. The command line
      compares them:
    </p>
    <pre class="scroll">{writeCommands(olderId, newerId)}</pre>
  </div>
)

function writeCommands(olderId: string, newerId: string): string {
  const [older, newer] = [olderId, newerId].map((id) => `rates-${id.slice(0, 8)}/`)
  return [
    `rate-search download ${olderId} --out ${older}`,
    `rate-search download ${newerId} --out ${newer}`,
    `rate-search diff ${older} ${newer}`,
  ].join('\n')
}
