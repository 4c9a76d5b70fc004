import { Duration } from 'aws-cdk-lib'
import { Alarm, AlarmWidget, ComparisonOperator, Dashboard, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch'
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions'
import { Topic } from 'aws-cdk-lib/aws-sns'
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions'
import { Construct } from 'constructs'
import type { Harm, Watched } from './harms.ts'
import { listHarms } from './harms.ts'
import type { Stage } from './stage.ts'

export interface OperationsProps extends Watched {
  readonly stage: Stage
}

/** Alarms that say what users feel, and one dashboard with all of them. */
export class Operations extends Construct {
  constructor(scope: Construct, id: string, props: OperationsProps) {
    super(scope, id)
    const alarms = listHarms(props).map((harm) => this.makeAlarm(harm))
    const topic = this.makeTopic(props.stage)
    if (topic !== undefined) {
      for (const alarm of alarms) {
        alarm.addAlarmAction(new SnsAction(topic))
        alarm.addOkAction(new SnsAction(topic))
      }
    }
    const widgets = alarms.map((alarm) => new AlarmWidget({ alarm, title: alarm.node.id, width: 8 }))
    const dashboard = new Dashboard(this, 'Dashboard', { defaultInterval: Duration.days(1) })
    for (let row = 0; row < widgets.length; row += 3) dashboard.addWidgets(...widgets.slice(row, row + 3))
  }

  private makeAlarm({ name, metric, threshold, periods, impact, whenSilent }: Harm): Alarm {
    return new Alarm(this, name, {
      alarmDescription: `${impact} Runbook: docs/operations.md, "${name}".`,
      metric,
      threshold,
      evaluationPeriods: periods,
      comparisonOperator: whenSilent
        ? ComparisonOperator.LESS_THAN_THRESHOLD
        : ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      treatMissingData: whenSilent ? TreatMissingData.BREACHING : TreatMissingData.NOT_BREACHING,
    })
  }

  private makeTopic({ alarmEmail }: Stage): Topic | undefined {
    if (alarmEmail === undefined) return undefined
    const topic = new Topic(this, 'Alarms', { enforceSSL: true })
    topic.addSubscription(new EmailSubscription(alarmEmail))
    return topic
  }
}
