import { createHmac } from 'node:crypto'
import type { WebhookEvent } from '../../schema/events.ts'
import { addSeconds } from '../time.ts'

/**
 * Webhooks by Standard Webhooks 1.0. Source: github.com/standard-webhooks/standard-webhooks, spec/standard-webhooks.md.
 */

/** An address of an organization that is called when something happens. */
export interface Endpoint {
  readonly orgId: string
  readonly endpointId: string
  readonly url: string
  readonly events: readonly WebhookEvent[]
  readonly createdAt: Date
  /** Newest first; each older one is valid until its `endsAt`. */
  readonly secrets: readonly EndpointSecret[]
  /** Time of the first failed call after the last successful one. */
  readonly failingSince?: Date
  readonly lastFailure?: string
  readonly disabledAt?: Date
  readonly disabledBecause?: string
}

/** `whsec_` and 24 to 64 bytes in Base64. */
export interface EndpointSecret {
  readonly secret: string
  readonly endsAt?: Date
}

/** An event for an endpoint, with the same id and body in every call. */
export interface Delivery {
  readonly orgId: string
  readonly endpointId: string
  /** The `webhook-id`, by which receivers know a repeated call. */
  readonly eventId: string
  readonly type: string
  readonly body: string
  readonly createdAt: Date
  /** Calls that were begun. */
  readonly attempts: number
  readonly lastFailure?: string
}

/** Something that happened, for one organization or for all. */
export interface Message {
  readonly id: string
  readonly type: WebhookEvent
  /** As `formatTimestamp` writes it. */
  readonly timestamp: string
  readonly orgId?: string
  readonly data: Readonly<Record<string, unknown>>
}

/** Result of a call: a status, or the reason why there is none. */
export type CallOutcome = { readonly status: number } | { readonly fault: string }

/** Pauses after the first to the seventh call: together 31.6 hours, so that an outage of a day loses nothing. */
const pauseSeconds = [5, 300, 1800, 7200, 18_000, 36_000, 50_400]

/** Seconds for which a call may be under way before another is made; a call takes ten at most. */
export const leaseSeconds = 60

/** Days without a successful call after which an endpoint is disabled. */
const failingDays = 5

export const secondsOfDays = (days: number) => days * 86_400

/**
 * Returns the time at which a delivery is due again after a failed call; undefined if it is not called again.
 *
 * @param random from 0 to 1: pauses grow by up to a fifth, so that what failed together does not come back together
 */
export function nextAttempt({ attempts }: Pick<Delivery, 'attempts'>, at: Date, random: number): Date | undefined {
  const pause = pauseSeconds[attempts - 1]
  return pause === undefined ? undefined : addSeconds(at, pause * (1 + random / 5))
}

/**
 * True if an endpoint has failed for so long that it must be disabled. Only a delivery that is at least a day old
 * decides this, because the endpoint may have had no other call since its first failure. The number of calls does not,
 * because a backlog can delay a delivery's last call for weeks.
 */
export const isLost = (
  { failingSince }: Pick<Endpoint, 'failingSince'>,
  { createdAt }: Pick<Delivery, 'createdAt'>,
  at: Date,
): boolean =>
  failingSince !== undefined &&
  addSeconds(failingSince, secondsOfDays(failingDays)) <= at &&
  addSeconds(createdAt, secondsOfDays(1)) <= at

/** The headers of a call: signed with each secret that is valid, so that receivers can change theirs at any time. */
export function signCall(
  { eventId, body }: Pick<Delivery, 'eventId' | 'body'>,
  secrets: readonly EndpointSecret[],
  at: Date,
): Readonly<Record<string, string>> {
  const timestamp = String(Math.floor(at.getTime() / 1000))
  const valid = secrets.filter(({ endsAt }) => endsAt === undefined || endsAt > at)
  const signatures = valid.map(({ secret }) => {
    const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
    return `v1,${createHmac('sha256', key).update(`${eventId}.${timestamp}.${body}`).digest('base64')}`
  })
  return { 'webhook-id': eventId, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') }
}
