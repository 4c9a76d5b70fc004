import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { Manifest } from '../../client/api.ts'
import { formatBytes } from '../../client/command-line/table.ts'
import { countOf, formatNumber, nameSome } from '../../schema/phrases.ts'
import { writeDraftLink } from '../form/draft-link.ts'
import { listFields } from '../form/list-fields.ts'
import { formatAge, nameAsked } from '../formats.ts'
import { useSession } from '../service.ts'

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

export function SearchFacts({ manifest }: { readonly manifest: Manifest }) {
  const { request } = manifest
  const superseded = manifest.fee_schedules.filter((one) => one.superseded)
  return (
    <section aria-label="What was searched" class="facts">
      <dl>
        <Fact name="Fee schedules">
          <FeeSchedules manifest={manifest} />
        </Fact>
        <Fact name="Billing codes">{describeList(request.billing_codes)}</Fact>
        <Fact name="NPIs">{describeList(request.npis)}</Fact>
        {request.tins && <Fact name="TINs">{describeList(request.tins)}</Fact>}
        {Object.entries(request.providers ?? {}).map(([name, values]) => (
          <Fact key={name} name={listFields.find((field) => field.name === name)?.label ?? name}>
            {describeList(values)}
          </Fact>
        ))}
        {request.as_of && <Fact name="As of">the end of {request.as_of} (UTC)</Fact>}
        {manifest.status === 'completed' && (
          <>
            <Fact name="Result">
              {countOf(manifest.rows, 'row')}, {formatBytes(manifest.bytes)} in{' '}
              {countOf(manifest.shards.length, 'file')}; kept until{' '}
              {new Date(manifest.results_until).toLocaleDateString()}
            </Fact>
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

function Fact({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  )
}

/** Shows the requested values that have no row. */
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
      <Fact key={name} name={`${name} without a rate`}>
        <span class="warning">
          {formatNumber(absent.length)} of {formatNumber(asked.length)}: {describeList(absent)}
        </span>
      </Fact>
    ),
  )
}

/** Maximum number of fee schedules to name. */
const maxNamed = 5

function FeeSchedules({ manifest: { request, fee_schedules: searchedPlans } }: { readonly manifest: Manifest }) {
  // Until the search has chosen what it reads, only the names are known.
  const unread = { loaded_at: null, last_updated_on: null, partial: null, superseded: null }
  const plans =
    searchedPlans.length > 0
      ? searchedPlans
      : request.fee_schedules.map((asked) => ({ ...nameAsked(asked), ...unread }))
  const ordered = plans.toSorted((a, b) => Number(b.partial || b.superseded) - Number(a.partial || a.superseded))
  return (
    <ul>
      {ordered.slice(0, maxNamed).map(({ payer, plan, ...rates }) => (
        <li key={`${payer}\n${plan}`}>
          <bdi class="plan">{plan}</bdi> <bdi class="payer">{payer}</bdi>
          {formatAge(rates)}
        </li>
      ))}
      {plans.length > maxNamed && <li>and {formatNumber(plans.length - maxNamed)} more</li>}
    </ul>
  )
}

/** Maximum number of values to show. */
const maxShown = 12

const describeList = (values: readonly (string | number)[] | undefined) =>
  values === undefined ? 'all' : nameSome(values, maxShown)
