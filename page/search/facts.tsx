import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { CompletedManifest, Manifest } from '../../client/api.ts'
import { formatBytes } from '../../client/command-line/table.ts'
import { countOf, formatNumber, nameSome } from '../../schema/phrases.ts'
import { writeDraftLink } from '../form/draft-link.ts'
import { listFields } from '../form/list-fields.ts'
import { formatAge, formatDay, formatMonth, nameAsked } from '../formats.ts'
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
        {manifest.status === 'completed' && <Fact name="Result">{describeResult(manifest)}</Fact>}
      </dl>
    </section>
  )
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
      {manifest.status === 'completed' && manifest.truncated && (
        <p class="warning">
          The search has more rows than its limit of {formatNumber(manifest.rows)}: these are any of them, so their
          prices are not compared.
        </p>
      )}
      {manifest.status === 'completed' && <Absent manifest={manifest} />}
    </>
  )
}

const describeResult = ({ rows, bytes, shards, results_until }: CompletedManifest) =>
  `${countOf(rows, 'row')}, ${formatBytes(bytes)} in ${countOf(shards.length, 'file')}; ` +
  `kept until ${formatDay(results_until)}`

function Fact({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
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
  const lists = [
    ['Billing codes', without_rows?.billing_codes, request.billing_codes],
    ['NPIs', without_rows?.npis, request.npis],
    ['TINs', without_rows?.tins, request.tins],
  ] as const
  return lists.map(([name, absent = [], asked = []]) =>
    absent.length === 0 ? null : (
      <p key={name} class="warning">
        {name} without a rate: {formatNumber(absent.length)} of {formatNumber(asked.length)}: {describeList(absent)}
      </p>
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
