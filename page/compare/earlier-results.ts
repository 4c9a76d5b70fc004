import type { Manifest } from '../../client/api.ts'
import type { SearchCalls } from '../../client/search-calls.ts'
import { formatMonth } from '../formats.ts'

/** Number of searches that are looked through, and of manifests of the same plans that are read. */
export const [maxListed, maxRead] = [100, 20]

/**
 * Finds results of the same request as a search, with earlier rates.
 *
 * @returns manifests from the latest searches of the organization, the latest rates first
 */
export async function findEarlierResults(client: SearchCalls, manifest: Manifest): Promise<readonly Manifest[]> {
  const { fee_schedules: requested } = manifest.request
  const { body } = await client.transport.call('list-searches', { query: { status: 'completed', limit: maxListed } })
  const candidates = body.searches.filter(
    ({ job_id, fee_schedule_count: count, first_fee_schedule: first }) =>
      job_id !== manifest.job_id &&
      count === requested.length &&
      JSON.stringify(first) === JSON.stringify(requested[0]),
  )
  const answers = await Promise.allSettled(candidates.slice(0, maxRead).map(({ job_id }) => client.manifest(job_id)))
  return answers
    .flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []))
    .filter((other) => hasSameRequest(other, manifest) && isEarlier(other, manifest))
    .sort((a, b) => (momentOf(a) < momentOf(b) ? 1 : -1))
}

/** True if two searches asked for the same, on any day. */
export const hasSameRequest = (one: Manifest, other: Manifest): boolean => writeRequest(one) === writeRequest(other)

const writeRequest = ({ request }: Manifest) => JSON.stringify({ ...request, as_of: undefined })

/** True if a search read earlier rates than another. Loads that are not known may differ. */
function isEarlier(one: Manifest, other: Manifest): boolean {
  const writeLoads = ({ fee_schedules }: Manifest) =>
    JSON.stringify(fee_schedules.map(({ payer, plan, loaded_at }) => [payer, plan, loaded_at]))
  const isKnown = one.fee_schedules.every(({ loaded_at }) => loaded_at !== null)
  return momentOf(one) < momentOf(other) && !(isKnown && writeLoads(one) === writeLoads(other))
}

/** Returns the moment whose rates a search read: the end of its day, or its creation. */
function momentOf({ request: { as_of }, created_at }: Manifest): string {
  const end = `${as_of ?? '9999-12-31'}T24`
  return end < created_at ? end : created_at
}

/** Returns the months in which the rates of a search were published, ascending; empty if none is known. */
const monthsOf = ({ fee_schedules }: Manifest): readonly string[] =>
  [...new Set(fee_schedules.flatMap(({ last_updated_on: day }) => (day === null ? [] : [day.slice(0, 7)])))].sort()

/** Describes a result by months and its search, such as "published October 2026, searched Nov 24, 3:13 PM". */
export function describeResult(manifest: Manifest): string {
  const [first, ...others] = monthsOf(manifest)
  const last = others.at(-1)
  const { as_of: day } = manifest.request
  const facts = [
    ...(first === undefined ? [] : [`published ${formatMonth(first)}${last ? ` to ${formatMonth(last)}` : ''}`]),
    ...(day === undefined ? [] : [`as of ${day}`]),
    `searched ${formatMoment(manifest.created_at)}`,
  ]
  return facts.join(', ')
}

const formatMoment = (time: string) =>
  new Date(time).toLocaleString([], { month: 'short', day: 'numeric', hour: 'numeric', minute: '2-digit' })
