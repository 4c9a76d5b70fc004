const units: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 }

/**
 * Reads the moment in an option: a number of minutes, hours or days from now (`30m`, `24h`, `7d`), or a time with its
 * offset (`2026-11-30T12:00:00Z`).
 *
 * @param direction in which a number of units counts from now
 * @returns undefined if the text is neither
 */
export function readMoment(text: string, now: Date, direction: 'ahead' | 'back'): Date | undefined {
  const [, count, unit = ''] = /^(\d{1,6})([mhd])$/.exec(text) ?? []
  const length = units[unit]
  if (count !== undefined && length !== undefined) {
    const distance = Number(count) * length
    return new Date(now.getTime() + (direction === 'ahead' ? distance : -distance))
  }
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/.test(text)) return undefined
  const moment = new Date(text)
  return Number.isNaN(moment.getTime()) ? undefined : moment
}
