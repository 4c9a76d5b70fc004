import { Duration } from 'aws-cdk-lib'
import { Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch'
import { metricsNamespace, searchesEnded, stageDimension, wordDimension } from '../core/metrics.ts'

/** Over how long alarms and graphs look at a metric. */
export const metricPeriod = Duration.minutes(5)

/**
 * How many searches of a stage ended in one way.
 *
 * @param word an `EndedWord`
 */
export function measureEnds(stageName: string, word: string): Metric {
  return new Metric({
    namespace: metricsNamespace,
    metricName: searchesEnded,
    dimensionsMap: { [stageDimension]: stageName, [wordDimension]: word },
    statistic: Stats.SUM,
    period: metricPeriod,
  })
}

/** What the sweeps of a stage measured. */
export function measureSweeps(stageName: string, metricName: string, statistic: string): Metric {
  return new Metric({
    namespace: metricsNamespace,
    metricName,
    dimensionsMap: { [stageDimension]: stageName },
    statistic,
    period: metricPeriod,
  })
}
