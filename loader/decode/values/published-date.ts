/**
 * Reads a date. Source: CMS schema, format `date` (YYYY-MM-DD).
 *
 * @returns the same text, or undefined if it is not a calendar day
 */
export function parsePublishedDate(text: string | undefined): string | undefined {
  if (text === undefined || !/^\d{4}-\d{2}-\d{2}$/.test(text)) return undefined
  const time = Date.parse(`${text}T00:00:00Z`)
  // Some engines roll 2026-02-30 over into March instead of refusing it.
  return Number.isNaN(time) || new Date(time).toISOString().slice(0, 10) !== text ? undefined : text
}
