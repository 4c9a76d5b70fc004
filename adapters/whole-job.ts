import { InconsistentJob } from './job-items.ts'

/**
 * Reads a job, and once more if its items did not fit together: a batch read takes each item by itself, so a job may be
 * completed or deleted between its own item and that of its shards. A second read starts after that write.
 * Source: DynamoDB developer guide, "Isolation levels", BatchGetItem.
 *
 * @throws InconsistentJob if the items do not fit together twice in a row
 */
export async function readWholeJob<Found>(read: () => Promise<Found>): Promise<Found> {
  try {
    return await read()
  } catch (error) {
    if (!(error instanceof InconsistentJob)) throw error
    return read()
  }
}
