import { sweepMetrics } from '../../core/sweep-metrics.ts'
import type { SweepReport } from '../../core/sweep-searches.ts'

/**
 * A sweep's measures as one line of the log that CloudWatch turns into metrics, without a call and without a right to make
 * one. Source: CloudWatch user guide, "Embedded metric format specification".
 */
export function describeSweepMetrics({ oldestWaiting, oldestRunning, restarted }: SweepReport, time: Date): string {
  const { namespace, ...names } = sweepMetrics
  const Metrics = [
    { Name: names.sweeps, Unit: 'Count' },
    { Name: names.restarted, Unit: 'Count' },
    { Name: names.oldestWaiting, Unit: 'Seconds' },
    { Name: names.oldestRunning, Unit: 'Seconds' },
  ]
  const line = {
    _aws: { Timestamp: time.getTime(), CloudWatchMetrics: [{ Namespace: namespace, Dimensions: [[]], Metrics }] },
    [names.sweeps]: 1,
    [names.restarted]: restarted,
    [names.oldestWaiting]: oldestWaiting,
    [names.oldestRunning]: oldestRunning,
  }
  return JSON.stringify(line)
}
