import type { SummaryRequest } from '../../contract/summaries.ts'
import type { ListedFilter, NamedPlans } from '../search/filter-words.ts'
import type { CompletedJob, FailedJob, JobKey, ProcessingJob, QueuedJob } from './job.ts'

/** A job as lists show it: without its request and shards. */
export type JobListItem = ItemBase & ItemState

interface ItemBase extends JobKey {
  readonly createdAt: Date
  /** Number of fee schedules that the request names; each plan id counts once. */
  readonly feeScheduleCount: number
  readonly firstFeeSchedule: NamedPlans
  /** Further fee schedules that lists name; absent if there are none, and from jobs that were stored before. */
  readonly nextFeeSchedules?: readonly NamedPlans[]
  /** Absent from jobs that were stored before lists had them. */
  readonly filters?: readonly ListedFilter[]
  /** `YYYY-MM-DD`, if the request names a day. */
  readonly asOf?: string
  /** Absent if it is a search for rows. */
  readonly summary?: SummaryRequest
}

/** When a step picked it up; of a failed job absent if none did. */
interface PickedUp {
  readonly processingAt: Date
}

type ItemState =
  | Pick<QueuedJob, 'status'>
  | (Pick<ProcessingJob, 'status'> & PickedUp)
  | (Pick<CompletedJob, 'status' | 'completedAt' | 'truncated'> &
      PickedUp & { readonly rows: number; readonly bytes: number })
  | (Pick<FailedJob, 'status' | 'failedAt' | 'error'> & Partial<PickedUp>)

/** A job's position in the list of its organization's jobs. */
export interface ListedJob {
  readonly jobId: string
  readonly createdAt: Date
}
