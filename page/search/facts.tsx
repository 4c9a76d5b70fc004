import type { ComponentChildren } from 'preact'
import type { CompletedManifest, Manifest } from '../../client/api.ts'
import { formatBytes } from '../../client/command-line/table.ts'
import { requestedValuesOf } from '../../contract/filters.ts'
import { countOf, formatNumber } from '../../schema/phrases.ts'
import { formatAge, formatDay, nameAsked } from '../display/formats.ts'
import { listFields } from '../form/list-fields.ts'
import { describeList } from './notices.tsx'

export function SearchFacts({ manifest }: { readonly manifest: Manifest }) {
  const { request } = manifest
  return (
    <section aria-label="What was searched" class="facts">
      <dl>
        <Fact name="Fee schedules">
          <FeeSchedules manifest={manifest} />
        </Fact>
        {listFields.map(({ label, filter }) => {
          const values = requestedValuesOf(request, filter)
          const isUsual = filter.kind === 'code' || filter.kind === 'npi'
          return (
            (isUsual || values) && (
              <Fact key={label} name={label}>
                {describeList(values)}
              </Fact>
            )
          )
        })}
        {request.as_of && <Fact name="As of">the end of {request.as_of} (UTC)</Fact>}
        {manifest.status === 'completed' && <Fact name="Result">{describeResult(manifest)}</Fact>}
      </dl>
    </section>
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
