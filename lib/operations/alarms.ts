import { Duration } from 'aws-cdk-lib'
import type { RestApi } from 'aws-cdk-lib/aws-apigateway'
import { type IMetric, MathExpression, Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch'
import type { IFunction } from 'aws-cdk-lib/aws-lambda'
import type { IQueue } from 'aws-cdk-lib/aws-sqs'
import type { StateMachine } from 'aws-cdk-lib/aws-stepfunctions'
import { type EndedWord, plansLeftOut, sweepMetrics, webhooksGivenUp } from '../../schema/metrics.ts'
import type { Stage } from '../stage/stage.ts'
import { measureEnds, measureStage, metricPeriod } from './service-metrics.ts'

/** The resources that the alarms watch. */
export interface Watched {
  readonly stage: Pick<Stage, 'name' | 'alarmBytesPerHour'>
  readonly restApi: RestApi
  /** Functions behind the routes. */
  readonly calls: readonly IFunction[]
  /** Functions of the workflow and the timers. */
  readonly functions: readonly IFunction[]
  /** Those of them that every stage calls each minute. */
  readonly timers: readonly IFunction[]
  /** Functions that fill the catalogue from an operator's relation; empty if loads fill it. */
  readonly refreshes: readonly IFunction[]
  readonly stateMachine: StateMachine
  readonly deadLetters: IQueue
  /** The workgroup that searches run in. */
  readonly workGroup: string
  /** Loads on AWS that failed or were not started; empty if the stage has none. */
  readonly loadFailures: readonly Metric[]
}

/** A condition that an alarm reports. */
export interface ServiceAlarm {
  /** One alarm per metric; more than one only if an alarm cannot add up that many metrics. */
  readonly metrics: readonly IMetric[]
  /** The alarm fires at or above this value; with `firesBelow`, below it. @default 1 */
  readonly threshold?: number
  /** Number of consecutive periods. @default 1 */
  readonly periods?: number
  /** What users notice. */
  readonly impact: string
  /** Whether values below the threshold are the problem. Without any data, such an alarm keeps its state. @default false */
  readonly firesBelow?: boolean
}

/** Source: CloudWatch user guide, "CloudWatch service quotas": metrics in an alarm that is based on a metric math expression. */
const maxMetricsPerAlarm = 10

/** All alarms of a stage by their names, which are also those of their runbooks in docs/operations.md. */
export function listAlarms({
  stage: { name: stageName, alarmBytesPerHour },
  restApi,
  calls,
  functions,
  timers,
  refreshes,
  stateMachine,
  deadLetters,
  workGroup,
  loadFailures,
}: Watched): Readonly<Record<string, ServiceAlarm>> {
  const period = metricPeriod
  return {
    SearchesFail: {
      metrics: [measureEnds(stageName, 'internal' satisfies EndedWord)],
      impact: 'Searches fail with "internal:" through no fault of the client.',
    },
    SearchesTimeOut: {
      metrics: [measureEnds(stageName, 'timeout' satisfies EndedWord)],
      impact: 'Searches fail with "timeout:" because they waited or ran too long.',
    },
    JobsWait: {
      metrics: [measureStage(stageName, sweepMetrics.oldestWaiting, Stats.MAXIMUM)],
      threshold: 300,
      impact: 'Searches are accepted, but their queries do not start: clients keep polling.',
    },
    JobsLast: {
      metrics: [measureStage(stageName, sweepMetrics.oldestRunning, Stats.MAXIMUM)],
      threshold: 3600,
      impact: 'The query of a search has run for an hour, and its client is still waiting for a result.',
    },
    EndsUnannounced: {
      metrics: [measureStage(stageName, sweepMetrics.oldestUnannounced, Stats.MAXIMUM)],
      threshold: 600,
      impact: 'Searches have ended, but subscribers do not learn of it, and the searches may still fill their limits.',
    },
    SweeperSilent: {
      metrics: [countSweeps(stageName, restApi, timers)],
      periods: 3,
      impact: 'The sweeper does not run: a search whose start was lost would stay queued forever.',
      firesBelow: true,
    },
    SearchesBreak: {
      metrics: addUp([stateMachine.metricFailed(), stateMachine.metricTimedOut(), stateMachine.metricAborted()]),
      impact: 'The workflow of a search met an unexpected error or was stopped, so the search fails.',
    },
    ApiFails: {
      metrics: [restApi.metricServerError({ period, statistic: Stats.SUM })],
      threshold: 5,
      impact: 'Clients get HTTP 500: searches can be neither created nor polled.',
    },
    CallsThrottled: {
      metrics: addUp(calls.map((target) => target.metricThrottles())),
      periods: 3,
      impact: 'API calls are throttled by Lambda: clients get errors.',
    },
    CallsFail: {
      metrics: addUp(calls.map((target) => target.metricErrors())),
      threshold: 5,
      impact: 'API functions crash or time out: clients get HTTP 502 without a reason.',
    },
    FunctionsThrottled: {
      metrics: addUp(functions.map((target) => target.metricThrottles())),
      periods: 3,
      impact: 'Steps of searches are throttled by Lambda: searches take longer than they should.',
    },
    FunctionsFail: {
      metrics: addUp(functions.map((target) => target.metricErrors())),
      threshold: 5,
      impact: 'Functions throw unexpected errors; steps are retried, and searches may fail.',
    },
    EventsLost: {
      metrics: [deadLetters.metricApproximateNumberOfMessagesVisible({ period, statistic: Stats.MAXIMUM })],
      impact: 'The end of a broken search was not recorded, or webhooks were not told of an event.',
    },
    WebhooksFail: {
      metrics: [measureStage(stageName, webhooksGivenUp, Stats.SUM)],
      impact: 'Calls of a webhook were given up after more than a day: its organization has not learned of events.',
    },
    BytesScanned: {
      metrics: [
        new Metric({
          namespace: 'AWS/Athena',
          metricName: 'ProcessedBytes',
          dimensionsMap: { WorkGroup: workGroup },
          statistic: Stats.SUM,
          period: Duration.hours(1),
        }),
      ],
      threshold: alarmBytesPerHour,
      impact: 'Queries read more than expected in an hour: clients notice nothing, but Athena bills $5 a terabyte.',
    },
    ...(refreshes.length > 0 && {
      FeeSchedulesStale: {
        metrics: refreshes.map((refresh) => refresh.metricErrors({ period: Duration.hours(1), statistic: Stats.SUM })),
        periods: 2,
        impact: 'The relation fee_schedules cannot be read: new plans cannot be searched, removed plans stay listed.',
      },
    }),
    ...(loadFailures.length > 0 && {
      LoadsFail: {
        metrics: addUp(loadFailures),
        impact: 'A load on AWS failed or did not start: searches keep reading what was loaded before.',
      },
      PlansLeftOut: {
        metrics: [measureStage(stageName, plansLeftOut, Stats.SUM)],
        impact: 'A load on AWS left out plans: searches keep reading what these had before, if anything.',
      },
    }),
  }
}

/**
 * Counts sweeps: 0 if there were none while the stage did anything else, and no data if it did nothing at all.
 *
 * A sweeper that has stopped writes nothing, and neither does one of a stage that is being created: an alarm that takes
 * missing data for a fault fires in a stage's first minutes. So the invocations of timers and the requests to the API,
 * times 0, say that the stage runs, for arithmetic takes a missing value for 0. Source: CloudWatch user guide, "Using math
 * expressions with CloudWatch metrics".
 */
function countSweeps(stageName: string, restApi: RestApi, timers: readonly IFunction[]): MathExpression {
  const signs = [restApi.metricCount(), ...timers.map((timer) => timer.metricInvocations())]
  const named = signs.map((metric, index) => [`sign${index}`, sumOf(metric)] as const)
  return new MathExpression({
    expression: `sweeps + 0 * (${named.map(([id]) => id).join(' + ')})`,
    usingMetrics: {
      sweeps: measureStage(stageName, sweepMetrics.sweeps, Stats.SUM),
      ...Object.fromEntries(named),
    },
    period: metricPeriod,
  })
}

const sumOf = (metric: Metric) => metric.with({ statistic: Stats.SUM, period: metricPeriod })

/** Adds up metrics, in as many sums as the limit per alarm requires. */
function addUp(metrics: readonly Metric[]): readonly MathExpression[] {
  const pieces = Array.from({ length: Math.ceil(metrics.length / maxMetricsPerAlarm) }, (_, index) =>
    metrics.slice(index * maxMetricsPerAlarm, (index + 1) * maxMetricsPerAlarm),
  )
  return pieces.map((piece) => {
    const usingMetrics = Object.fromEntries(piece.map((metric, index) => [`m${index}`, sumOf(metric)]))
    const expression = Object.keys(usingMetrics).join(' + ')
    return new MathExpression({ expression, usingMetrics, period: metricPeriod })
  })
}
