import { Duration } from 'aws-cdk-lib'
import type { RestApi } from 'aws-cdk-lib/aws-apigateway'
import { type IMetric, MathExpression, type Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch'
import type { IFunction } from 'aws-cdk-lib/aws-lambda'
import type { IQueue } from 'aws-cdk-lib/aws-sqs'
import type { StateMachine } from 'aws-cdk-lib/aws-stepfunctions'
import { bytesScanned, type EndedWord, plansLeftOut, sweepMetrics, webhooksGivenUp } from '../../schema/metrics.ts'
import type { Stage } from '../stage/stage.ts'
import { type AlarmFacts, type AlarmName, alarmFacts } from './alarm-facts.ts'
import { measureEnds, measureStage, metricPeriod } from './service-metrics.ts'

/** The resources that the alarms watch. */
export interface AlarmSources {
  readonly stage: Pick<Stage, 'name' | 'alarmBytesPerHour'>
  readonly restApi: RestApi
  /** Functions behind the routes. */
  readonly calls: readonly IFunction[]
  /** Functions of the workflow and the timers. */
  readonly functions: readonly IFunction[]
  /** The subset of `functions` that every stage calls each minute. */
  readonly timers: readonly IFunction[]
  /** Functions that fill the catalogue from an operator's relation; empty if loads fill it. */
  readonly refreshes: readonly IFunction[]
  readonly stateMachine: StateMachine
  readonly deadLetters: IQueue
  /** Throttled requests to tables and indexes. */
  readonly tableThrottles: readonly Metric[]
  /** Loads on AWS that failed or were not started; empty if the stage has none. */
  readonly loadFailures: readonly Metric[]
  /** Queue of what blocks loads; absent if the stage has no loads on AWS. */
  readonly blockedLoads: IQueue | undefined
}

/** A condition that an alarm reports: its facts with their defaults, and its metrics. */
export interface ServiceAlarm extends Required<Omit<AlarmFacts, 'name' | 'threshold' | 'onlyWith'>> {
  readonly name: AlarmName
  /** One alarm per metric; more than one only if an alarm cannot add up that many metrics. */
  readonly metrics: readonly IMetric[]
  readonly threshold: number
}

/**
 * Maximum number of metrics in the expression of an alarm. Source: CloudWatch user guide, "CloudWatch service quotas",
 * metrics in an alarm based on a metric math expression.
 */
const maxMetricsPerAlarm = 10

/** Failures of the service itself, which a client neither causes nor can mend. */
const faultsOfService = ['internal', 'nothing_read', 'file_missing'] as const satisfies readonly EndedWord[]

/**
 * Lists the alarms of a stage. An alarm without metrics, such as one of loads in a stage without loads, is left out.
 */
export function listAlarms(sources: AlarmSources): readonly ServiceAlarm[] {
  const metrics = measureAlarms(sources)
  const alarms = alarmFacts.map((facts) => {
    const { threshold = 1, periods = 1, impact, firesBelow = false }: AlarmFacts = facts
    const value = threshold === 'set by the stage' ? sources.stage.alarmBytesPerHour : threshold
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
  tableThrottles,
  loadFailures,
  blockedLoads,
}: AlarmSources): Readonly<Record<AlarmName, readonly IMetric[]>> {
  const period = metricPeriod
  return {
    SearchesFail: addUp(faultsOfService.map((word) => measureEnds(stageName, word))),
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
    TablesThrottled: addUp(tableThrottles),
    WorkflowThrottled: [sumOf(stateMachine.metricThrottled())],
    EventsLost: [countMessages(deadLetters)],
    WebhooksFail: [measureStage(stageName, webhooksGivenUp, Stats.SUM)],
    BytesScanned: [measureStage(stageName, bytesScanned, Stats.SUM).with({ period: Duration.hours(1) })],
    FeeSchedulesStale: refreshes.map((refresh) =>
      refresh.metricErrors({ period: Duration.hours(1), statistic: Stats.SUM }),
    ),
    LoadsFail: addUp(loadFailures),
    LoadsBlocked: blockedLoads === undefined ? [] : [countMessages(blockedLoads)],
    PlansLeftOut: loadFailures.length > 0 ? [measureStage(stageName, plansLeftOut, Stats.SUM)] : [],
  }
}

/**
 * Counts sweeps. The value is 0 if the stage did anything else but no sweep, and missing if the stage did nothing.
 *
 * A stopped sweeper writes no data, and neither does a stage that is still being created. An alarm that took missing
 * data for a fault would fire in a stage's first minutes. The sum therefore contains the invocations of timers and the
 * requests to the API, times 0: they show that the stage runs, and arithmetic treats a missing value as 0. Source:
 * CloudWatch user guide, "Using math expressions with CloudWatch metrics".
 */
function countSweeps(stageName: string, restApi: RestApi, timers: readonly IFunction[]): MathExpression {
  const signs = [restApi.metricCount(), ...timers.map((timer) => timer.metricInvocations())]
  const signsById = new Map(signs.map((metric, index) => [`sign${index}`, sumOf(metric)]))
  return new MathExpression({
    expression: `sweeps + 0 * (${[...signsById.keys()].join(' + ')})`,
    usingMetrics: {
      sweeps: measureStage(stageName, sweepMetrics.sweeps, Stats.SUM),
      ...Object.fromEntries(signsById),
    },
    period: metricPeriod,
  })
}

const countMessages = (queue: IQueue) =>
  queue.metricApproximateNumberOfMessagesVisible({ period: metricPeriod, statistic: Stats.MAXIMUM })

const sumOf = (metric: Metric) => metric.with({ statistic: Stats.SUM, period: metricPeriod })

/** Adds up metrics. Returns several sums if one would exceed the metrics allowed in an alarm. */
function addUp(metrics: readonly Metric[]): readonly MathExpression[] {
  const batches = Array.from({ length: Math.ceil(metrics.length / maxMetricsPerAlarm) }, (_, index) =>
    metrics.slice(index * maxMetricsPerAlarm, (index + 1) * maxMetricsPerAlarm),
  )
  return batches.map((batch) => {
    const usingMetrics = Object.fromEntries(batch.map((metric, index) => [`m${index}`, sumOf(metric)]))
    const expression = Object.keys(usingMetrics).join(' + ')
    return new MathExpression({ expression, usingMetrics, period: metricPeriod })
  })
}
