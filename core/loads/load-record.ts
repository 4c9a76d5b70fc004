/** The record of a load that operators see, while it runs and afterwards. */
export interface LoadRecord {
  readonly loadId: string
  /** The table of contents or the first files, as the operator named them; without query strings. */
  readonly from: string
  readonly state: LoadState
  readonly startedAt: Date
  /** When its process last gave a sign of life. */
  readonly touchedAt: Date
  readonly endedAt?: Date
  /** When it was rolled back. */
  readonly undoneAt?: Date
  /** Why it did not complete; one line. */
  readonly reason?: string
  /** Present once it has completed. */
  readonly counts?: LoadCounts
  /** The fee schedules that it changed by plan id, a line for each of the first 200; absent until it has completed. */
  readonly changed?: readonly string[]
  /** Why plans were left out, a line for each of the most frequent reasons; absent if none were. */
  readonly leftOut?: readonly string[]
  /** Files that were refused, a line for each of the first 200; absent if none were. */
  readonly refused?: readonly string[]
}

/** A load that has not ended: the sources that it writes are kept until it ends, and those that it has pinned. */
export interface OpenLoad extends Pick<LoadRecord, 'loadId' | 'touchedAt'> {
  readonly pinned: readonly string[]
}

/**
 * A load is `cancelling` from the operator's command until its process has noticed it. If a load stays `running` or
 * `cancelling` without a sign of life, its process was killed.
 */
export type LoadState = 'running' | 'cancelling' | EndedLoadState

export type EndedLoadState = 'completed' | 'cancelled' | 'failed'

export interface LoadCounts {
  /** Files that were read, and files that were taken over unread. */
  readonly files: number
  readonly takenOver: number
  /** Fee schedules by plan id: changed, unchanged, removed, and left out. */
  readonly switched: number
  readonly unchanged: number
  readonly removed: number
  readonly leftOut: number
}

export type LoadEnd = Pick<LoadRecord, 'reason' | 'counts' | 'changed' | 'leftOut' | 'refused'> & {
  readonly state: EndedLoadState
  readonly endedAt: Date
}

/** Seconds between the signs of life of a load. */
export const signSeconds = 30

/** A process that misses ten signs of life was killed. */
const missedSigns = 10

/** True if a load that has not ended no longer gives signs of life. */
export const isSilent = ({ touchedAt }: Pick<LoadRecord, 'touchedAt'>, now: Date): boolean =>
  now.getTime() - touchedAt.getTime() > missedSigns * signSeconds * 1000
