import type { Manifest } from '../../client/api.ts'
import type { SearchCalls } from '../../client/search-calls.ts'

/** How many searches are looked through, and of how many of the same plans it is read what they asked for. */
export const [maxListed, maxRead] = [100, 20]

/**
 * Results of the same request as a search, with earlier rates; the latest first.
 *
 * @returns manifests of those that are found among the latest searches of the organization
 */
export async function findEarlierResults(client: SearchCalls, manifest: Manifest): Promise<readonly Manifest[]> {
  const { fee_schedules: asked } = manifest.request
  const { body } = await client.transport.call('list-searches', { query: { status: 'completed', limit: maxListed } })
  const alike = body.searches.filter(
    ({ job_id, fee_schedule_count: count, first_fee_schedule: first }) =>
      job_id !== manifest.job_id && count === asked.length && JSON.stringify(first) === JSON.stringify(asked[0]),
  )
  const read = await Promise.allSettled(alike.slice(0, maxRead).map(({ job_id }) => client.manifest(job_id)))
  return read
    .flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []))
    .filter((other) => hasSameRequest(other, manifest) && isEarlier(other, manifest))
    .sort((a, b) => (momentOf(a) < momentOf(b) ? 1 : -1))
}

/** Whether two searches asked for the same, on whatever day. */
export const hasSameRequest = (one: Manifest, other: Manifest): boolean =>
  describeRequest(one) === describeRequest(other)

const describeRequest = ({ request }: Manifest) => JSON.stringify({ ...request, as_of: undefined })

/** Whether a search read earlier rates than another. Loads that are not known may differ. */
function isEarlier(one: Manifest, other: Manifest): boolean {
  const loads = ({ fee_schedules }: Manifest) =>
    JSON.stringify(fee_schedules.map(({ payer, plan, loaded_at }) => [payer, plan, loaded_at]))
  const isKnown = one.fee_schedules.every(({ loaded_at }) => loaded_at !== null)
  return momentOf(one) < momentOf(other) && !(isKnown && loads(one) === loads(other))
}

/** When what a search reads was active: the end of its day, or its creation. */
function momentOf({ request: { as_of }, created_at }: Manifest): string {
  const end = `${as_of ?? '9999-12-31'}T24`
  return end < created_at ? end : created_at
}

/** Which rates a search has read, in words. */
export const describeMoment = ({ request: { as_of }, created_at }: Manifest): string =>
  as_of === undefined ? `rates of ${new Date(created_at).toLocaleString()}` : `rates at the end of ${as_of} (UTC)`
