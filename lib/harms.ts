import { Duration } from 'aws-cdk-lib'
import type { RestApi } from 'aws-cdk-lib/aws-apigateway'
import type { IMetric, Metric } from 'aws-cdk-lib/aws-cloudwatch'
import { MathExpression, Stats } from 'aws-cdk-lib/aws-cloudwatch'
import type { IFunction } from 'aws-cdk-lib/aws-lambda'
import type { IQueue } from 'aws-cdk-lib/aws-sqs'
import type { StateMachine } from 'aws-cdk-lib/aws-stepfunctions'
import type { EndedWord } from '../core/metrics.ts'
import { sweepMetrics } from '../core/metrics.ts'
import { measureEnds, measureSweeps, metricPeriod } from './service-metrics.ts'

/** What the alarms look at. */
export interface Watched {
  readonly stageName: string
  readonly restApi: RestApi
  /** The functions behind the routes. */
  readonly calls: readonly IFunction[]
  /** The functions of the workflow and the timers. */
  readonly functions: readonly IFunction[]
  /** What fills the catalogue from an operator's own relation; none if loads do. */
  readonly refreshes: readonly IFunction[]
  readonly stateMachine: StateMachine
  readonly deadLetters: IQueue
}

/** A harm that an alarm tells of. */
export interface Harm {
  /** Name of the alarm, and of its runbook in docs/operations.md. */
  readonly name: string
  /** One alarm each: more than one only if the harm covers more metrics than an alarm may add up. */
  readonly metrics: readonly IMetric[]
  /** From here on it is too much; with `whenSilent`, below here it is too little. */
  readonly threshold: number
  /** Periods in a row. */
  readonly periods: number
  /** What users feel, in their words. */
  readonly impact: string
  /** Whether silence is the harm. */
  readonly whenSilent?: boolean
}

/** Source: CloudWatch user guide, "CloudWatch service quotas": metrics in an alarm that is based on a metric math expression. */
const maxMetricsPerAlarm = 10

/** Every harm that somebody should be told of. */
export function listHarms({
  stageName,
  restApi,
  calls,
  functions,
  refreshes,
  stateMachine,
  deadLetters,
}: Watched): readonly Harm[] {
  const period = metricPeriod
  return [
    {
      name: 'SearchesFail',
      metrics: [measureEnds(stageName, 'internal' satisfies EndedWord)],
      threshold: 1,
      periods: 1,
      impact: 'Searches fail through no fault of their clients, who read "internal:".',
    },
    {
      name: 'SearchesTimeOut',
      metrics: [measureEnds(stageName, 'timeout' satisfies EndedWord)],
      threshold: 1,
      periods: 1,
      impact: 'Searches are given up because they waited or ran too long: their clients read "timeout:".',
    },
    {
      name: 'JobsWait',
      metrics: [measureSweeps(stageName, sweepMetrics.oldestWaiting, Stats.MAXIMUM)],
      threshold: 300,
      periods: 1,
      impact: 'Searches are accepted and their queries do not start: clients poll and nothing begins.',
    },
    {
      name: 'JobsLast',
      metrics: [measureSweeps(stageName, sweepMetrics.oldestRunning, Stats.MAXIMUM)],
      threshold: 3600,
      periods: 1,
      impact: 'The query of a search has run for an hour: its client still waits for a result.',
    },
    {
      name: 'SweeperSilent',
      metrics: [measureSweeps(stageName, sweepMetrics.sweeps, Stats.SUM)],
      threshold: 1,
      periods: 1,
      impact: 'The sweeper does not run: a search whose start was lost would stay queued for ever.',
      whenSilent: true,
    },
    {
      name: 'SearchesBreak',
      metrics: addUp([stateMachine.metricFailed(), stateMachine.metricTimedOut(), stateMachine.metricAborted()]),
      threshold: 1,
      periods: 1,
      impact: 'The workflow of a search met an error that no step expects, or was stopped: the search fails.',
    },
    {
      name: 'ApiFails',
      metrics: [restApi.metricServerError({ period, statistic: Stats.SUM })],
      threshold: 5,
      periods: 1,
      impact: 'Clients get HTTP 500: searches can be neither created nor asked for.',
    },
    {
      name: 'CallsThrottled',
      metrics: addUp(calls.map((target) => target.metricThrottles())),
      threshold: 1,
      periods: 3,
      impact: 'Calls of the API find no room: clients get errors.',
    },
    {
      name: 'CallsFail',
      metrics: addUp(calls.map((target) => target.metricErrors())),
      threshold: 5,
      periods: 1,
      impact: 'Calls of the API crash or run out of time: clients get HTTP 502 without a reason.',
    },
    {
      name: 'FunctionsThrottled',
      metrics: addUp(functions.map((target) => target.metricThrottles())),
      threshold: 1,
      periods: 3,
      impact: 'Steps of searches find no room: searches take longer than they should.',
    },
    {
      name: 'FunctionsFail',
      metrics: addUp(functions.map((target) => target.metricErrors())),
      threshold: 5,
      periods: 1,
      impact: 'Functions meet errors that nobody expected; searches are retried and may fail.',
    },
    {
      name: 'EventsLost',
      metrics: [deadLetters.metricApproximateNumberOfMessagesVisible({ period, statistic: Stats.MAXIMUM })],
      threshold: 1,
      periods: 1,
      impact: 'The end of a broken search could not be recorded: its client waits until the sweeper finds it.',
    },
    ...refreshes.map((refresh) => ({
      name: 'FeeSchedulesStale',
      metrics: [refresh.metricErrors({ period: Duration.hours(1), statistic: Stats.SUM })],
      threshold: 1,
      periods: 2,
      impact: 'The relation fee_schedules cannot be read: searches of new plans fail, and gone plans seem to be there.',
    })),
  ]
}

/** Adds metrics up, in as many sums as alarms need. */
function addUp(metrics: readonly Metric[]): readonly MathExpression[] {
  const pieces = Array.from({ length: Math.ceil(metrics.length / maxMetricsPerAlarm) }, (_, index) =>
    metrics.slice(index * maxMetricsPerAlarm, (index + 1) * maxMetricsPerAlarm),
  )
  return pieces.map((piece) => {
    const usingMetrics = Object.fromEntries(
      piece.map((metric, index) => [`m${index}`, metric.with({ statistic: Stats.SUM, period: metricPeriod })]),
    )
    const expression = Object.keys(usingMetrics).join(' + ')
    return new MathExpression({ expression, usingMetrics, period: metricPeriod })
  })
}
