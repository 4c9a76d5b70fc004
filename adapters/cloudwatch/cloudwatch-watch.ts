import { CloudWatchClient, GetMetricDataCommand, paginateDescribeAlarms } from '@aws-sdk/client-cloudwatch'
import { endedWords, metricsNamespace, searchesEnded, stageDimension, wordDimension } from '../../schema/metrics.ts'
import { commandRequests } from '../request-limits.ts'
import { requireFields } from '../require-fields.ts'

export interface AlarmState {
  /** Its name, and that of its runbook. */
  readonly name: string
  readonly isFiring: boolean
  readonly since?: Date
}

/** Reads a stage's alarms and metrics from CloudWatch, in the account and region of the SDK's defaults. */
export function watchStage(stage: string, client = new CloudWatchClient(commandRequests)) {
  return {
    listAlarms: async (): Promise<readonly AlarmState[]> => {
      const alarms: AlarmState[] = []
      const AlarmNamePrefix = `SearchService-${stage}-Operations`
      // Generated names end in an id of the template and a random one. Other stages may have names with this prefix.
      const isOfStage = (name: string) => /^\w+-\w+$/.test(name.slice(AlarmNamePrefix.length))
      for await (const { MetricAlarms = [] } of paginateDescribeAlarms({ client }, { AlarmNamePrefix })) {
        for (const alarm of MetricAlarms) {
          requireFields(alarm, ['AlarmName', 'StateValue'], 'CloudWatch')
          const { AlarmName, AlarmDescription = '', StateValue, StateUpdatedTimestamp: since } = alarm
          if (!isOfStage(AlarmName)) continue
          const [, name = AlarmName] = /Runbook: docs\/\w+\.md, "(\w+)"/.exec(AlarmDescription) ?? []
          alarms.push({ name, isFiring: StateValue === 'ALARM', ...(since && { since }) })
        }
      }
      return alarms
    },
    /** Counts the searches that ended, by `EndedWord`; words without a search are absent. */
    countEnds: async (from: Date, to: Date): Promise<Readonly<Record<string, number>>> => {
      const MetricDataQueries = endedWords.map((word, index) => ({
        Id: `w${index}`,
        Label: word,
        MetricStat: {
          Metric: {
            Namespace: metricsNamespace,
            MetricName: searchesEnded,
            Dimensions: [
              { Name: stageDimension, Value: stage },
              { Name: wordDimension, Value: word },
            ],
          },
          Period: 3600,
          Stat: 'Sum',
        },
      }))
      const command = new GetMetricDataCommand({ MetricDataQueries, StartTime: from, EndTime: to })
      const { MetricDataResults = [] } = await client.send(command)
      const counts = MetricDataResults.map((result) => {
        requireFields(result, ['Label', 'Values'], 'CloudWatch')
        return [result.Label, result.Values.reduce((sum, value) => sum + value, 0)] as const
      })
      return Object.fromEntries(counts.filter(([, count]) => count > 0))
    },
  }
}
