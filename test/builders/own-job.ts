import { issueApiKey } from '../../core/access/api-key.ts'
import { type CreateSearch, createSearch } from '../../core/calls/create-search.ts'
import type { CreationLookup } from '../../core/calls/ports.ts'
import { createMemoryAccess, createMemoryJobLookup } from '../doubles/memory-access.ts'
import {
  createMemoryByteUsages,
  createMemoryCreationLookup,
  createMemoryRateUsages,
  wideLimits,
} from '../doubles/memory-usages.ts'
import { type OpenSearch, openSearch } from './open-search.ts'
import { bodyOf } from './request-bodies.ts'
import { jobIdOf, newJob, request } from './sample-search.ts'

const { orgId } = newJob()

/** A key of the sample job's organization, one of another organization, and a revoked one. */
export const { stored: ownKey } = issueApiKey(orgId)
export const { stored: otherKey } = issueApiKey('BBBBBBBBBBBB')
export const { stored: revokedKey } = issueApiKey(orgId)
export const { stored: unknownKey } = issueApiKey(orgId)

const organizations = [orgId, otherKey.orgId].map((id) => ({ orgId: id, name: id, active: true }))
const keys = [ownKey, otherKey, { ...revokedKey, revokedAt: new Date('2026-11-01T00:00:00Z') }]

/** Gives the keys above access to the jobs of a search. */
export function letIn({ jobs }: Pick<OpenSearch, 'jobs'>) {
  const access = createMemoryAccess(organizations, keys)
  return { access, lookup: createMemoryJobLookup(access, jobs) }
}

export const body = bodyOf(request)

/** Creates searches; `ids` has the job ids that were made, none for a search that is refused. */
export function openCreate() {
  const search = openSearch()
  const ids: string[] = []
  const newJobId = () => {
    const id = jobIdOf(String(ids.length))
    ids.push(id)
    return id
  }
  let runs = 0
  const { access } = letIn(search)
  const deps = {
    ...search.deps,
    access,
    creationLookup: createMemoryCreationLookup(access, search.jobs, search.usages),
    byteUsages: createMemoryByteUsages(),
    estimateUsages: createMemoryRateUsages('estimates'),
    limits: wideLimits,
    newJobId,
    newRun: () => `run${++runs}`,
  } satisfies CreateSearch
  const post = (sent: unknown = body, idempotencyKey?: string, key = ownKey) =>
    createSearch(deps, key, () => sent, idempotencyKey)
  return { ...search, ids, deps, post }
}

/** Lets requests overtake each other: each looks before another has stored the job of its idempotency key. */
export const lookTooEarly = ({ lookUp }: CreationLookup): CreationLookup => ({
  lookUp: async (presented, jobId) => {
    const { holder: _, ...facts } = await lookUp(presented, jobId)
    return facts
  },
})
