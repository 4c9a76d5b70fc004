import type { WriteOutcome } from '../ports.ts'

/** What operators see of a load, while it runs and afterwards. */
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

/**
 * A load is `cancelling` from the operator's wish to end it until its process has noticed. The process of a load that
 * stays `running` or `cancelling` without a sign of life was killed.
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

/** The records of loads. */
export interface LoadRecords {
  begin(record: Pick<LoadRecord, 'loadId' | 'from' | 'startedAt'>): Promise<void>
  /** Notes a sign of life, and returns the state; undefined if there is no such load. */
  touch(loadId: string, at: Date): Promise<LoadState | undefined>
  /** Superseded if the load has ended before. */
  end(loadId: string, end: LoadEnd): Promise<WriteOutcome>
  /** Asks the load's process to end. Superseded unless the load is running. */
  cancel(loadId: string): Promise<WriteOutcome>
  /** Notes that a load was rolled back. Superseded if there is no such load. */
  noteUndone(loadId: string, at: Date): Promise<WriteOutcome>
  /** Lets a load run again. Superseded if it has changed since this record was read. */
  resume(record: LoadRecord, at: Date): Promise<WriteOutcome>
  read(loadId: string): Promise<LoadRecord | undefined>
  /** All loads, in no particular order. */
  list(): Promise<readonly LoadRecord[]>
}
