import { listStackResources } from '../../adapters/cloudformation/cfn-stack-resources.ts'
import { invokeFunction, type LostEvent, type LostEvents, openLostEvents } from '../../adapters/sqs-lost-events.ts'
import { CommandFailed } from '../../client/command-line/command-errors.ts'
import { formatTimestamp } from '../../core/time.ts'
import { runbooksPage } from '../../lib/operations/alarm-facts.ts'
import { countOf } from '../../schema/phrases.ts'
import type { Answer } from '../command/output.ts'
import { formatList } from '../command/table.ts'
import { describeLoss, type Handler, readLostEvent, unknownBody } from './lost-event.ts'

/** The queue and the functions that commands on lost events need. */
export interface LostEventDeps {
  readonly queue: LostEvents
  /** Calls a function and waits for its end. Returns its error; undefined if it has handled the event. */
  readonly invoke: (handler: Handler, event: unknown) => Promise<string | undefined>
  readonly signal: AbortSignal
  /** Writes a line of progress. */
  readonly write: (line: string) => void
}

/** Seconds for which a received event is kept from others: longer than any of the functions runs. */
const hiddenSeconds = 120

/**
 * Opens the lost events of a deployed stage.
 *
 * @throws CommandFailed if its stack has no such queue
 */
export async function openStageEvents(stage: string): Promise<Pick<LostEventDeps, 'queue' | 'invoke'>> {
  const resources = await listStackResources(`SearchService-${stage}`)
  const physicalId = (type: string, construct: string) => {
    const resource = resources.find(
      (each) => each.type === type && new RegExp(`^${construct}[0-9A-F]{8}$`).test(each.logicalId),
    )
    if (resource === undefined)
      throw new CommandFailed(
        `the stack of the stage ${stage} has no ${type} ${construct}: npm run status shows its state`,
      )
    return resource.physicalId
  }
  return {
    queue: openLostEvents(physicalId('AWS::SQS::Queue', 'DeadLetters')),
    invoke: (handler, event) => invokeFunction(physicalId('AWS::Lambda::Function', handler), event),
  }
}

/** Lists the lost events, and leaves them in the queue. */
export async function listLostEvents({ queue, signal }: LostEventDeps): Promise<Answer> {
  const events = await Array.fromAsync(receiveOnce(queue, signal))
  for (const event of events) await queue.release(event)
  if (signal.aborted) throw new CommandFailed('stopped')
  const lost = events.map((event) => ({
    event: readLostEvent(event)?.what ?? unknownBody,
    lostAt: event.sentAt,
    why: describeLoss(event),
    body: event.body,
  }))
  const rows = lost.map(({ event, lostAt, why }) => ({ 'lost at': lostAt && formatTimestamp(lostAt), event, why }))
  return { facts: { lost }, text: formatList(rows, 'no lost events'), wrote: false }
}

/**
 * Hands each lost event to its function again, and deletes it once the function has handled it. Handling is idempotent,
 * so this can be interrupted and repeated.
 *
 * @throws CommandFailed if it was interrupted
 */
export async function redriveLostEvents(deps: LostEventDeps): Promise<Answer> {
  const { queue, signal, write } = deps
  const counts = { handled: 0, dropped: 0, failed: 0, unknown: 0 }
  const held: LostEvent[] = []
  for await (const event of receiveOnce(queue, signal)) {
    const { outcome, what } = await redrive(event, deps)
    counts[outcome]++
    write(`${outcome}: ${what}`)
    if (outcome === 'failed' || outcome === 'unknown') held.push(event)
    else await queue.remove(event)
  }
  // Not before the end: they would be received again at once.
  for (const event of held) await queue.release(event)
  const remaining = Math.max(await queue.count(), held.length)
  if (signal.aborted) throw new CommandFailed(`stopped; about ${countOf(remaining, 'event')} left: run it again`)
  if (held.length > 0) process.exitCode = 1
  return {
    facts: { ...counts, remaining },
    text: describeCounts(counts, remaining),
    wrote: counts.handled + counts.dropped > 0,
  }
}

type Outcome = 'handled' | 'dropped' | 'failed' | 'unknown'

async function redrive(
  event: LostEvent,
  { invoke }: LostEventDeps,
): Promise<{ readonly outcome: Outcome; readonly what: string }> {
  const redrive = readLostEvent(event)
  if (redrive === undefined) return { outcome: 'unknown', what: `${unknownBody}: ${event.body.slice(0, 100)}` }
  const { handler, what } = redrive
  if (handler === undefined) return { outcome: 'dropped', what }
  const fault = await invoke(handler, redrive.event)
  return fault === undefined ? { outcome: 'handled', what } : { outcome: 'failed', what: `${what}: ${fault}` }
}

const describeCounts = ({ handled, dropped, failed, unknown }: Readonly<Record<Outcome, number>>, remaining: number) =>
  [
    `${handled} handled`,
    ...(dropped === 0 ? [] : [`${countOf(dropped, 'call')} of timers dropped, which the next call makes up for`]),
    ...(failed === 0
      ? []
      : [`${failed} failed again: the logs of their functions have the reasons, see ${runbooksPage}#eventslost`]),
    ...(unknown === 0 ? [] : [`${unknown} unknown: npm run --silent webhooks -- lost --json prints them`]),
    `about ${countOf(remaining, 'event')} left`,
  ].join('; ')

/** Number of consecutive batches without a new event after which the remaining events are left to other receivers. */
const maxStale = 20

/** Receives each event once, until none is left or the signal aborts. */
async function* receiveOnce(queue: LostEvents, signal: AbortSignal): AsyncGenerator<LostEvent> {
  const received = new Set<string>()
  for (let stale = 0; stale < maxStale && !signal.aborted; stale++) {
    const events = await queue.receive(hiddenSeconds)
    if (events.length === 0) return
    for (const event of events.filter(({ messageId }) => !received.has(messageId))) {
      if (signal.aborted) return
      stale = -1
      received.add(event.messageId)
      yield event
    }
  }
}
