import type { FeeSchedule } from '../catalogue/fee-schedule.ts'
import type { JobKey } from './job.ts'

/** A job as lists show it: without its request and shards. */
export type JobSummary = SummaryBase & SummaryState

interface SummaryBase extends JobKey {
  readonly createdAt: Date
  /** How many fee schedules the request names, each plan id once, and the first of them. */
  readonly feeScheduleCount: number
  readonly firstFeeSchedule: FeeSchedule | { readonly planId: string }
}

type SummaryState =
  | { readonly status: 'queued' }
  | { readonly status: 'processing'; readonly processingAt: Date }
  | {
      readonly status: 'completed'
      readonly processingAt: Date
      readonly completedAt: Date
      readonly rows: number
      readonly bytes: number
    }
  | {
      readonly status: 'failed'
      /** Absent if no step picked it up. */
      readonly processingAt?: Date
      readonly failedAt: Date
      readonly error: string
    }

/** A job's position in the list of its organization's jobs. */
export interface ListedJob {
  readonly jobId: string
  readonly createdAt: Date
}
