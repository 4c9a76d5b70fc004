import { UsageError } from '../../client/command-line/command-errors.ts'
import { readMoment } from '../command/moment.ts'

/** Longest time for which a rotated key may continue to work, in days. */
const maxOverlapDays = 90

/**
 * Reads the end of a key.
 *
 * @param text a number of minutes, hours or days from now (`30m`, `24h`, `7d`), or a time with its offset
 * @throws UsageError unless that is in the next 90 days
 */
export function readEnd(text: string, now: Date): Date {
  const end = readMoment(text, now, 'ahead')
  const ahead = end === undefined ? Number.NaN : end.getTime() - now.getTime()
  if (end !== undefined && ahead >= 0 && ahead <= maxOverlapDays * 86_400_000) return end
  throw new UsageError(
    `--ends must be minutes, hours or days from now (30m, 24h, 7d) or a time with its offset (2026-11-30T12:00:00Z), at most ${maxOverlapDays} days ahead, not "${text}"`,
  )
}
