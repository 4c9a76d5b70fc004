import type { CaseRecord } from './fault-proxy.ts'
import type { FaultyService } from './faulty-service.ts'
import type { Scenario } from './scenario.ts'
import { scenarios } from './scenario.ts'

/** Duplicate or late deliveries, which at-least-once delivery permits. */
export interface Delivery {
  readonly name?: string
  /** @default - the whole job */
  readonly scenario?: Scenario | undefined
  /** The first invocation of this function is made twice concurrently, with the same event. */
  readonly twice?: string
  /** After the job's end, every event of this function is redelivered; `broken execution` means the rule's event. */
  readonly again?: string
  /** How many sweeps run concurrently. */
  readonly sweepsAtOnce?: number
  /** How many copies of the rule's event of a broken execution are delivered with every sweep. */
  readonly brokenEvents?: number
  /** How many copies of the search are sent concurrently, under one idempotency key. */
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
    name: 'the event of a broken execution twice at once, during two sweeps',
    brokenEvents: 2,
    sweepsAtOnce: 2,
    scenario: named('a job whose workflow ended before it did'),
  },
  { name: 'the event of a broken execution after the end', again: 'broken execution' },
  { name: 'two sweeps at once', sweepsAtOnce: 2, scenario: named('a job whose workflow was not started') },
  {
    name: 'two sweeps at once past the deadline',
    sweepsAtOnce: 2,
    scenario: named('a job that no step touches until its deadline'),
  },
  { name: 'the search three times at once under one idempotency key', posts: 3 },
]

/** Duplicates the first invocation of a function. */
export function deliverTwice({ service }: FaultyService, record: CaseRecord, twice: string): void {
  record.onInvocation = ({ functionName, event }) => {
    if (functionName !== twice) return
    delete record.onInvocation
    record.duplicates.push(service.invoke(functionName, event))
  }
}

/** Delivers the sweeper's schedule and the broken-execution rule's events to a job that waits for them. */
export async function deliverSweeps({ service }: FaultyService, record: CaseRecord, delivery: Delivery): Promise<void> {
  const { sweepsAtOnce = 1, brokenEvents = 0 } = delivery
  await Promise.all([
    ...Array.from({ length: sweepsAtOnce }, () => service.invoke('SweepSearches', { source: 'aws.events' })),
    ...Array.from({ length: brokenEvents }, () => service.invoke('RecordFailure', brokenExecution(record))),
  ])
}

/** Redelivers the events that drove a job that has ended. */
export async function deliverAgain({ service }: FaultyService, record: CaseRecord, { again }: Delivery): Promise<void> {
  await Promise.all(record.duplicates)
  if (again === undefined) return
  const events =
    again === 'broken execution'
      ? [brokenExecution(record)]
      : record.invocations.filter(({ functionName }) => functionName === again).map(({ event }) => event)
  if (events.length === 0) throw new TypeError(`the job had no event of ${again} to deliver again`)
  const functionName = again === 'broken execution' ? 'RecordFailure' : again
  await Promise.all(events.map((event) => service.invoke(functionName, event)))
}

/** The event that the rule in lib/broken-executions.ts sends for an execution that was aborted. */
function brokenExecution({ invocations }: CaseRecord): object {
  const first = invocations.find(({ functionName }) => functionName === 'StartQuery')
  return { status: 'ABORTED', input: JSON.stringify(first?.event) }
}
