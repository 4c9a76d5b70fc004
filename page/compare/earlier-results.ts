import type { Manifest } from '../../client/api.ts'
import { asksForSame } from '../../client/results/comparison/comparable-requests.ts'
import type { SearchCalls } from '../../client/search-calls.ts'
import { joinTitle, titleRequest, titleSearch } from '../../client/search-title.ts'
import { searchPages } from '../../contract/limits.ts'
import { formatMonth } from '../display/formats.ts'

/** Number of searches that are looked through. */
export const maxListed = searchPages.max

/** Number of manifests of searches with the same title that are read. */
const maxRead = 20

/** Number of manifests that are read before the reader asks for earlier results. */
const maxUnasked = 3

/**
 * Finds results of the same request as a search, with earlier rates.
 *
 * @returns manifests from the latest searches of the organization, the latest rates first
 */
export async function findEarlierResults(client: SearchCalls, manifest: Manifest): Promise<readonly Manifest[]> {
  const candidates = await listCandidates(client, manifest)
  return await readEarlier(client, manifest, candidates.slice(0, maxRead))
}

/**
 * Finds the earlier result that a reader most likely wants, at the cost of few calls.
 *
 * @returns undefined unless there is exactly one, with the rates of other months
 */
export async function findOnlyEarlier(client: SearchCalls, manifest: Manifest): Promise<Manifest | undefined> {
  const candidates = await listCandidates(client, manifest)
  if (candidates.length > maxUnasked) return undefined
  const [only, ...others] = await readEarlier(client, manifest, candidates)
  if (only === undefined || others.length > 0) return undefined
  const months = nameMonths(only)
  return months === undefined || months === nameMonths(manifest) ? undefined : only
}

/** Returns the ids of the latest searches that may have the same request as a search: their titles are equal. */
async function listCandidates(client: SearchCalls, { job_id: id, request }: Manifest): Promise<readonly string[]> {
  const { as_of: _day, ...asked } = request
  const title = joinTitle(titleRequest(asked))
  const { body } = await client.transport.call('list-searches', { query: { status: 'completed', limit: maxListed } })
  return body.searches.flatMap(({ job_id, as_of: _, ...search }) => {
    // An old search without filters in the list may have had any.
    const isSimilar = search.filters === undefined || joinTitle(titleSearch(search)) === title
    return job_id !== id && isSimilar ? [job_id] : []
  })
}

async function readEarlier(client: SearchCalls, manifest: Manifest, ids: readonly string[]) {
  const answers = await Promise.allSettled(ids.map((id) => client.manifest(id)))
  return answers
    .flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []))
    .filter((other) => asksForSame(other, manifest) && isEarlier(other, manifest))
    .sort((a, b) => (momentOf(a) < momentOf(b) ? 1 : -1))
}

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

/** Names the months in which the rates of a search were published; undefined if none is known. */
export function nameMonths({ fee_schedules }: Manifest): string | undefined {
  const days = fee_schedules.flatMap(({ last_updated_on: day }) => (day === null ? [] : [day]))
  const [first, ...others] = [...new Set(days.map((day) => day.slice(0, 7)))].sort()
  const last = others.at(-1)
  if (first === undefined) return undefined
  return [first, ...(last === undefined ? [] : [last])].map(formatMonth).join(' to ')
}

/** Describes a result by months and its search, such as "published October 2026, searched Nov 24, 3:13 PM". */
export function describeResult(manifest: Manifest): string {
  const months = nameMonths(manifest)
  const { as_of: day } = manifest.request
  const facts = [
    ...(months === undefined ? [] : [`published ${months}`]),
    ...(day === undefined ? [] : [`as of ${day}`]),
    `searched ${formatMoment(manifest.created_at)}`,
  ]
  return facts.join(', ')
}

const formatMoment = (time: string) =>
  new Date(time).toLocaleString('en-US', { month: 'short', day: 'numeric', hour: 'numeric', minute: '2-digit' })
