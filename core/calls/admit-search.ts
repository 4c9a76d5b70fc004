import { countOf, formatNumber } from '../../schema/phrases.ts'
import type { StoredKey } from '../access/api-key.ts'
import { NotPermitted } from '../access/permissions.ts'
import { InvalidRequest } from '../errors.ts'
import type { ByteClaim } from '../limits/byte-usage.ts'
import { BytesLimited } from '../limits/bytes-limited.ts'
import type { ByteUsages, Usages } from '../limits/ports.ts'
import { takeClaim } from '../limits/take-claim.ts'
import type { SlotClaim, Usage } from '../limits/usage.ts'
import type { Log } from '../log.ts'
import type { Rates } from '../rates/rates.ts'
import { adviseNarrowing } from '../search/filter-words.ts'
import type { SearchRequest } from '../search/search-request.ts'
import { isoDay } from '../time.ts'
import { type MakeEstimate, makeEstimate } from './estimate-search.ts'

export interface AdmitSearch extends MakeEstimate {
  readonly usages: Usages
  readonly byteUsages: ByteUsages
  readonly log: Log
}

/** A new search as its limits are checked. */
export interface Applicant {
  readonly key: StoredKey
  readonly request: SearchRequest
  readonly claim: SlotClaim
  /** The organization's usage as it was last read. */
  readonly usage: Usage
}

/**
 * Maximum number of attempts to take bytes. After a refused one, bytes can have been given back when they are read.
 */
const maxTakes = 10

/**
 * Checks what a new search would read, and takes what it uses of the limits: bytes of its key first, then a slot and a
 * share of the rate. If the second is refused, the bytes are given back.
 *
 * @returns the bytes that were taken; undefined if the key has no limit of bytes
 * @throws InvalidRequest if the search would read more than its `max_bytes`
 * @throws NotPermitted if it can never be within the key's limit
 * @throws BytesLimited if too few bytes are left today
 * @throws RateLimited if a limit of the organization is reached, or its rate of estimates if the search needs one
 */
export async function admitSearch(
  deps: AdmitSearch,
  rates: Rates,
  { key, request, claim, usage }: Applicant,
): Promise<ByteClaim | undefined> {
  const needsEstimate = request.maxBytes !== undefined || key.bytesPerDay !== undefined
  const bytes = needsEstimate ? (await makeEstimate(deps, rates, request, claim)).size.bytes : null
  requireFewBytes(request, bytes)
  const byteClaim = await takeBytes(deps.byteUsages, { key, request, bytes, at: claim.at })
  try {
    await takeClaim(deps.usages, claim, usage)
  } catch (error) {
    await giveBack(deps, byteClaim)
    throw error
  }
  return byteClaim
}

/** Gives back the bytes of a search that was not created. If it fails, they stay taken until the day ends. */
export async function giveBack(
  { byteUsages, log }: Pick<AdmitSearch, 'byteUsages' | 'log'>,
  claim: ByteClaim | undefined,
): Promise<void> {
  if (claim === undefined) return
  const [outcome] = await Promise.allSettled([byteUsages.giveBack(claim)])
  if (outcome.status === 'rejected') log('bytes of a key not given back', { cause: String(outcome.reason) })
}

/** Refuses a search that would read more bytes than it may, by the same estimate as `POST /v1/estimates`. */
function requireFewBytes(request: SearchRequest, bytes: number | null): void {
  const { maxBytes } = request
  if (maxBytes === undefined || (bytes !== null && bytes <= maxBytes)) return
  const message =
    bytes === null
      ? 'cannot be held to: how much the search would read is not known; leave it out'
      : `is less than the ${bytes} bytes that the search would read at most. ${adviseNarrowing(request)}`
  throw new InvalidRequest([{ path: 'max_bytes', message }])
}

type Measured = Pick<Applicant, 'key' | 'request'> & { readonly bytes: number | null; readonly at: Date }

/** Takes the bytes of a search from its key's limit of the day; each take is one conditional write. */
async function takeBytes(
  byteUsages: ByteUsages,
  { key, request, bytes, at }: Measured,
): Promise<ByteClaim | undefined> {
  const { orgId, keyId, bytesPerDay: limit } = key
  if (limit === undefined) return undefined
  const rule = `The searches of this API key may read ${countOf(limit, 'byte')} a day`
  if (bytes === null) throw new NotPermitted(`${rule}, and how much this one would read is not known.`)
  const advice = adviseNarrowing(request)
  if (bytes > limit) throw new NotPermitted(`${rule}; this one would read at most ${formatNumber(bytes)}. ${advice}`)
  const claim = { orgId, keyId, day: isoDay(at), bytes }
  let used = 0
  for (let take = 1; take <= maxTakes; take++) {
    if ((await byteUsages.take(claim, limit)) === 'written') return claim
    used = await byteUsages.read(claim)
    if (used + bytes > limit) break
  }
  throw new BytesLimited(claim, { limit, used, at, advice })
}
