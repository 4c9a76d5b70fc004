import { issueApiKey } from '../../core/access/api-key.ts'
import { createMemoryAccess, createMemoryJobLookup } from '../doubles/memory-access.ts'
import type { OpenSearch } from './open-search.ts'
import { newJob } from './sample-search.ts'

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
