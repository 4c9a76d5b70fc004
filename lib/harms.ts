import { Duration } from 'aws-cdk-lib'
import type { RestApi } from 'aws-cdk-lib/aws-apigateway'
import type { IMetric } from 'aws-cdk-lib/aws-cloudwatch'
import { MathExpression, Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch'
import type { IFunction } from 'aws-cdk-lib/aws-lambda'
import type { IQueue } from 'aws-cdk-lib/aws-sqs'
import type { StateMachine } from 'aws-cdk-lib/aws-stepfunctions'
import { sweepMetrics } from '../core/sweep-metrics.ts'

/** What the alarms look at. */
export interface Watched {
  readonly restApi: RestApi
  /** The functions behind the routes. Apart from the others: an alarm adds up ten metrics at most. */
  readonly calls: readonly IFunction[]
  /** The functions of the workflow and the timers. */
  readonly functions: readonly IFunction[]
  /** What fills the catalogue from an operator's own relation; none where loads do. */
  readonly refreshes: readonly IFunction[]
  readonly stateMachine: StateMachine
  readonly deadLetters: IQueue
}

/** A harm that an alarm tells of. */
export interface Harm {
  /** Name of the alarm, and of its runbook in docs/operations.md. */
  readonly name: string
  readonly metric: IMetric
  /** From here on it is too much; with `whenSilent`, below here it is too little. */
  readonly threshold: number
  /** Periods in a row. */
  readonly periods: number
  /** What users feel, in their words. */
  readonly impact: string
  /** Whether silence is the harm. */
  readonly whenSilent?: boolean
}

const period = Duration.minutes(5)

/** Every harm that somebody should be told of. */
export function listHarms({
  restApi,
  calls,
  functions,
  refreshes,
  stateMachine,
  deadLetters,
}: Watched): readonly Harm[] {
  return [
    {
      name: 'JobsWait',
      metric: measured(sweepMetrics.oldestWaiting, Stats.MAXIMUM),
      threshold: 300,
      periods: 1,
      impact: 'Searches are accepted and their queries do not start: clients poll and nothing begins.',
    },
    {
      name: 'JobsLast',
      metric: measured(sweepMetrics.oldestRunning, Stats.MAXIMUM),
      threshold: 3600,
      periods: 1,
      impact: 'The query of a search has run for an hour: its client still waits for a result.',
    },
    {
      name: 'SweeperSilent',
      metric: measured(sweepMetrics.sweeps, Stats.SUM),
      threshold: 1,
      periods: 1,
      impact: 'The sweeper does not run: a search whose start was lost would stay queued for ever.',
      whenSilent: true,
    },
    {
      name: 'SearchesBreak',
      metric: sum([stateMachine.metricFailed(), stateMachine.metricTimedOut(), stateMachine.metricAborted()]),
      threshold: 1,
      periods: 1,
      impact: 'Searches fail through no fault of their clients, who read "internal:" or "timeout:".',
    },
    {
      name: 'ApiFails',
      metric: restApi.metricServerError({ period, statistic: Stats.SUM }),
      threshold: 5,
      periods: 1,
      impact: 'Clients get HTTP 500: searches can be neither created nor asked for.',
    },
    {
      name: 'CallsThrottled',
      metric: sum(calls.map((target) => target.metricThrottles())),
      threshold: 1,
      periods: 3,
      impact: 'Calls of the API find no room: clients get errors.',
    },
    {
      name: 'CallsFail',
      metric: sum(calls.map((target) => target.metricErrors())),
      threshold: 5,
      periods: 1,
      impact: 'Calls of the API crash or run out of time: clients get HTTP 502 without a reason.',
    },
    {
      name: 'FunctionsThrottled',
      metric: sum(functions.map((target) => target.metricThrottles())),
      threshold: 1,
      periods: 3,
      impact: 'Steps of searches find no room: searches take longer than they should.',
    },
    {
      name: 'FunctionsFail',
      metric: sum(functions.map((target) => target.metricErrors())),
      threshold: 5,
      periods: 1,
      impact: 'Functions meet errors that nobody expected; searches are retried and may fail.',
    },
    {
      name: 'EventsLost',
      metric: deadLetters.metricApproximateNumberOfMessagesVisible({ period, statistic: Stats.MAXIMUM }),
      threshold: 1,
      periods: 1,
      impact: 'The end of a broken search could not be recorded: its client waits until the sweeper finds it.',
    },
    ...refreshes.map((refresh) => ({
      name: 'FeeSchedulesStale',
      metric: refresh.metricErrors({ period: Duration.hours(1), statistic: Stats.SUM }),
      threshold: 1,
      periods: 2,
      impact: 'The relation fee_schedules cannot be read: searches of new plans fail, and gone plans seem to be there.',
    })),
  ]
}

function measured(metricName: string, statistic: string): Metric {
  return new Metric({ namespace: sweepMetrics.namespace, metricName, statistic, period })
}

function sum(metrics: readonly Metric[]): MathExpression {
  const usingMetrics = Object.fromEntries(
    metrics.map((metric, index) => [`m${index}`, metric.with({ statistic: Stats.SUM, period })]),
  )
  return new MathExpression({ expression: Object.keys(usingMetrics).join(' + '), usingMetrics, period })
}
