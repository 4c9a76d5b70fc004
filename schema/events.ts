/** The events that the service sends. */

/** `detail-type` of the event that announces the end of a search. */
export const searchEndedType = 'Search Ended'

/** `detail-type` of the events that announce what a load changed. */
export const feeSchedulesUpdatedType = 'Fee Schedules Updated'

/** What webhooks can be told. */
export const webhookEvents = ['search.ended', 'fee_schedules.updated'] as const

export type WebhookEvent = (typeof webhookEvents)[number]

/** `source` of a stage's events. */
export function eventSource(stage: string): string {
  return `rate-search.${stage}`
}
