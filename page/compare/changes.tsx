import { useEffect, useMemo, useState } from 'preact/hooks'
import type { Manifest } from '../../client/api.ts'
import { chooseColumns, listChanges } from '../../client/results/comparison/change-columns.ts'
import { describeComparison } from '../../client/results/comparison/change-sentences.ts'
import { type Comparison, compareResults } from '../../client/results/comparison/compare-results.ts'
import { NotComparable } from '../../client/results/comparison/not-comparable.ts'
import type { Change } from '../../client/results/comparison/price-changes.ts'
import { comparedColumns } from '../../client/results/comparison/price-index.ts'
import { openFiles, type ShardFile } from '../../client/results/shard-file.ts'
import type { SearchCalls } from '../../client/search-calls.ts'
import { readRows } from '../parquet/read-rows.ts'
import { ProblemBox } from '../problem.tsx'
import { Words } from '../result/answer/answer-view.tsx'
import { RowTable } from '../result/row-table.tsx'
import { searchLink } from '../routes.ts'
import { readCompleted, useSession } from '../service.ts'
import { describeResult, hasSameRequest } from './earlier-results.ts'
import { FigureTable } from './figure-table.tsx'

interface Props {
  readonly olderId: string
  readonly manifest: Manifest
  /** The files of its result. */
  readonly files: readonly ShardFile[]
}

interface Compared {
  readonly older: Manifest
  /** Undefined if a result is too large to be read whole: a part of it has other changes. */
  readonly comparison: Comparison | undefined
}

async function compare(client: SearchCalls, olderId: string, files: Props['files']): Promise<Compared> {
  const renew = () => readCompleted(client, olderId)
  const older = await client.manifest(olderId)
  const before = await readRows(openFiles(await renew(), renew), comparedColumns, undefined, 0)
  const now = await readRows(files, comparedColumns, undefined, 0)
  if (!before?.isAll || !now?.isAll) return { older, comparison: undefined }
  return { older, comparison: await compareResults([before.rows], [now.rows]) }
}

/** Compares a result with an older one: a sentence, figures of plans and codes, and the prices that differ. */
export function Changes({ olderId, manifest, files }: Props) {
  const { client } = useSession()
  const [compared, setCompared] = useState<Compared>()
  const [error, setError] = useState<unknown>()
  const readBoth = () => {
    setError(undefined)
    compare(client, olderId, files).then(setCompared, setError)
  }
  useEffect(readBoth, [])
  if (error instanceof NotComparable) return <p class="problem">These results cannot be compared: {error.message}.</p>
  if (error !== undefined) return <ProblemBox error={error} onRetry={readBoth} isReading />
  if (compared === undefined) return <p role="status">Reading both results …</p>
  const { older, comparison } = compared
  if (comparison === undefined) return <TooLarge olderId={olderId} newerId={manifest.job_id} />
  return (
    <>
      <Answer comparison={comparison} older={older} isSameRequest={hasSameRequest(older, manifest)} />
      {comparison.plans.length > 0 && <FigureTable comparison={comparison} />}
      {comparison.changes.length > 0 && <ChangeTable changes={comparison.changes} />}
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
      <p class="lead" role="status">
        <Words sentence={lead} />
      </p>
      {notes.map((note, index) => (
        <p key={index} class="detail">
          <Words sentence={note} />
        </p>
      ))}
      {!isSameRequest && (
        <p class="warning">
          The two searches asked for different rates: prices that only one asked for did not change.
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
  const [shown, setShown] = useState<readonly string[]>(columns)
  return (
    <>
      {common.length > 0 && <p class="read">All changes have: {common.join(', ')}</p>}
      <RowTable
        nouns={['change', 'changes']}
        rows={listing.rows}
        all={listing.columns}
        columns={shown}
        onColumns={setShown}
      />
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
