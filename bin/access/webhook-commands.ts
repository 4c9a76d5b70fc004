import { randomBytes } from 'node:crypto'
import { AddressRefused, type AddressRules } from '../../adapters/network/network-addresses.ts'
import { readRemoteUrl } from '../../adapters/network/remote-address.ts'
import { CommandFailed, UsageError } from '../../client/command-line/command-errors.ts'
import type { AccessAdmin } from '../../core/access/ports.ts'
import type { CallWebhook, WebhookAdmin } from '../../core/events/ports.ts'
import { type Endpoint, signCall } from '../../core/events/webhook.ts'
import { formatTimestamp } from '../../core/time.ts'
import { showAddress } from '../../fetch/file-address.ts'
import { type WebhookEvent, webhookEvents } from '../../schema/events.ts'
import type { Answer } from '../command/output.ts'
import { formatList } from '../command/table.ts'
import { readEnd } from './key-end.ts'
import { type LostEventDeps, listLostEvents, redriveLostEvents } from './lost-event-commands.ts'
import { findOrganization } from './organization-commands.ts'

export interface WebhookDeps {
  readonly access: AccessAdmin
  readonly webhooks: WebhookAdmin
  readonly call: CallWebhook
  /** Rules for the addresses that may be called. */
  readonly rules: AddressRules
  /** Opens the events that no function has handled. Throws CommandFailed if there is no queue of them. */
  readonly openLostEvents: () => Promise<LostEventDeps>
}

export interface WebhookOptions {
  readonly ends: string
  readonly events?: string | undefined
}

export type WebhookCommand = (deps: WebhookDeps, args: readonly string[], options: WebhookOptions) => Promise<Answer>

/** Maximum number of endpoints of an organization: each event is recorded and sent once for each of them. */
const maxEndpoints = 10

const newSecret = () => `whsec_${randomBytes(32).toString('base64')}`

/** The commands of `npm run webhooks`, by their names. */
export const webhookCommands: Readonly<Record<string, WebhookCommand>> = {
  async create({ access, webhooks, rules }, [orgId, url, ...rest], options) {
    if (orgId === undefined || url === undefined || rest.length > 0)
      throw new UsageError('create takes an organization id and a URL')
    requireUrl(url, rules)
    const events = readEvents(options.events)
    await findOrganization(access, orgId)
    if ((await webhooks.listEndpoints(orgId)).length >= maxEndpoints)
      throw new CommandFailed(
        `organization ${orgId} has ${maxEndpoints} webhooks, which is the maximum: remove one first`,
      )
    const [endpointId, secret] = [randomBytes(6).toString('hex'), newSecret()]
    await webhooks.create({ orgId, endpointId, url, events, createdAt: new Date(), secrets: [{ secret }] })
    return { facts: { orgId, endpointId, events, secret }, text: `${endpointId}\n${secret}`, wrote: true }
  },

  /** Lists the webhooks of an organization, the oldest first, and why one is disabled. */
  async list({ access, webhooks }, [orgId, ...rest]) {
    if (orgId === undefined || rest.length > 0) throw new UsageError('list takes one organization id')
    await findOrganization(access, orgId)
    const failed = await webhooks.listFailed(orgId)
    const endpoints = (await webhooks.listEndpoints(orgId))
      .toSorted((a, b) => a.createdAt.getTime() - b.createdAt.getTime())
      .map(({ secrets, ...endpoint }) => ({
        ...endpoint,
        state: stateOf(endpoint),
        failed: failed.filter(({ endpointId }) => endpointId === endpoint.endpointId).length,
        formerSecretEndsAt: secrets[1]?.endsAt,
      }))
    const rows = endpoints.map(({ endpointId, state, events, url, ...each }) => ({
      'webhook id': endpointId,
      state,
      events: events.join(),
      'failed calls': each.failed,
      // A query often has a secret of the receiver; --json has it in full.
      url: showAddress(url),
      why:
        each.disabledBecause ??
        (each.failingSince && `${each.lastFailure} since ${formatTimestamp(each.failingSince)}`),
    }))
    return { facts: { orgId, endpoints }, text: formatList(rows, 'no webhooks'), wrote: false }
  },

  /** Calls an endpoint once from here, whatever its state, and notes nothing. */
  async test({ webhooks, call }, args) {
    const { orgId, endpointId, url, secrets } = await findEndpoint(webhooks, 'test', args)
    const now = new Date()
    const body = JSON.stringify({ type: 'webhook.test', timestamp: formatTimestamp(now), data: { org_id: orgId } })
    const eventId = `test-${randomBytes(8).toString('hex')}`
    const outcome = await call(url, signCall({ eventId, body }, secrets, now), body)
    const answer = 'status' in outcome ? `status ${outcome.status}` : outcome.fault
    if (!('status' in outcome) || outcome.status < 200 || outcome.status > 299)
      throw new CommandFailed(`the webhook ${endpointId} failed: ${answer}; it must answer 200 to 299`)
    return { facts: { orgId, endpointId, ...outcome }, text: answer, wrote: false }
  },

  /** Creates a new secret. Only this answer contains it; the former secret stays valid until its end. */
  async rotate({ webhooks }, args, { ends }) {
    const endpoint = await findEndpoint(webhooks, 'rotate', args)
    const { orgId, endpointId, secrets } = endpoint
    const endsAt = readEnd(ends, new Date())
    const secret = newSecret()
    const former = secrets.slice(0, 1).map((each) => ({ ...each, endsAt }))
    if ((await webhooks.replaceSecrets(endpoint, [{ secret }, ...former])) === 'superseded')
      throw new CommandFailed(`the secret of ${endpointId} was rotated by somebody else in the meantime`)
    const text = `${secret}\nthe former secret is valid until ${formatTimestamp(endsAt)}`
    return { facts: { orgId, endpointId, secret, formerSecretEndsAt: endsAt }, text, wrote: true }
  },

  disable: changeBy('disable', (webhooks, endpoint) =>
    webhooks.disable(endpoint, 'an operator disabled it', new Date()),
  ),
  enable: changeBy('enable', (webhooks, endpoint) => webhooks.enable(endpoint)),
  remove: changeBy('remove', (webhooks, endpoint) => webhooks.remove(endpoint)),

  /** Lists calls that the service has given up, of one organization or of all. */
  async failed({ access, webhooks }, [orgId, ...rest]) {
    if (rest.length > 0) throw new UsageError('failed takes one organization id, or none')
    if (orgId !== undefined) await findOrganization(access, orgId)
    const failed = (await webhooks.listFailed(orgId)).map(({ body: _, ...each }) => each)
    const rows = failed.map((each) => ({
      'organization id': each.orgId,
      'webhook id': each.endpointId,
      'event id': each.eventId,
      event: each.type,
      'given up at': formatTimestamp(each.failedAt),
      why: each.lastFailure,
    }))
    return { facts: { failed }, text: formatList(rows, 'no failed calls'), wrote: false }
  },

  /** Lists events of the service that no function has handled. */
  async lost({ openLostEvents }, args) {
    if (args.length > 0) throw new UsageError('lost takes no arguments')
    return listLostEvents(await openLostEvents())
  },

  /** Hands the lost events to their functions again. */
  async redrive({ openLostEvents }, args) {
    if (args.length > 0) throw new UsageError('redrive takes no arguments')
    return redriveLostEvents(await openLostEvents())
  },

  /** Schedules the failed calls of an endpoint again. */
  async resend({ webhooks }, args) {
    const { orgId, endpointId, disabledAt } = await findEndpoint(webhooks, 'resend', args.toSpliced(2, 1))
    const eventId = args[2]
    if (disabledAt !== undefined) throw new CommandFailed(`the webhook ${endpointId} is disabled: enable it first`)
    const failed = (await webhooks.listFailed(orgId)).filter(
      (each) => each.endpointId === endpointId && (eventId === undefined || each.eventId === eventId),
    )
    if (eventId !== undefined && failed.length === 0)
      throw new CommandFailed(`the webhook ${endpointId} has no failed call of the event ${eventId}`)
    for (const each of failed) await webhooks.resend(each, new Date())
    return {
      facts: { orgId, endpointId, resent: failed.length },
      text: `calls that are made again within minutes: ${failed.length}`,
      wrote: failed.length > 0,
    }
  },
}

