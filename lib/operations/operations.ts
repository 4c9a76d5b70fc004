import { Duration } from 'aws-cdk-lib'
import type { IWidget } from 'aws-cdk-lib/aws-cloudwatch'
import {
  Alarm,
  AlarmWidget,
  ComparisonOperator,
  Dashboard,
  GraphWidget,
  Stats,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch'
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions'
import { Topic } from 'aws-cdk-lib/aws-sns'
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions'
import { Construct } from 'constructs'
import { endedWords, sweepMetrics } from '../../schema/metrics.ts'
import type { Stage } from '../stage/stage.ts'
import type { ServiceAlarm, Watched } from './alarms.ts'
import { listAlarms } from './alarms.ts'
import { measureEnds, measureSweeps } from './service-metrics.ts'

export interface OperationsProps extends Omit<Watched, 'stageName'> {
  readonly stage: Stage
}

/** The alarms, and one dashboard that shows them all. */
export class Operations extends Construct {
  constructor(scope: Construct, id: string, { stage, ...watched }: OperationsProps) {
    super(scope, id)
    const alarms = listAlarms({ ...watched, stageName: stage.name }).flatMap((alarm) => this.makeAlarms(alarm))
    const topic = this.makeTopic(stage)
    if (topic !== undefined) {
      for (const alarm of alarms) {
        alarm.addAlarmAction(new SnsAction(topic))
        alarm.addOkAction(new SnsAction(topic))
      }
    }
    const dashboard = new Dashboard(this, 'Dashboard', { defaultInterval: Duration.days(1) })
    const widgets = [
      ...drawSearches(stage.name),
      ...alarms.map((alarm) => new AlarmWidget({ alarm, title: alarm.node.id, width: 8 })),
    ]
    for (let row = 0; row < widgets.length; row += 3) dashboard.addWidgets(...widgets.slice(row, row + 3))
  }

  /** Further alarms of the same kind are numbered, so that the first keeps its name and resource. */
  private makeAlarms({ name, metrics, threshold, periods, impact, whenSilent }: ServiceAlarm): readonly Alarm[] {
    return metrics.map(
      (metric, index) =>
        new Alarm(this, index === 0 ? name : `${name}${index + 1}`, {
          alarmDescription: `${impact} Runbook: docs/operations.md, "${name}".`,
          metric,
          threshold,
          evaluationPeriods: periods,
          comparisonOperator: whenSilent
            ? ComparisonOperator.LESS_THAN_THRESHOLD
            : ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
          treatMissingData: whenSilent ? TreatMissingData.BREACHING : TreatMissingData.NOT_BREACHING,
        }),
    )
  }

  private makeTopic({ alarmEmail }: Stage): Topic | undefined {
    if (alarmEmail === undefined) return undefined
    const topic = new Topic(this, 'Alarms', { enforceSSL: true })
    topic.addSubscription(new EmailSubscription(alarmEmail))
    return topic
  }
}

/** Graphs of how searches end, and of how long the oldest have waited, run and stayed unannounced. */
function drawSearches(stageName: string): readonly IWidget[] {
  const ends = endedWords.map((word) => measureEnds(stageName, word).with({ label: word }))
  const ages = [
    measureSweeps(stageName, sweepMetrics.oldestWaiting, Stats.MAXIMUM).with({ label: 'oldest waiting' }),
    measureSweeps(stageName, sweepMetrics.oldestRunning, Stats.MAXIMUM).with({ label: 'oldest running' }),
    measureSweeps(stageName, sweepMetrics.oldestUnannounced, Stats.MAXIMUM).with({ label: 'oldest unannounced' }),
  ]
  return [
    new GraphWidget({ title: 'Searches ended', left: ends, stacked: true, width: 12 }),
    new GraphWidget({ title: 'Oldest searches, in seconds', left: ages, width: 12 }),
  ]
}
