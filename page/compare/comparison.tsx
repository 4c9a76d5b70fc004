import { useEffect, useState } from 'preact/hooks'
import type { Manifest } from '../../client/api.ts'
import { type Change, comparedColumns, compareResults, countChanges } from '../../client/results/compare-results.ts'
import { openFiles, type ShardFile } from '../../client/results/shard-file.ts'
import type { SearchCalls } from '../../client/search-calls.ts'
import type { Decimal } from '../../parquet/decimal.ts'
import { writeDraftLink } from '../form/draft-link.ts'
import { readRows } from '../parquet/read-rows.ts'
import { ProblemBox } from '../problem.tsx'
import { RowTable } from '../result/row-table.tsx'
import { searchLink } from '../routes.ts'
import { readCompleted, useSession } from '../service.ts'
import { useLinked } from '../view-link.ts'
import { describeMoment, findEarlierResults, hasSameRequest, maxListed } from './earlier-results.ts'

interface Props {
  readonly manifest: Manifest
  /** The files of its result. */
  readonly files: readonly ShardFile[]
}

/** Offers earlier results of the same request, and shows which prices differ. The address names the one that is chosen. */
export function Comparison({ manifest, files }: Props) {
  const { client } = useSession()
  const [chosen, setChosen] = useLinked('compare')
  const [earlier, setEarlier] = useState<readonly Manifest[]>()
  const [error, setError] = useState<unknown>()
  const find = () => {
    setError(undefined)
    findEarlierResults(client, manifest).then(setEarlier, setError)
  }
  return (
    <section aria-labelledby="earlier">
      <h2 id="earlier">Earlier results</h2>
      {earlier === undefined && (
        <button type="button" onClick={find}>
          Compare with {chosen === undefined ? 'an earlier' : 'another'} result …
        </button>
      )}
      {error !== undefined && <ProblemBox error={error} onRetry={find} isReading />}
      {earlier?.length === 0 && (
        <p role="status">
          None of the latest {maxListed} searches is of the same request with earlier rates.{' '}
          <a href={writeDraftLink(manifest.request)}>Make one: fill in a day under “As of”.</a>
        </p>
      )}
      {earlier !== undefined && earlier.length > 0 && (
        <div class="compare">
          <label for="compare">Compare with</label>
          <select
            id="compare"
            value={chosen ?? ''}
            onChange={({ currentTarget }) => setChosen(currentTarget.value || undefined)}
          >
            <option value="">no other result</option>
            {earlier.map((each) => (
              <option key={each.job_id} value={each.job_id}>
                {describeMoment(each)}
              </option>
            ))}
          </select>
        </div>
      )}
      {chosen !== undefined && <Changes key={chosen} olderId={chosen} manifest={manifest} files={files} />}
    </section>
  )
}

interface Compared {
  readonly older: Manifest
  /** Undefined if a result is too large to be read whole: a part of it has other changes. */
  readonly changes: readonly Change[] | undefined
}

async function compare(client: SearchCalls, olderId: string, files: Props['files']): Promise<Compared> {
  const renew = () => readCompleted(client, olderId)
  const older = await client.manifest(olderId)
  const before = await readRows(openFiles(await renew(), renew), comparedColumns, undefined, 0)
  const now = await readRows(files, comparedColumns, undefined, 0)
  if (!before?.isAll || !now?.isAll) return { older, changes: undefined }
  return { older, changes: await compareResults([before.rows], [now.rows]) }
}

function Changes({ olderId, manifest, files }: Props & { readonly olderId: string }) {
  const { client } = useSession()
  const [compared, setCompared] = useState<Compared>()
  const [error, setError] = useState<unknown>()
  const read = () => {
    setError(undefined)
    compare(client, olderId, files).then(setCompared, setError)
  }
  useEffect(read, [])
  if (error instanceof RangeError) return <p class="problem">These results cannot be compared: {error.message}.</p>
  if (error !== undefined) return <ProblemBox error={error} onRetry={read} isReading />
  if (compared === undefined) return <p role="status">Reading both results …</p>
  const { older, changes } = compared
  if (changes === undefined)
    return (
      <div class="problem" role="alert">
        <p>
          One of these results is too large to be read here whole, and parts of it have other changes. The command line
          compares them:
        </p>
        <pre class="scroll">{writeCommands(olderId, manifest.job_id)}</pre>
      </div>
    )
  return (
    <>
      <p role="status">
        {countChanges(changes)}, from the <a href={searchLink(olderId)}>{describeMoment(older)}</a> to the{' '}
        {describeMoment(manifest)}.
      </p>
      {!hasSameRequest(older, manifest) && (
        <p class="warning">The two searches asked for different rates: what only one asked for is no change.</p>
      )}
      {changes.length > 0 && <ChangeTable changes={changes} />}
    </>
  )
}

const columns = [
  ...['change', 'billing_code', 'old', 'new', 'percent', 'rate_unit', 'plan', 'billing_code_type', 'tin_value'],
  ...['payer', 'price_key'],
]

function ChangeTable({ changes }: { readonly changes: readonly Change[] }) {
  const [shown, setShown] = useState<readonly string[]>(columns.slice(0, -2))
  const rows = changes.map((each) => ({ ...each, old: showOne(each.old), new: showOne(each.new) }))
  return <RowTable nouns={['change', 'changes']} rows={rows} all={columns} columns={shown} onColumns={setShown} />
}

/** A single amount as a number, which sorts and adds up as one. */
const showOne = (amounts: readonly Decimal[]) => (amounts.length === 1 ? amounts[0] : amounts)

function writeCommands(olderId: string, newerId: string): string {
  const [older, newer] = [olderId, newerId].map((id) => `rates-${id.slice(0, 8)}/`)
  return [
    `rate-search download ${olderId} --out ${older}`,
    `rate-search download ${newerId} --out ${newer}`,
    `rate-search diff ${older} ${newer}`,
  ].join('\n')
}
