import { sweepMetrics } from '../../core/sweep-metrics.ts'
import type { SweepReport } from '../../core/sweep-searches.ts'

/**
 * Writes a sweep's measures as one line that CloudWatch turns into metrics, without a call and without a right to make
 * one. Source: CloudWatch user guide, "Embedded metric format specification".
 */
export function writeSweepMetrics({ oldestQueued, oldestProcessing, restarted }: SweepReport, time: Date): void {
  const { namespace, ...names } = sweepMetrics
  const Metrics = [
    { Name: names.sweeps, Unit: 'Count' },
    { Name: names.restarted, Unit: 'Count' },
    { Name: names.oldestQueued, Unit: 'Seconds' },
    { Name: names.oldestProcessing, Unit: 'Seconds' },
  ]
  const line = {
    _aws: { Timestamp: time.getTime(), CloudWatchMetrics: [{ Namespace: namespace, Dimensions: [[]], Metrics }] },
    [names.sweeps]: 1,
    [names.restarted]: restarted,
    [names.oldestQueued]: oldestQueued,
    [names.oldestProcessing]: oldestProcessing,
  }
  process.stdout.write(`${JSON.stringify(line)}\n`)
}
