import { workerCounts } from '../../schema/load-worker.ts'
import { addSeconds, type Clock } from '../time.ts'
import type { FileOutcome, Lease, OpenFile } from './load-work.ts'
import type { LoadWork } from './ports.ts'

/** Seconds without a renewal after which another worker takes a file over. */
export const leaseSeconds = 300

/** Seconds between the renewals of a lease. */
export const renewSeconds = 60

/** Maximum number of workers that may begin a file and end before it is read. */
export const maxAttempts = 3

export interface Worker {
  readonly loadId: string
  /** Unique for each process. */
  readonly name: string
  readonly work: LoadWork
  readonly now: Clock
  /** A number from 0 up to 1. */
  readonly random: () => number
}

/** The next step of a worker. `waiting`: every open file is leased to another worker. */
export type FileLease =
  | { readonly kind: 'leased'; readonly file: OpenFile }
  | { readonly kind: 'waiting' }
  | { readonly kind: 'finished' }

/**
 * Leases the largest open file. A file whose workers ended too often before it was read is refused.
 *
 * A worker that loses a file to another one passes over a random number of files, up to twice as many after each loss.
 * Otherwise a thousand workers that start together would all ask for the same file, one file after the other.
 */
export async function leaseFile(worker: Worker): Promise<FileLease> {
  const { loadId, work, now, random } = worker
  for (;;) {
    let isFinished = true
    let hasPassedOver = false
    let lost = 0
    let toPassOver = 0
    for await (const { key, lease } of work.listOpen(loadId)) {
      isFinished = false
      if (lease !== undefined && lease.until >= now()) continue
      if (toPassOver > 0) {
        toPassOver--
        hasPassedOver = true
        continue
      }
      const file = await work.lease(loadId, key, newLease(worker), now())
      if (file === undefined) {
        lost++
        toPassOver = Math.floor(random() * Math.min(2 ** lost, workerCounts.most))
        continue
      }
      if (file.attempts <= maxAttempts) return { kind: 'leased', file }
      const fault = `${maxAttempts} workers ended before it was read: give them more memory, or resume the load`
      await settleFile(file, { outcome: 'refused', file: file.identity, fault }, worker)
    }
    if (!hasPassedOver) return { kind: isFinished ? 'finished' : 'waiting' }
  }
}

/** Records what has become of a leased file, unless another worker has done so. */
export async function settleFile(file: OpenFile, outcome: FileOutcome, { loadId, name, work }: Worker): Promise<void> {
  await work.record(loadId, file.identity, outcome)
  // Last: a file that is not open has an outcome.
  await work.close(loadId, file.key, name)
}

/** A lease from now on. */
export const newLease = ({ name, now }: Pick<Worker, 'name' | 'now'>): Lease => ({
  worker: name,
  until: addSeconds(now(), leaseSeconds),
})
