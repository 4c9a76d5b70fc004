import { Aws, Duration } from 'aws-cdk-lib'
import type { IAlarmAction } from 'aws-cdk-lib/aws-cloudwatch'
import { Alarm, AlarmWidget, ComparisonOperator, Dashboard, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch'
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions'
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { Topic } from 'aws-cdk-lib/aws-sns'
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions'
import { Construct } from 'constructs'
import { at } from '../../schema/at.ts'
import type { Stage } from '../stage/stage.ts'
import { runbooksPage } from './alarm-facts.ts'
import { type AlarmSources, listAlarms, type ServiceAlarm } from './alarms.ts'
import { drawService, type GraphSources } from './dashboard.ts'

export interface OperationsProps extends Omit<AlarmSources, 'stage' | 'calls'>, GraphSources {
  readonly stage: Stage
}

/** The alarms, and one dashboard that shows them all. */
export class Operations extends Construct {
  readonly dashboardName: string
  /** The alarm that operators set off by hand, to see whether alarms arrive. */
  readonly firstAlarm: string

  constructor(scope: Construct, id: string, { stage, ...sources }: OperationsProps) {
    super(scope, id)
    const alarms = listAlarms({ ...sources, stage }).flatMap((alarm) => this.makeAlarms(alarm))
    this.firstAlarm = at(alarms, 0).alarmName
    const actions = this.addTargets(stage)
    for (const alarm of alarms) {
      alarm.addAlarmAction(...actions)
      alarm.addOkAction(...actions)
    }
    const dashboard = new Dashboard(this, 'Dashboard', { defaultInterval: Duration.days(1) })
    this.dashboardName = dashboard.dashboardName
    for (const row of drawService(sources, stage.name)) dashboard.addWidgets(...row)
    const widgets = alarms.map((alarm) => new AlarmWidget({ alarm, title: alarm.node.id, width: 8 }))
    for (let row = 0; row < widgets.length; row += 3) dashboard.addWidgets(...widgets.slice(row, row + 3))
  }

  /** Makes one alarm for each metric. Further alarms are numbered, so that the first keeps its name and resource. */
  private makeAlarms(alarm: ServiceAlarm): readonly Alarm[] {
    const { name, metrics, threshold, periods, impact, firesBelow } = alarm
    return metrics.map(
      (metric, index) =>
        new Alarm(this, index === 0 ? name : `${name}${index + 1}`, {
          alarmDescription: `${impact} Runbook: ${runbooksPage}, "${name}".`,
          metric,
          threshold,
          evaluationPeriods: periods,
          comparisonOperator: firesBelow
            ? ComparisonOperator.LESS_THAN_THRESHOLD
            : ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
          treatMissingData: firesBelow ? TreatMissingData.IGNORE : TreatMissingData.NOT_BREACHING,
        }),
    )
  }

  /** Returns the actions of every alarm: the operator's topics, and one topic of the stage for email addresses. */
  private addTargets(stage: Stage): readonly IAlarmAction[] {
    const alarmTargets = [...new Set(stage.alarmTargets)]
    const isTopic = (target: string) => target.startsWith('arn:')
    const topics = alarmTargets.filter(isTopic).map((arn, index) => Topic.fromTopicArn(this, `Topic${index + 1}`, arn))
    const addresses = alarmTargets.filter((target) => !isTopic(target))
    return [...(addresses.length === 0 ? [] : [this.makeTopic(addresses)]), ...topics].map(
      (topic) => new SnsAction(topic),
    )
  }

  /**
   * Makes the topic of email addresses. It is not encrypted with the stage's key: an alarm contains only names and
   * numbers, and a key whose policy omits CloudWatch would silence all alarms.
   */
  private makeTopic(addresses: readonly string[]): Topic {
    const topic = new Topic(this, 'Alarms', { enforceSSL: true })
    for (const address of addresses) topic.addSubscription(new EmailSubscription(address))
    // This policy replaces the default policy of SNS, under which alarms of the account may publish.
    topic.addToResourcePolicy(
      new PolicyStatement({
        principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
        actions: ['sns:Publish'],
        resources: [topic.topicArn],
        conditions: { StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID } },
      }),
    )
    return topic
  }
}
