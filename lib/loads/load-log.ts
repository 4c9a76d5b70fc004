import { FilterPattern, type LogGroup, MetricFilter } from 'aws-cdk-lib/aws-logs'
import type { Construct } from 'constructs'
import { metricsNamespace, plansLeftOut, stageDimension } from '../../schema/metrics.ts'
import { MonthLog } from '../functions/month-log.ts'

/** Adds the log of all steps of loads, and the metric of plans that loads left out, which `finish` logs. */
export function addLoadLog(scope: Construct): LogGroup {
  const logGroup = new MonthLog(scope, 'Logs')
  new MetricFilter(scope, 'PlansLeftOut', {
    logGroup,
    filterPattern: FilterPattern.numberValue('$.left_out', '>', 0),
    metricNamespace: metricsNamespace,
    metricName: plansLeftOut,
    metricValue: '$.left_out',
    dimensions: { [stageDimension]: '$.stage' },
  })
  return logGroup
}
