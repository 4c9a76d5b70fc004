import { UsageError } from '../../client/command-line/command-errors.ts'

/** Longest time for which a rotated key may continue to work, in days. */
const maxOverlapDays = 90

const units: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 }

/**
 * Reads the end of a key.
 *
 * @param text a number of minutes, hours or days from now (`30m`, `24h`, `7d`), or a time with its offset
 * @throws UsageError unless that is in the next 90 days
 */
export function readEnd(text: string, now: Date): Date {
  const end = readMoment(text, now)
  const ahead = end === undefined ? Number.NaN : end.getTime() - now.getTime()
  if (end !== undefined && ahead >= 0 && ahead <= maxOverlapDays * 86_400_000) return end
  throw new UsageError(
    `--ends must be minutes, hours or days from now (30m, 24h, 7d) or a time with its offset (2026-11-30T12:00:00Z), at most ${maxOverlapDays} days ahead, not "${text}"`,
  )
}

/** Reads a number of units from now, or a time with its offset; undefined if the text is neither. */
function readMoment(text: string, now: Date): Date | undefined {
  const [, count, unit = ''] = /^(\d{1,6})([mhd])$/.exec(text) ?? []
  const length = units[unit]
  if (count !== undefined && length !== undefined) return new Date(now.getTime() + Number(count) * length)
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/.test(text)) return undefined
  const moment = new Date(text)
  return Number.isNaN(moment.getTime()) ? undefined : moment
}
