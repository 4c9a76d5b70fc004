import type { CaseRecord } from '../proxy/fault-proxy.ts'
import type { FaultyService } from '../proxy/faulty-service.ts'
import { type Scenario, scenarios, waitingJob } from './scenario.ts'

/** A duplicate or late delivery of events that are delivered at least once. */
export interface Delivery {
  readonly name?: string
  /** @default - the whole job */
  readonly scenario?: Scenario | undefined
  /** The first invocation of this function is made twice concurrently, with the same event. */
  readonly twice?: string
  /** After the job's end every event of this function is delivered again; `broken execution` is the rule's event. */
  readonly again?: string
  /** Number of concurrent sweeps. */
  readonly sweepsAtOnce?: number
  /** Number of times that the rule's event of a broken execution is delivered with every sweep. */
  readonly brokenEvents?: number
  /** Number of times that the search is sent concurrently, with one idempotency key. */
  readonly posts?: number
}

const steps = ['StartQuery', 'AwaitQuery', 'PublishResults']

const named = (name: string) => scenarios.find((scenario) => scenario.name === name)

export const deliveries: readonly Delivery[] = [
  ...steps.map((twice) => ({ name: `${twice} twice at once`, twice })),
  ...steps.map((again) => ({ name: `${again} again after the end`, again })),
  { name: 'RecordFailure twice at once', twice: 'RecordFailure', scenario: named('a job whose steps break') },
  { name: 'RecordFailure again after the end', again: 'RecordFailure', scenario: named('a job whose steps break') },
  {
    name: 'the event of a broken execution twice at once, beside two sweeps',
    brokenEvents: 2,
    sweepsAtOnce: 2,
    scenario: named('a job whose workflow ended without it'),
  },
  { name: 'the event of a broken execution after the end', again: 'broken execution' },
  { name: 'two sweeps at once', sweepsAtOnce: 2, scenario: named('a job whose workflow was not started') },
  {
    name: 'two sweeps at once past the deadline',
    sweepsAtOnce: 2,
    scenario: named('a job that nobody looks after until its deadline'),
  },
  { name: 'the search three times at once under one idempotency key', posts: 3 },
]

/** The same deliveries for a start-query that waits for its query. */
export const waitingDeliveries: readonly Delivery[] = [
  { name: 'StartQuery twice at once, waiting', twice: 'StartQuery', scenario: waitingJob },
  { name: 'StartQuery again after the end, waiting', again: 'StartQuery', scenario: waitingJob },
]

/** Makes the first invocation of a function twice. */
export function deliverTwice({ service }: FaultyService, record: CaseRecord, twice: string): void {
  record.onInvocation = ({ functionName, event }) => {
    if (functionName !== twice) return
    delete record.onInvocation
    record.duplicates.push(service.invoke(functionName, event))
  }
}

/**
 * Longest time of a whole sweep, in milliseconds. In a longer one an announcement may have timed out: see
 * adapters/eventbridge-announcements.ts.
 */
const maxSweepMs = 3000

/**
 * Delivers the events of the sweeper's schedule and of the rule for broken executions.
 *
 * @returns true if a sweep was whole. A sweep that the fault of another case hit, or that a busy machine slowed down,
 *   may have done nothing for this case
 */
export async function deliverSweeps(
  { service, sweep }: FaultyService,
  record: CaseRecord,
  delivery: Delivery,
): Promise<boolean> {
  const { sweepsAtOnce = 1, brokenEvents = 0 } = delivery
  const started = Date.now()
  const [sweeps] = await Promise.all([
    Promise.all(Array.from({ length: sweepsAtOnce }, sweep)),
    Promise.all(Array.from({ length: brokenEvents }, () => service.invoke('RecordFailure', brokenExecution(record)))),
  ])
  return sweeps.includes(true) && Date.now() - started < maxSweepMs
}

/** Delivers the events of an ended job again. */
export async function deliverAgain({ service }: FaultyService, record: CaseRecord, { again }: Delivery): Promise<void> {
  await Promise.all(record.duplicates)
  if (again === undefined) return
  const events =
    again === 'broken execution'
      ? [brokenExecution(record)]
      : record.invocations.filter(({ functionName }) => functionName === again).map(({ event }) => event)
  if (events.length === 0) throw new TypeError(`there was no ${again}`)
  const functionName = again === 'broken execution' ? 'RecordFailure' : again
  await Promise.all(events.map((event) => service.invoke(functionName, event)))
}

/** The event that the rule sends for an execution that failed. Source: lib/workflow/broken-executions.ts. */
function brokenExecution({ invocations }: CaseRecord): object {
  const first = invocations.find(({ functionName }) => functionName === 'StartQuery')
  return { status: 'ABORTED', input: JSON.stringify(first?.event) }
}
