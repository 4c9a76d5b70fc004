/** The events that the service sends. */

/** `detail-type` of the event that announces the end of a search. */
export const searchEndedType = 'Search Ended'

/** `source` of a stage's events. */
export function eventSource(stage: string): string {
  return `rate-search.${stage}`
}
