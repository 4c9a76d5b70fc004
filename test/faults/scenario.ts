import type { FailureWord } from '../../core/failure.ts'
import { choice, gold, silver } from '../conformance/samples.ts'
import type { PlannedFault } from './fault.ts'

/** A job and the faults it always meets; a case adds one more. Each scenario makes calls that the others do not. */
export interface Scenario {
  readonly name: string
  readonly request: {
    readonly npis?: readonly number[]
    readonly billing_codes: readonly string[]
    readonly fee_schedules: readonly { readonly payer: string; readonly plan: string }[]
  }
  /** The faults that every case of the scenario meets. */
  readonly standing: readonly PlannedFault[]
  readonly end: 'completed' | 'deleted' | FailureWord
  /** How many hours pass before the sweeper runs. @default - ten minutes */
  readonly hours?: number
  /** Whether its client cancels it, once its query is stored and no execution runs, or deletes it at its end. */
  readonly asks?: 'cancel' | 'delete'
}

/** A search whose result has several files. */
const request = { billing_codes: ['99213', '99214', '99215'], fee_schedules: [gold, silver] }
const small = { npis: [1000100000, 1000100017], billing_codes: ['99213'], fee_schedules: [gold, choice] }

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
    name: 'a search that Athena throttles at first',
    request: small,
    standing: [{ call: 'start-query athena:StartQueryExecution', fault: 'throttled' }],
    end: 'completed',
  },
  {
    name: 'a job whose id seems to be taken',
    request: small,
    standing: [{ call: 'create-search dynamodb:PutItem job', fault: 'conditional' }],
    end: 'completed',
  },
  {
    name: 'a job whose steps break',
    request: small,
    standing: [always('start-query dynamodb:BatchGetItem job+shards', 'error before')],
    end: 'internal',
  },
  {
    name: 'a job whose workflow ended before it did',
    request: small,
    standing: [always('start-query dynamodb:UpdateItem to processing', 'conditional')],
    end: 'internal',
  },
  {
    name: 'a job whose steps break while its query runs',
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
    name: 'a job that no step touches until its deadline',
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

/** Writes whose failed condition tells a step that another attempt owns the job, so that it stops. */
const leftToAnother = [
  'start-query dynamodb:UpdateItem to processing',
  'start-query dynamodb:UpdateItem running_query',
  'start-query dynamodb:UpdateItem to failed',
  'await-query dynamodb:UpdateItem touched_at',
  'publish-results dynamodb:UpdateItem attempt',
  'publish-results dynamodb:PutItem shards',
  'publish-results dynamodb:UpdateItem to completed',
]

/**
 * How a job must end. If a fault makes one of these conditions fail, the workflow stops and the sweeper finds a job
 * without an execution: the job fails with a message that asks for a new search.
 */
export function endOf({ end }: Scenario, fault: PlannedFault | undefined): Scenario['end'] {
  const isLeft = fault?.fault === 'conditional' && leftToAnother.includes(fault.call)
  return isLeft ? 'internal' : end
}