function stateOf({ disabledAt, failingSince }: Pick<Endpoint, 'disabledAt' | 'failingSince'>) {
  if (disabledAt !== undefined) return 'disabled'
  return failingSince === undefined ? 'active' : 'failing'
}

function changeBy(
  command: string,
  change: (webhooks: WebhookAdmin, endpoint: Endpoint) => Promise<unknown>,
): WebhookCommand {
  return async ({ webhooks }, args) => {
    const endpoint = await findEndpoint(webhooks, command, args)
    await change(webhooks, endpoint)
    const { orgId, endpointId } = endpoint
    const state = `${command}d`
    return { facts: { orgId, endpointId, state }, text: `${state} ${endpointId}`, wrote: true }
  }
}

function requireUrl(url: string, rules: AddressRules): void {
  if (url.length > 2000) throw new UsageError('the URL must have at most 2000 characters')
  try {
    readRemoteUrl(url, rules)
  } catch (error) {
    if (error instanceof AddressRefused) throw new UsageError(`the URL ${error.message}`)
    throw error
  }
}

function readEvents(text: string = webhookEvents.join()): readonly WebhookEvent[] {
  const words = [...new Set(text.split(','))]
  const events = webhookEvents.filter((event) => words.includes(event))
  if (events.length === words.length) return events
  throw new UsageError(`--events must be ${webhookEvents.join(', ')}, or both with a comma between them, not "${text}"`)
}

async function findEndpoint(
  webhooks: WebhookAdmin,
  command: string,
  [orgId, endpointId, ...rest]: readonly string[],
): Promise<Endpoint> {
  if (orgId === undefined || endpointId === undefined || rest.length > 0)
    throw new UsageError(
      `${command} takes an organization id and a webhook id${command === 'resend' ? ', and at most one event id' : ''}`,
    )
  const endpoint = await webhooks.readEndpoint({ orgId, endpointId })
  if (endpoint === undefined) throw new CommandFailed(`organization ${orgId} has no webhook ${endpointId}`)
  return endpoint
}
