export type Clock = () => Date

/**
 * Formats a time for clients: ISO 8601 in UTC with milliseconds and a numeric offset.
 *
 * @returns for example `2026-11-20T09:30:00.123+00:00`
 */
export function formatTimestamp(time: Date): string {
  return time.toISOString().replace('Z', '+00:00')
}

/** Returns the day of a time in UTC, for example `2026-11-20`. */
export function isoDay(time: Date): string {
  return time.toISOString().slice(0, 10)
}

/** Returns the same time some months before, on the month's last day if it is shorter. */
export function subtractMonths(time: Date, months: number): Date {
  const target = new Date(time)
  target.setUTCMonth(target.getUTCMonth() - months)
  if (target.getUTCDate() !== time.getUTCDate()) target.setUTCDate(0)
  return target
}

export function addSeconds(time: Date, seconds: number): Date {
  return new Date(time.getTime() + seconds * 1000)
}
