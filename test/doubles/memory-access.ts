import type { AccessRecord, Organization } from '../../core/access/access.ts'
import type { StoredKey } from '../../core/access/api-key.ts'
import type { Access, JobLookup, Jobs, UrlSigner } from '../../core/ports.ts'

/** In-memory doubles of what client calls need besides jobs. */

export function createMemoryAccess(organizations: readonly Organization[], keys: readonly StoredKey[]): Access {
  const uses = new Map<string, string>()
  return {
    readAccess: async ({ orgId, keyId }): Promise<AccessRecord> => {
      const organization = organizations.find((one) => one.orgId === orgId)
      const key = keys.find((one) => one.orgId === orgId && one.keyId === keyId)
      const lastUsedOn = uses.get(`${orgId}/${keyId}`)
      return {
        ...(organization && { organization }),
        ...(key && { key: { ...key, ...(lastUsedOn !== undefined && { lastUsedOn }) } }),
      }
    },
    noteUse: async ({ orgId, keyId }, day) => {
      const before = uses.get(`${orgId}/${keyId}`)
      if (before === undefined || before < day) uses.set(`${orgId}/${keyId}`, day)
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

export const createMemorySigner = (expiresAt: Date): UrlSigner => ({
  sign: async (shards) => ({
    urls: shards.map(({ key, fileName }) => `https://storage.example/${key}?name=${fileName}`),
    expiresAt,
  }),
})
