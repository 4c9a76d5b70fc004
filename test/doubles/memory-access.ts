import type { StoredKey } from '../../core/access/api-key.ts'
import type { Access, AccessAdmin, AccessRecord, Organization } from '../../core/access/ports.ts'
import type { JobLookup, UrlSigner } from '../../core/calls/ports.ts'
import type { Job } from '../../core/job/job.ts'
import type { JobHistory } from '../../core/job/job-history.ts'
import type { Jobs } from '../../core/job/ports.ts'
import type { MemoryJobs } from './memory-ports.ts'

/** In-memory doubles of the ports that client calls need besides jobs. */

export type MemoryAccess = Access & Pick<AccessAdmin, 'putOrganization' | 'putKey'>

/** The lists are read again on every lookup, so tests may change them; `put` stores into the same lists. */
export function createMemoryAccess(
  organizations: readonly Organization[] = [],
  keys: readonly StoredKey[] = [],
): MemoryAccess {
  const uses = new Map<string, string>()
  const put = { organizations: Array.of<Organization>(), keys: Array.of<StoredKey>() }
  return {
    readAccess: async ({ orgId, keyId }): Promise<AccessRecord> => {
      const organization = [...organizations, ...put.organizations].find((one) => one.orgId === orgId)
      const key = [...keys, ...put.keys].find((one) => one.orgId === orgId && one.keyId === keyId)
      const lastUsedOn = uses.get(`${orgId}/${keyId}`)
      return {
        ...(organization && { organization }),
        ...(key && { key: { ...key, ...(lastUsedOn !== undefined && { lastUsedOn }) } }),
      }
    },
    noteUse: async ({ orgId, keyId }, day) => {
      const isKnown = [...keys, ...put.keys].some((one) => one.orgId === orgId && one.keyId === keyId)
      const before = uses.get(`${orgId}/${keyId}`)
      if (isKnown && (before === undefined || before < day)) uses.set(`${orgId}/${keyId}`, day)
    },
    putOrganization: async (organization) => void put.organizations.push(organization),
    putKey: async (key, label, createdAt) => {
      const item = { ...key, label, createdAt }
      put.keys.push(item)
    },
  }
}

export function createMemoryJobLookup(access: Access, jobs: Pick<Jobs, 'read'>): JobLookup {
  return {
    lookUp: async (key, jobId) => {
      const job = await jobs.read({ orgId: key.orgId, jobId })
      return { access: await access.readAccess(key), ...(job && { job }) }
    },
  }
}

export function createMemoryRecordedJobLookup(
  access: Access,
  jobs: Pick<MemoryJobs, 'readRecorded'>,
): JobLookup<Job & JobHistory> {
  return {
    lookUp: async (key, jobId) => {
      const job = jobs.readRecorded({ orgId: key.orgId, jobId })
      return { access: await access.readAccess(key), ...(job && { job }) }
    },
  }
}

export const createMemorySigner = (expiresAt: Date): UrlSigner => ({
  sign: async (shards) => ({
    urls: shards.map(({ key, fileName }) => `https://storage.example/${key}?name=${fileName}`),
    expiresAt,
  }),
})
