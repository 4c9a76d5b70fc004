import { useEffect, useState } from 'preact/hooks'
import type { CompletedManifest, Manifest } from '../../client/api.ts'
import { type FilterValues, requestedValuesOf } from '../../contract/filters.ts'
import { formatNumber, nameSome } from '../../schema/phrases.ts'
import { formatMonth } from '../display/formats.ts'
import { writeDraftLink } from '../form/draft-link.ts'
import { listFields } from '../form/list-fields.ts'
import { useSession } from '../service/service.ts'

/** Reads the manifest of a search: its request, its loads and the size of its result; again when its status changes. */
export function useManifest(jobId: string, status: string | undefined): Manifest | undefined {
  const { client } = useSession()
  const [manifest, setManifest] = useState<Manifest>()
  useEffect(() => {
    if (status === undefined) return undefined
    const ended = new AbortController()
    client
      .manifest(jobId, { signal: ended.signal })
      .then(setManifest)
      // The state of the search says what is wrong; these facts only add to it.
      .catch(() => {})
    return () => ended.abort()
  }, [client, jobId, status])
  return manifest
}

/** The link to the form, with what a search asked for. */
export const ChangeLink = ({ manifest }: { readonly manifest: Manifest }) => (
  <a href={writeDraftLink(manifest.request)}>Change this search</a>
)

interface NoticesProps {
  readonly manifest: Manifest
  /** True if a sentence about the result and its matrix name the months of publication. */
  readonly hasSentence: boolean
}

/** States the day of a result and what it lacks: rates that were replaced since, and requested values without a row. */
export function Notices({ manifest, hasSentence }: NoticesProps) {
  const superseded = manifest.fee_schedules.filter((one) => one.superseded)
  return (
    <>
      {manifest.request.as_of && <p>At the end of {manifest.request.as_of} (UTC).</p>}
      {!hasSentence && <Months manifest={manifest} />}
      {superseded.length > 0 && (
        <p class="warning">
          {superseded.length === 1 ? `The rates of ${superseded[0]?.plan}` : `The rates of ${superseded.length} plans`}{' '}
          were replaced or removed since; this result has the earlier ones.{' '}
          <a href={writeDraftLink(manifest.request)}>Search again</a>
        </p>
      )}
      {manifest.status === 'completed' && manifest.truncated && manifest.request.summary && (
        <p>These are the rows with the first {manifest.request.summary.limit} ranks; there are more.</p>
      )}
      {manifest.status === 'completed' && manifest.truncated && !manifest.request.summary && (
        <p class="warning">
          The search has more rows than its limit of {formatNumber(manifest.rows)}: these are any of them, so their
          prices are not compared.
        </p>
      )}
      {manifest.status === 'completed' && <Absent manifest={manifest} />}
    </>
  )
}

/** Names the months of publication if they differ: a difference between plans may then be one between months. */
function Months({ manifest: { fee_schedules } }: { readonly manifest: Manifest }) {
  const dated = fee_schedules.flatMap(({ plan, last_updated_on: day }) =>
    day ? [{ plan, month: day.slice(0, 7) }] : [],
  )
  const months = [...Map.groupBy(dated, ({ month }) => month)].sort(([a], [b]) => (a < b ? 1 : -1))
  if (months.length < 2) return null
  const phrases = months.map(([month, plans]) => `${formatMonth(month)}: ${nameSome(plans.map(({ plan }) => plan))}`)
  return <p class="warning">Published in different months. {phrases.join('; ')}</p>
}

/** Names the requested values that have no row. */
function Absent({ manifest: { request, without_rows } }: { readonly manifest: CompletedManifest }) {
  return listFields.map(({ label, filter }) => {
    const absent = requestedValuesOf(without_rows ?? {}, filter) ?? []
    const values = requestedValuesOf(request, filter) ?? []
    return absent.length === 0 ? null : (
      <p key={label} class="warning">
        {label} without a rate: {formatNumber(absent.length)} of {formatNumber(values.length)}: {describeList(absent)}
      </p>
    )
  })
}

/** Maximum number of values to show. */
const maxShown = 12

/** Lists the first of requested values. */
export const describeList = (values: FilterValues | undefined) =>
  values === undefined ? 'all' : nameSome<number | string>(values, maxShown)
