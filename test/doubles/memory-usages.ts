import type { Access } from '../../core/access/ports.ts'
import type { CreationLookup } from '../../core/calls/ports.ts'
import { endOf } from '../../core/job/job.ts'
import type { JobHolders, Jobs } from '../../core/job/ports.ts'
import type { KeyDay } from '../../core/limits/byte-usage.ts'
import type { ByteUsages, RateUsages, UsageReviews, Usages } from '../../core/limits/ports.ts'
import {
  type Counted,
  intervalOf,
  judgeClaim,
  type Limits,
  microsOf,
  type Usage,
  unused,
} from '../../core/limits/usage.ts'
import { describeHolder } from '../builders/job-holder.ts'

/** Limits that no test reaches unless it is about them. */
export const wideLimits: Limits = { searches: 1000, perMinute: 60_000 }

export interface MemoryUsages extends Usages, UsageReviews {
  readonly usages: Map<string, Usage>
}

/** Keeps the usage of limits by organizations in memory. */
export function createMemoryUsages(): MemoryUsages {
  const usages = new Map<string, Usage>()
  const reviewedAt = new Map<string, Date>()
  const usageOf = (orgId: string) => usages.get(orgId) ?? unused
  return {
    usages,
    counted: 'searches',
    read: async (orgId) => usageOf(orgId),
    take: async (claim) => {
      const { orgId, jobId, at, limits } = claim
      const { slots, arrivalTime } = usageOf(orgId)
      const verdict = judgeClaim({ slots, arrivalTime }, claim)
      if (verdict === 'refused') return 'superseded'
      const next = Math.max(arrivalTime, microsOf(at)) + intervalOf(limits)
      usages.set(orgId, {
        slots: new Map([...slots, [jobId, at]]),
        arrivalTime: verdict === 'held' ? arrivalTime : next,
      })
      if (!reviewedAt.has(orgId)) reviewedAt.set(orgId, at)
      return 'written'
    },
    free: async ({ orgId, jobId }, takenBy) => {
      const { slots, arrivalTime } = usageOf(orgId)
      const takenAt = slots.get(jobId)
      if (takenAt === undefined || takenAt > takenBy) return
      usages.set(orgId, { slots: new Map([...slots].filter(([id]) => id !== jobId)), arrivalTime })
    },
    list: async (reviewedBy, limit) =>
      [...reviewedAt]
        .filter(([, at]) => at <= reviewedBy)
        .sort(([, a], [, b]) => a.getTime() - b.getTime())
        .slice(0, limit)
        .map(([orgId]) => orgId),
    noteReview: async (orgId, at) => {
      if (usageOf(orgId).slots.size === 0) reviewedAt.delete(orgId)
      else reviewedAt.set(orgId, at)
    },
  }
}

/** Keeps the bytes of keys in memory. */
export function createMemoryByteUsages(): ByteUsages {
  const bytesByDay = new Map<string, number>()
  const nameOf = ({ orgId, keyId, day }: KeyDay) => `${orgId}/${keyId}/${day}`
  const takenOn = (keyDay: KeyDay) => bytesByDay.get(nameOf(keyDay)) ?? 0
  return {
    read: async (keyDay) => takenOn(keyDay),
    take: async (claim, limit) => {
      const sum = takenOn(claim) + claim.bytes
      if (sum > limit) return 'superseded'
      bytesByDay.set(nameOf(claim), sum)
      return 'written'
    },
    giveBack: async (claim) => {
      const sum = takenOn(claim) - claim.bytes
      if (sum >= 0) bytesByDay.set(nameOf(claim), sum)
    },
  }
}

/** Keeps the usage of limits by estimates or dear reads in memory. */
export function createMemoryRateUsages(counted: Exclude<Counted, 'searches'>): RateUsages {
  const arrivalTimes = new Map<string, number>()
  const read = (orgId: string) => ({ ...unused, arrivalTime: arrivalTimes.get(orgId) ?? 0 })
  return {
    counted,
    read: async (orgId) => read(orgId),
    take: async (claim) => {
      const { orgId, at, limits } = claim
      const usage = read(orgId)
      if (judgeClaim(usage, claim) === 'refused') return 'superseded'
      arrivalTimes.set(orgId, Math.max(usage.arrivalTime, microsOf(at)) + intervalOf(limits))
      return 'written'
    },
  }
}

/** Dependencies of a call that counts as a dear read. */
export const openReads = (limits: Limits = wideLimits) => ({ readUsages: createMemoryRateUsages('reads'), limits })

export function createMemoryCreationLookup(
  access: Access,
  jobs: Pick<Jobs, 'read'>,
  usages: Pick<Usages, 'read'>,
): CreationLookup {
  return {
    lookUp: async (key, jobId) => {
      const { orgId } = key
      const job = jobId === undefined ? undefined : await jobs.read({ orgId, jobId })
      const endedAt = job && endOf(job)
      return {
        access: await access.readAccess(key),
        usage: await usages.read(orgId),
        ...(job && { holder: { ...describeHolder(job), ...(endedAt && { endedAt }) } }),
      }
    },
  }
}

export function createMemoryHolders(jobs: Pick<Jobs, 'read'>): JobHolders {
  return {
    readHolders: async (keys) =>
      (await Promise.all(keys.map((key) => jobs.read(key)))).flatMap((job) => (job ? [describeHolder(job)] : [])),
  }
}
