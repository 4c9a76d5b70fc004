import { InconsistentJob } from './job-items.ts'

/**
 * Reads a job, and retries once if its items do not match. A batch read is not a snapshot, so a job may be completed or
 * deleted between the reads of its item and its shards; a second read starts after that write. Source: DynamoDB
 * developer guide, "Isolation levels", BatchGetItem.
 *
 * @throws InconsistentJob if the items do not match twice in a row
 */
export async function readWholeJob<Found>(read: () => Promise<Found>): Promise<Found> {
  try {
    return await read()
  } catch (error) {
    if (!(error instanceof InconsistentJob)) throw error
    return read()
  }
}
