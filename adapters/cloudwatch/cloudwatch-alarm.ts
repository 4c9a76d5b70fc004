import {
  CloudWatchClient,
  DescribeAlarmHistoryCommand,
  DescribeAlarmsCommand,
  SetAlarmStateCommand,
} from '@aws-sdk/client-cloudwatch'
import { commandRequests } from '../request-limits.ts'

/** Sets an alarm off by hand, to see whether it reaches its recipients. CloudWatch soon resets it. */
export function openAlarm(AlarmName: string, client = new CloudWatchClient(commandRequests)) {
  return {
    /** Counts the topics that CloudWatch notifies. */
    countTargets: async (): Promise<number> => {
      const { MetricAlarms = [] } = await client.send(new DescribeAlarmsCommand({ AlarmNames: [AlarmName] }))
      const [alarm] = MetricAlarms
      if (alarm === undefined) throw new TypeError(`CloudWatch has no alarm ${AlarmName}`)
      return alarm.AlarmActions?.length ?? 0
    },
    setOff: async (StateReason: string): Promise<void> => {
      await client.send(new SetAlarmStateCommand({ AlarmName, StateValue: 'ALARM', StateReason }))
    },
    /** Lists CloudWatch's own accounts of the notifications that it sent, or failed to send. */
    listActions: async (since: Date): Promise<readonly string[]> => {
      const command = new DescribeAlarmHistoryCommand({ AlarmName, HistoryItemType: 'Action', StartDate: since })
      const { AlarmHistoryItems = [] } = await client.send(command)
      return AlarmHistoryItems.flatMap(({ HistorySummary }) => HistorySummary ?? [])
    },
  }
}

export type AlarmTrial = ReturnType<typeof openAlarm>
