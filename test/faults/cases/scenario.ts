import type { FailureWord } from '../../../contract/failure-words.ts'
import { choice, gold, silver } from '../../conformance/samples.ts'
import type { SampleRequest } from '../../harness/known-searches.ts'
import type { PlannedFault } from '../proxy/fault.ts'

/** A job and its circumstances. Each scenario makes calls that the others do not; faults are added on top. */
export interface Scenario {
  readonly name: string
  readonly request: SampleRequest
  /** The faults that are always part of it. */
  readonly standing: readonly PlannedFault[]
  readonly end: 'completed' | 'deleted' | FailureWord
  /** Hours before the sweeper runs. @default - minutes */
  readonly hours?: number
  /**
   * `cancel`: the client cancels the job once its query is noted and there is no more progress; `delete`: it deletes
   * the job after its end.
   */
  readonly asks?: 'cancel' | 'delete'
  /** Maximum number of queries that Athena starts. @default 1 */
  readonly queries?: number
  /** True if its client sends an idempotency key. @default false */
  readonly hasKey?: boolean
  /** Seconds for which each GET of its client waits. @default 0 */
  readonly wait?: number
}

/** Rows in several files. */
const request = { billing_codes: ['99213', '99214', '99215'], fee_schedules: [gold, silver] }
const small = { npis: [1000100002, 1000100010], billing_codes: ['99213'], fee_schedules: [gold, choice] }

const always = (call: string, fault: PlannedFault['fault']): PlannedFault => ({ call, fault, scope: 'always' })

export const wholeJob: Scenario = { name: 'a whole job', request, standing: [], end: 'completed' }

export const scenarios: readonly Scenario[] = [
  wholeJob,
  {
    name: 'a search that finds nothing',
    request: { ...small, npis: [1_999_999_999] },
    standing: [],
    end: 'completed',
  },
  {
    name: 'a search over unknown fee schedules',
    request: {
      ...small,
      fee_schedules: [
        { ...gold, plan: 'Gold' },
        { payer: 'Nobody', plan: 'Nothing' },
      ],
    },
    standing: [],
    end: 'unsupported_fee_schedule',
  },
  {
    name: 'a job whose workflow was not started',
    request: small,
    standing: [always('create-search states:StartExecution', 'error before')],
    end: 'completed',
  },
  {
    name: 'a search that Athena has no room for at first',
    request: small,
    standing: [{ call: 'start-query athena:StartQueryExecution', fault: 'throttled' }],
    end: 'completed',
  },
  {
    name: 'a search whose query runs out of memory',
    request: small,
    standing: [{ call: 'await-query athena:GetQueryExecution', fault: 'exhausted' }],
    end: 'completed',
    queries: 2,
  },
  {
    name: 'a search that runs out of memory in either order of joins',
    request: small,
    standing: [always('await-query athena:GetQueryExecution', 'exhausted')],
    end: 'too_broad',
    queries: 2,
  },
  {
    name: 'a job whose id seems to be taken',
    request: small,
    standing: [{ call: 'create-search dynamodb:PutItem job', fault: 'conditional' }],
    end: 'completed',
  },
  {
    name: 'a job whose organization creates another at the same moment',
    request: small,
    standing: [{ call: 'create-search dynamodb:UpdateItem usage slots', fault: 'conditional' }],
    end: 'completed',
  },
  { name: 'a job with an idempotency key', request: small, standing: [], end: 'completed', hasKey: true },
  { name: 'a job whose client waits for its end', request: small, standing: [], end: 'completed', wait: 5 },
  {
    name: 'a job whose key is used for the first time by a poll',
    request: small,
    standing: [always('create-search dynamodb:UpdateItem last_used_on', 'conditional')],
    end: 'completed',
  },
  {
    name: 'a job whose end cannot be announced at first',
    request: small,
    standing: [always('publish-results events:PutEvents', 'error before')],
    end: 'completed',
  },
  {
    name: 'a job that is deleted before its end is announced',
    request: small,
    standing: [always('publish-results events:PutEvents', 'error before')],
    end: 'deleted',
    asks: 'delete',
  },
  {
    name: 'a job whose steps break',
    request: small,
    standing: [always('start-query dynamodb:BatchGetItem job+shards', 'error before')],
    end: 'internal',
  },
  {
    name: 'a job whose workflow ended without it',
    request: small,
    standing: [always('start-query dynamodb:UpdateItem to processing', 'conditional')],
    end: 'internal',
  },
  {
    name: 'a job whose steps break beside its query',
    request: small,
    standing: [always('await-query athena:GetQueryExecution', 'error before')],
    end: 'internal',
  },
  {
    name: 'a job that ends while its query starts',
    request: small,
    standing: [always('start-query dynamodb:UpdateItem running_query', 'conditional')],
    end: 'internal',
  },
  {
    name: 'a job that nobody looks after until its deadline',
    request: small,
    standing: [always('await-query dynamodb:UpdateItem touched_at', 'conditional')],
    end: 'timeout',
    hours: 9,
  },
  {
    name: 'a job that is cancelled',
    request: small,
    standing: [always('await-query dynamodb:UpdateItem touched_at', 'conditional')],
    end: 'cancelled',
    asks: 'cancel',
  },
  { name: 'a job that is deleted', request: small, standing: [], end: 'deleted', asks: 'delete' },
]

