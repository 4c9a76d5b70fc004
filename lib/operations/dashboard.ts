import type { RestApi } from 'aws-cdk-lib/aws-apigateway'
import type { IMetric, IWidget, Metric } from 'aws-cdk-lib/aws-cloudwatch'
import { GraphWidget, LogQueryWidget, Stats } from 'aws-cdk-lib/aws-cloudwatch'
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda'
import { bytesScanned, endedWords, listFaults, sweepMetrics } from '../../schema/metrics.ts'
import { measureEnds, measureStage, metricPeriod as period } from './service-metrics.ts'

/** The resources that the dashboard draws above the alarms. */
export interface GraphSources {
  readonly restApi: RestApi
  readonly calls: readonly LambdaFunction[]
  /** Metrics of loads on AWS, by their outcome; empty if the stage has none. */
  readonly loads: readonly Metric[]
}

/** Draws graphs of searches, requests, bytes and loads, row by row. */
export function drawService({ restApi, calls, loads }: GraphSources, stageName: string): readonly IWidget[][] {
  const ends = endedWords.map((word) => measureEnds(stageName, word).with({ label: word }))
  const ages = [
    measureStage(stageName, sweepMetrics.oldestWaiting, Stats.MAXIMUM).with({ label: 'oldest waiting' }),
    measureStage(stageName, sweepMetrics.oldestRunning, Stats.MAXIMUM).with({ label: 'oldest running' }),
    measureStage(stageName, sweepMetrics.oldestUnannounced, Stats.MAXIMUM).with({ label: 'oldest unannounced' }),
  ]
  const requests = [
    restApi.metricCount({ period, label: 'all' }),
    restApi.metricClientError({ period, label: '4xx, 429 included' }),
    restApi.metricServerError({ period, label: '5xx' }),
  ]
  const latency = ['p50', 'p99'].map((statistic) => restApi.metricLatency({ period, statistic, label: statistic }))
  const repeated = measureStage(stageName, listFaults, Stats.SUM).with({ label: 'repeated, lists did not work' })
  const bytes = measureStage(stageName, bytesScanned, Stats.SUM).with({ label: 'bytes' })
  return [
    [draw('Searches ended', [...ends, repeated], true), draw('Oldest searches, in seconds', ages)],
    [draw('Requests', requests), draw('Latency, in milliseconds', latency)],
    [
      draw('Bytes read by queries', [bytes]),
      new LogQueryWidget({
        title: 'Requests over a limit of their organization (429)',
        logGroupNames: calls.map(({ logGroup }) => logGroup.logGroupName),
        queryLines: ['filter event = "answered" and status = 429', 'stats count() by operation, bin(1h)'],
        width: 12,
      }),
    ],
    ...(loads.length === 0 ? [] : [[draw('Loads on AWS', loads)]]),
  ]
}

const draw = (title: string, left: readonly IMetric[], stacked = false) =>
  new GraphWidget({ title, left: [...left], stacked, width: 12 })
