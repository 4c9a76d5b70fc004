/** A time of day after a date, with or without its zone: `T00:00:00Z`, ` 12:00:00 AM`, ` 00:00:00.000 -05:00`. */
const time = '(?:[T ]+\\d{1,2}:\\d{2}(?::\\d{2}(?:[.,]\\d+)?)?(?: ?[AP]M)?(?: ?(?:Z|UTC|[+-]\\d{2}(?::?\\d{2})?))?)?'

/**
 * Forms of a day that have one meaning. Those with slashes put the month first, because the files are made for a rule
 * of the United States; a day that cannot be read so, such as 31/12/2026, has no meaning here.
 */
const forms = [
  '(?<year>\\d{4})-(?<month>\\d{1,2})-(?<day>\\d{1,2})',
  '(?<year>\\d{4})/(?<month>\\d{1,2})/(?<day>\\d{1,2})',
  '(?<year>\\d{4})(?<month>\\d{2})(?<day>\\d{2})',
  '(?<month>\\d{1,2})/(?<day>\\d{1,2})/(?<year>\\d{4})',
].map((form) => new RegExp(`^${form}${time}$`, 'i'))

/**
 * Reads a date. The schema's form is YYYY-MM-DD; a time after it does not change the day, whatever its zone. Source:
 * CMS schema, format `date`.
 *
 * @returns the day as `YYYY-MM-DD`, or undefined if the text is no calendar day
 */
export function parsePublishedDate(text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  const trimmed = text.trim()
  for (const form of forms) {
    const { year, month, day } = form.exec(trimmed)?.groups ?? {}
    if (year === undefined || month === undefined || day === undefined) continue
    const date = [year, month.padStart(2, '0'), day.padStart(2, '0')].join('-')
    const midnight = Date.parse(`${date}T00:00:00Z`)
    // Some engines roll 2026-02-30 over into March instead of refusing it.
    if (!Number.isNaN(midnight) && new Date(midnight).toISOString().slice(0, 10) === date) return date
  }
  return undefined
}
