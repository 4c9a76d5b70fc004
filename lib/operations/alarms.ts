import { Duration } from 'aws-cdk-lib'
import type { RestApi } from 'aws-cdk-lib/aws-apigateway'
import { type IMetric, MathExpression, Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch'
import type { IFunction } from 'aws-cdk-lib/aws-lambda'
import type { IQueue } from 'aws-cdk-lib/aws-sqs'
import type { StateMachine } from 'aws-cdk-lib/aws-stepfunctions'
import { type EndedWord, plansLeftOut, sweepMetrics, webhooksGivenUp } from '../../schema/metrics.ts'
import type { Stage } from '../stage/stage.ts'
import { type AlarmFacts, type AlarmName, alarmFacts } from './alarm-facts.ts'
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

/** A condition that an alarm reports: its facts with their defaults, and its metrics. */
export interface ServiceAlarm extends Required<Omit<AlarmFacts, 'name' | 'threshold' | 'onlyWith'>> {
  readonly name: AlarmName
  /** One alarm per metric; more than one only if an alarm cannot add up that many metrics. */
  readonly metrics: readonly IMetric[]
  readonly threshold: number
}

/** Source: CloudWatch user guide, "CloudWatch service quotas": metrics in an alarm that is based on a metric math expression. */
const maxMetricsPerAlarm = 10

/** All alarms of a stage. An alarm that has no metrics, as of loads in a stage without loads, is left out. */
export function listAlarms(watched: Watched): readonly ServiceAlarm[] {
  const metrics = measureAlarms(watched)
  const alarms = alarmFacts.map((facts) => {
    const { threshold = 1, periods = 1, impact, firesBelow = false }: AlarmFacts = facts
    const value = threshold === 'set by the stage' ? watched.stage.alarmBytesPerHour : threshold
    return { name: facts.name, metrics: metrics[facts.name], threshold: value, periods, impact, firesBelow }
  })
  return alarms.filter((alarm) => alarm.metrics.length > 0)
}

/** Returns the metrics of each alarm; none if the stage has nothing that the alarm watches. */
function measureAlarms({
  stage: { name: stageName },
  restApi,
  calls,
  functions,
  timers,
  refreshes,
  stateMachine,
  deadLetters,
  workGroup,
  loadFailures,
}: Watched): Readonly<Record<AlarmName, readonly IMetric[]>> {
  const period = metricPeriod
  return {
    SearchesFail: [measureEnds(stageName, 'internal' satisfies EndedWord)],
    SearchesTimeOut: [measureEnds(stageName, 'timeout' satisfies EndedWord)],
    JobsWait: [measureStage(stageName, sweepMetrics.oldestWaiting, Stats.MAXIMUM)],
    JobsLast: [measureStage(stageName, sweepMetrics.oldestRunning, Stats.MAXIMUM)],
    EndsUnannounced: [measureStage(stageName, sweepMetrics.oldestUnannounced, Stats.MAXIMUM)],
    SweeperSilent: [countSweeps(stageName, restApi, timers)],
    SearchesBreak: addUp([stateMachine.metricFailed(), stateMachine.metricTimedOut(), stateMachine.metricAborted()]),
    ApiFails: [restApi.metricServerError({ period, statistic: Stats.SUM })],
    CallsThrottled: addUp(calls.map((target) => target.metricThrottles())),
    CallsFail: addUp(calls.map((target) => target.metricErrors())),
    FunctionsThrottled: addUp(functions.map((target) => target.metricThrottles())),
    FunctionsFail: addUp(functions.map((target) => target.metricErrors())),
    EventsLost: [deadLetters.metricApproximateNumberOfMessagesVisible({ period, statistic: Stats.MAXIMUM })],
    WebhooksFail: [measureStage(stageName, webhooksGivenUp, Stats.SUM)],
    BytesScanned: [
      new Metric({
        namespace: 'AWS/Athena',
        metricName: 'ProcessedBytes',
        dimensionsMap: { WorkGroup: workGroup },
        statistic: Stats.SUM,
        period: Duration.hours(1),
      }),
    ],
    FeeSchedulesStale: refreshes.map((refresh) =>
      refresh.metricErrors({ period: Duration.hours(1), statistic: Stats.SUM }),
    ),
    LoadsFail: addUp(loadFailures),
    PlansLeftOut: loadFailures.length > 0 ? [measureStage(stageName, plansLeftOut, Stats.SUM)] : [],
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
