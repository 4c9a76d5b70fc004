import type { Estimate, SearchRequest } from '../../client/api.ts'
import type { SearchCalls } from '../../client/search-calls.ts'
import { forPeople } from '../display/failures.ts'

/** The service's estimates of a request. */
export interface Estimated {
  /** The request, as JSON. */
  readonly text: string
  readonly rows: Estimate
  /** The estimate of its summary; absent unless the search is large. */
  readonly summary?: Estimate
}

/** Bytes to read from which a result may be too large for the page, which reads at most as many of it unasked. */
const largeBytes = 10_000_000

const isLarge = ({ bytes }: Estimate) => bytes !== null && bytes >= largeBytes

/**
 * Lists the fee schedules of an estimate that do not exist. Over a relation of the operator, which has no number of
 * files, names may be newer than the catalogue.
 */
export const listMissing = ({ files, fee_schedules }: Estimate): Estimate['fee_schedules'] =>
  files === null ? [] : fee_schedules.filter(({ exists }) => !exists)

/** Returns why a search would fail by its estimate; undefined if it would not. */
export function findFailure(estimate: Estimate): string | undefined {
  const [missing] = listMissing(estimate)
  if (missing !== undefined) return `${missing.plan} of ${missing.payer} cannot be searched: replace or remove it`
  const prefix = 'the search would fail: '
  const warning = estimate.warnings.find(({ message }) => message.startsWith(prefix))
  const reason = warning && forPeople(warning.message.slice(prefix.length)).replace(/\.$/, '')
  return reason && `This search would fail: ${reason}`
}

/** Estimates a request, and its summary if it is large. */
export async function estimateBoth(
  client: SearchCalls,
  request: SearchRequest,
  signal?: AbortSignal,
): Promise<Estimated> {
  const options = signal && { signal }
  const text = JSON.stringify(request)
  const rows = await client.estimate(request, options)
  if (!isLarge(rows)) return { text, rows }
  return { text, rows, summary: await client.estimate({ ...request, summary: {} }, options) }
}
