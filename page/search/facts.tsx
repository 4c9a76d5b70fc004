import { Fragment } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { Manifest } from '../../client/api.ts'
import { writeDraftLink } from '../form/draft-link.ts'
import { formatAge, formatBytes, formatCount, formatNumber, nameAsked, nameSome } from '../formats.ts'
import { useSession } from '../service.ts'

/** What a search asked for, which loads it read, and the size of its result; read again when its status changes. */
export function useManifest(jobId: string, status: string | undefined): Manifest | undefined {
  const { transport } = useSession()
  const [manifest, setManifest] = useState<Manifest>()
  useEffect(() => {
    if (status === undefined) return undefined
    const ended = new AbortController()
    transport
      .call('get-manifest', { path: { job_id: jobId } }, { signal: ended.signal })
      .then(({ body }) => setManifest(body))
      // The state of the search says what is wrong; these facts only add to it.
      .catch(() => {})
    return () => ended.abort()
  }, [transport, jobId, status])
  return manifest
}

export function SearchFacts({ manifest }: { readonly manifest: Manifest }) {
  const { request } = manifest
  const superseded = manifest.fee_schedules.filter((one) => one.superseded)
  return (
    <section aria-label="What was searched" class="facts">
      <dl>
        <dt>Fee schedules</dt>
        <dd>
          <FeeSchedules manifest={manifest} />
        </dd>
        <dt>Billing codes</dt>
        <dd>{describeList(request.billing_codes)}</dd>
        <dt>NPIs</dt>
        <dd>{describeList(request.npis)}</dd>
        {request.tins && (
          <>
            <dt>TINs</dt>
            <dd>{describeList(request.tins)}</dd>
          </>
        )}
        {manifest.status === 'completed' && (
          <>
            <dt>Result</dt>
            <dd>
              {formatCount(manifest.rows, 'row', 'rows')}, {formatBytes(manifest.bytes)} in{' '}
              {formatCount(manifest.shards.length, 'file', 'files')}; kept until{' '}
              {new Date(manifest.results_until).toLocaleDateString()}
            </dd>
            <Absent manifest={manifest} />
          </>
        )}
      </dl>
      {superseded.length > 0 && (
        <p class="warning">
          {superseded.length === 1 ? `The rates of ${superseded[0]?.plan}` : `The rates of ${superseded.length} plans`}{' '}
          were replaced or removed since; this result has the earlier ones.{' '}
          <a href={writeDraftLink(request)}>Search again</a>
        </p>
      )}
      <a href={writeDraftLink(request)}>Change this search</a>
    </section>
  )
}

/** What was asked for and has no row. */
function Absent({
  manifest: { request, without_rows },
}: {
  readonly manifest: Extract<Manifest, { status: 'completed' }>
}) {
  const lists = [
    ['Billing codes', without_rows?.billing_codes, request.billing_codes],
    ['NPIs', without_rows?.npis, request.npis],
    ['TINs', without_rows?.tins, request.tins],
  ] as const
  return lists.map(([name, absent = [], asked = []]) =>
    absent.length === 0 ? null : (
      <Fragment key={name}>
        <dt>{name} without a rate</dt>
        <dd class="warning">
          {formatNumber(absent.length)} of {formatNumber(asked.length)}: {describeList(absent)}
        </dd>
      </Fragment>
    ),
  )
}

/** Maximum number of fee schedules to name. */
const maxNamed = 5

function FeeSchedules({ manifest: { request, fee_schedules: read } }: { readonly manifest: Manifest }) {
  // Until the search has chosen what it reads, only the names are known.
  const unread = { loaded_at: null, last_updated_on: null, partial: null, superseded: null }
  const named = read.length > 0 ? read : request.fee_schedules.map((asked) => ({ ...nameAsked(asked), ...unread }))
  const flagged = named.toSorted((a, b) => Number(b.partial || b.superseded) - Number(a.partial || a.superseded))
  return (
    <ul>
      {flagged.slice(0, maxNamed).map(({ payer, plan, ...rates }) => (
        <li key={`${payer}\n${plan}`}>
          <bdi class="plan">{plan}</bdi> <bdi class="payer">{payer}</bdi>
          {formatAge(rates)}
        </li>
      ))}
      {named.length > maxNamed && <li>and {formatNumber(named.length - maxNamed)} more</li>}
    </ul>
  )
}

/** Maximum number of values to show. */
const maxShown = 12

const describeList = (values: readonly (string | number)[] | undefined) =>
  values === undefined ? 'all' : nameSome(values, maxShown)
