import { Duration } from 'aws-cdk-lib'
import { Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch'
import { metricsNamespace, searchesEnded, stageDimension, wordDimension } from '../../schema/metrics.ts'

/** Period of metrics in alarms and graphs. */
export const metricPeriod = Duration.minutes(5)

/**
 * Returns the number of a stage's searches that ended in one way.
 *
 * @param word an `EndedWord`
 */
export function measureEnds(stageName: string, word: string): Metric {
  return measureStage(stageName, searchesEnded, Stats.SUM, { [wordDimension]: word })
}

/** Returns a metric of a stage. @param dimensions dimensions besides the stage */
export function measureStage(
  stageName: string,
  metricName: string,
  statistic: string,
  dimensions: Readonly<Record<string, string>> = {},
): Metric {
  return new Metric({
    namespace: metricsNamespace,
    metricName,
    dimensionsMap: { [stageDimension]: stageName, ...dimensions },
    statistic,
    period: metricPeriod,
  })
}
