import type { WriteOutcome } from '../write-outcome.ts'
import type { CallOutcome, Delivery, Endpoint, EndpointSecret } from './webhook.ts'

/** Makes one call of a webhook: no redirect is followed, and no body read. Never fails. */
export type CallWebhook = (url: string, headers: Readonly<Record<string, string>>, body: string) => Promise<CallOutcome>

export type EndpointKey = Pick<Endpoint, 'orgId' | 'endpointId'>
export type DeliveryKey = Pick<Delivery, 'orgId' | 'endpointId' | 'eventId'>

/** A delivery in the queue, by the time at which it is due. */
export interface DueDelivery extends DeliveryKey {
  readonly dueAt: Date
}

/** Stores endpoints and their deliveries. */
export interface Webhooks {
  listEndpoints(orgId: string): Promise<readonly Endpoint[]>
  /** Lists the endpoints of all organizations that are not disabled. Eventually consistent. */
  listAllEndpoints(): Promise<readonly Endpoint[]>
  readEndpoint(endpoint: EndpointKey): Promise<Endpoint | undefined>
  /** Superseded if the event is already recorded for the endpoint. */
  record(delivery: Delivery, dueAt: Date): Promise<WriteOutcome>
  /** Up to `limit` deliveries that are due, the longest due first. Eventually consistent. */
  listDue(at: Date, limit: number): Promise<readonly DueDelivery[]>
  /** Counts another attempt at a delivery that is due as it was listed, and puts it off; undefined if it is not. */
  lease(due: DueDelivery, dueAt: Date): Promise<Delivery | undefined>
  /** Puts off a delivery without an attempt. */
  postpone(due: DueDelivery, dueAt: Date): Promise<WriteOutcome>
  noteFailure(delivery: DeliveryKey, failure: string, dueAt: Date): Promise<WriteOutcome>
  /** Marks a delivery as failed, until an operator sends it again or it expires. */
  giveUp(delivery: DeliveryKey, failure: string, at: Date, expiresAt: Date): Promise<WriteOutcome>
  /** Keeps only the fact that an event was delivered, so that it is not recorded again. */
  close(delivery: DeliveryKey, expiresAt: Date): Promise<WriteOutcome>
  noteEndpointFails(endpoint: EndpointKey, failure: string, at: Date): Promise<WriteOutcome>
  noteEndpointWorks(endpoint: EndpointKey): Promise<WriteOutcome>
  /** Superseded if it is disabled. */
  disable(endpoint: EndpointKey, because: string, at: Date): Promise<WriteOutcome>
}

/** Manages endpoints; only for the operator's command. */
export interface WebhookAdmin extends Webhooks {
  create(endpoint: Endpoint): Promise<WriteOutcome>
  /** Superseded if it is not disabled. */
  enable(endpoint: Endpoint): Promise<WriteOutcome>
  /** Superseded if its secrets have changed since it was read. */
  replaceSecrets(endpoint: Endpoint, secrets: readonly EndpointSecret[]): Promise<WriteOutcome>
  /** Removes an endpoint, then its deliveries. */
  remove(endpoint: EndpointKey): Promise<void>
  /** Deliveries that were given up, of one organization or of all. */
  listFailed(orgId?: string): Promise<readonly FailedDelivery[]>
  /** Makes a delivery that was given up due again, as if it were new. Superseded if it was not given up. */
  resend(delivery: DeliveryKey, at: Date): Promise<WriteOutcome>
}

export interface FailedDelivery extends Delivery {
  readonly failedAt: Date
}
