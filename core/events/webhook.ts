import { createHmac } from 'node:crypto'
import type { WebhookEvent } from '../../schema/events.ts'
import { addSeconds } from '../time.ts'

/** Webhooks by Standard Webhooks 1.0. Source: github.com/standard-webhooks/standard-webhooks, spec/standard-webhooks.md. */

/** An address of an organization that is called when something happens. */
export interface Endpoint {
  readonly orgId: string
  readonly endpointId: string
  readonly url: string
  readonly events: readonly WebhookEvent[]
  readonly createdAt: Date
  /** The newest first; the one before it is valid until its end. */
  readonly secrets: readonly EndpointSecret[]
  /** When the first call failed since one succeeded. */
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

/** What an endpoint is to be told, in all of its calls. */
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

/** What a call came to: a status, or why there is none. */
export type CallOutcome = { readonly status: number } | { readonly fault: string }

/** Pauses after the first to the seventh call: together 31.6 hours, so that an outage of a day loses nothing. */
const pauseSeconds = [5, 300, 1800, 7200, 18_000, 36_000, 50_400]

/** Seconds for which a call may be under way before another is made; a call takes ten at most. */
export const leaseSeconds = 60

/** Days without a successful call after which an endpoint is disabled. */
const failingDays = 5

export const secondsOfDays = (days: number) => days * 86_400

/**
 * When a delivery is due again after a failed call; undefined: never.
 *
 * @param random from 0 to 1: pauses grow by up to a fifth, so that what failed together does not come back together
 */
export function nextAttempt({ attempts }: Pick<Delivery, 'attempts'>, at: Date, random: number): Date | undefined {
  const pause = pauseSeconds[attempts - 1]
  return pause === undefined ? undefined : addSeconds(at, pause * (1 + random / 5))
}

/**
 * Whether an endpoint has failed for so long that it is called no more. Not by a call of less than a day, because an
 * endpoint may have had no other since it failed; nor by the eighth call of one, which a backlog can put off for weeks.
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
