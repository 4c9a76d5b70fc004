import type { LoadOrder } from '../../schema/load-order.ts'
import type { WriteOutcome } from '../write-outcome.ts'
import type { LoadEnd, LoadRecord, LoadState, OpenLoad } from './load-record.ts'
import type { FileOutcome, Lease, LoadFile, OpenFile, Outcomes, SharedTask, StoredListing } from './load-work.ts'

export interface LoadRecords {
  begin(record: Pick<LoadRecord, 'loadId' | 'from' | 'startedAt'>): Promise<void>
  /** Records a sign of life, and returns the state; undefined if there is no such load. */
  touch(loadId: string, at: Date): Promise<LoadState | undefined>
  /** Superseded if the load has ended before. */
  end(loadId: string, end: LoadEnd): Promise<WriteOutcome>
  /** Records that a load is about to switch fee schedules, so that its changes are announced. */
  noteSwitching(loadId: string, at: Date): Promise<void>
  listUnannounced(): Promise<readonly UnannouncedLoad[]>
  /** Superseded if the load has begun to switch again. */
  noteAnnounced(load: UnannouncedLoad): Promise<WriteOutcome>
  /** Asks the load's process to end. Superseded unless the load is running. */
  cancel(loadId: string): Promise<WriteOutcome>
  /** Notes that a load was rolled back. Superseded if there is no such load. */
  noteUndone(loadId: string, at: Date): Promise<WriteOutcome>
  /** Lets a load run again. Superseded if it has changed since this record was read. */
  resume(record: LoadRecord, at: Date): Promise<WriteOutcome>
  read(loadId: string): Promise<LoadRecord | undefined>
  /** All loads, in no particular order. */
  list(): Promise<readonly LoadRecord[]>
  listOpen(): Promise<readonly OpenLoad[]>
  /** Keeps sources of earlier loads, which a load takes over, until it ends. */
  pin(loadId: string, sourceIds: readonly string[]): Promise<void>
  /** Releases the pinned sources of a load that was killed. */
  unpin(loadId: string): Promise<void>
}

/** A load that changes fee schedules, or has changed them without an announcement. */
export interface UnannouncedLoad {
  readonly loadId: string
  readonly switchingSince: Date
}

export interface LoadWork {
  putOrder(loadId: string, order: LoadOrder): Promise<void>
  readOrder(loadId: string): Promise<LoadOrder | undefined>

  /** Stores a listing, which exists once all of its parts are stored. */
  putListing(loadId: string, listing: Omit<StoredListing, 'parts'>, packed: Uint8Array): Promise<void>
  findListing(loadId: string): Promise<StoredListing | undefined>
  readListing(loadId: string, listing: StoredListing): Promise<Uint8Array>

  /** Adds a file to the queue; a file that is already in it stays as it is. */
  open(loadId: string, file: LoadFile): Promise<void>
  /** The files that are not settled, in the order of the queue. */
  listOpen(loadId: string): AsyncIterable<OpenFile>
  readOpen(loadId: string, key: string): Promise<OpenFile | undefined>
  /** Takes a file whose lease is absent or has run out. Undefined if it has another lease, or is settled. */
  lease(loadId: string, key: string, lease: Lease, now: Date): Promise<OpenFile | undefined>
  /** Superseded if the worker does not have the lease any more. */
  renew(loadId: string, key: string, lease: Lease): Promise<WriteOutcome>
  /** Ends a lease as if the file had not been leased. */
  giveBack(loadId: string, key: string, worker: string): Promise<WriteOutcome>
  /** Forgets how often the file was begun, unless a worker has it. */
  forgetAttempts(loadId: string, key: string, now: Date): Promise<WriteOutcome>
  /** Stores another URL of a file. */
  relocate(loadId: string, key: string, location: string, listedAt: Date): Promise<WriteOutcome>
  /** Removes a file whose outcome is recorded. Superseded if the worker does not have its lease. */
  close(loadId: string, key: string, worker: string): Promise<WriteOutcome>

  /** Records the outcome of a file. Superseded if its source is already recorded; a refusal can be replaced. */
  record(loadId: string, identity: string, outcome: FileOutcome): Promise<WriteOutcome>
  /** The outcomes of all settled files. */
  readOutcomes(loadId: string): Promise<Outcomes>
  /** Forgets a source that does not exist any more. */
  forget(loadId: string, identity: string, sourceId: string): Promise<WriteOutcome>

  /** Takes or renews a lease of the whole load. */
  takeTask(loadId: string, task: SharedTask, lease: Lease, now: Date): Promise<WriteOutcome>
  dropTask(loadId: string, task: SharedTask, worker: string): Promise<WriteOutcome>

  /** Removes all that is stored for a load's workers. */
  remove(loadId: string): Promise<void>
}
