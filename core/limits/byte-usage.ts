import { addSeconds } from '../time.ts'

/** The bytes that the searches of a key read on a day (UTC), as their estimates say: a limit of single keys. */

/** A day of a key, on which its bytes are counted. */
export interface KeyDay {
  readonly orgId: string
  readonly keyId: string
  /** In UTC, `2026-11-20`. */
  readonly day: string
}

/** The bytes that a new search reads at most, taken from its key's limit of a day. */
export interface ByteClaim extends KeyDay {
  readonly bytes: number
}

/** Returns the time at which a day ends and the next limit begins. */
export const endOfDay = (day: string): Date => addSeconds(new Date(`${day}T00:00:00Z`), 86_400)