/** A job of a service whose start-query waits for its query. */
export const waitingJob: Scenario = { ...wholeJob, name: 'a whole job whose query is waited for' }

/**
 * The jobs of a service whose start-query waits for its query and publishes the result; only its start-query makes
 * different calls.
 */
export const waitingScenarios: readonly Scenario[] = [
  waitingJob,
  {
    name: 'a search that finds nothing, whose query is waited for',
    request: { ...small, npis: [1_999_999_999] },
    standing: [],
    end: 'completed',
  },
  {
    name: 'a search whose query runs out of memory while it is waited for',
    request: small,
    standing: [{ call: 'start-query athena:GetQueryExecution', fault: 'exhausted' }],
    end: 'completed',
    queries: 2,
  },
  {
    name: 'a search that runs out of memory in either order of joins while it is waited for',
    request: small,
    standing: [always('start-query athena:GetQueryExecution', 'exhausted')],
    end: 'too_broad',
    queries: 2,
  },
  {
    name: 'a job whose result is left to publish-results',
    request: small,
    standing: [always('start-query s3:GetObject manifest', 'error before')],
    end: 'completed',
  },
  {
    name: 'a job whose steps break while its query is waited for',
    request: small,
    standing: [always('start-query athena:GetQueryExecution', 'error before')],
    end: 'internal',
  },
]

/**
 * Writes whose condition is made to fail although no other step has the job: the step then leaves it to the other one.
 */
const leftToAnother = [
  'start-query dynamodb:UpdateItem to processing',
  'start-query dynamodb:UpdateItem running_query',
  'start-query dynamodb:UpdateItem to failed',
  'start-query dynamodb:UpdateItem attempt',
  'start-query dynamodb:PutItem shards',
  'start-query dynamodb:UpdateItem to completed',
  'await-query dynamodb:UpdateItem touched_at',
  'await-query dynamodb:UpdateItem to failed',
  'publish-results dynamodb:UpdateItem attempt',
  'publish-results dynamodb:PutItem shards',
  'publish-results dynamodb:UpdateItem to completed',
]

/**
 * Returns the end that a job must have. DynamoDB itself never reports a failed condition that holds. If the harness
 * does, the workflow ends, and the sweeper fails the job of the ended execution with a message to search again.
 */
export function endOf({ end }: Scenario, fault: PlannedFault | undefined): Scenario['end'] {
  const isLeft = fault?.fault === 'conditional' && leftToAnother.includes(fault.call)
  return isLeft ? 'internal' : end
}
