import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb'
import type { WriteOutcome } from '../../core/ports.ts'

/** Runs a conditional write. A failed condition is an outcome, not an error. */
export async function writeConditionally(write: () => Promise<unknown>): Promise<WriteOutcome> {
  try {
    await write()
    return 'written'
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return 'superseded'
    throw error
  }
}
