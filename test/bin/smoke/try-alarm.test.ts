import { CloudWatchClient } from '@aws-sdk/client-cloudwatch'
import { describe, expect, it } from 'vitest'
import { openAlarm } from '../../../adapters/cloudwatch/cloudwatch-alarm.ts'
import { tryAlarm } from '../../../bin/smoke/try-alarm.ts'
import { type HttpStub, startHttpStub } from '../../doubles/http-stub.ts'
import { sdkSettings } from '../../endpoints/sdk-settings.ts'

/** Starts a CloudWatch with one alarm, whose history begins with these notifications. */
const startCloudWatch = (actions: readonly string[], history: readonly string[]) =>
  startHttpStub(({ operation }) => ({
    status: 200,
    body: JSON.stringify(
      operation === 'DescribeAlarms'
        ? { MetricAlarms: [{ AlarmName: 'a', AlarmActions: actions }] }
        : { AlarmHistoryItems: history.map((HistorySummary) => ({ HistorySummary })) },
    ),
  }))

const now = new Date('2026-11-26T10:00:00Z')
const alarmOf = (stub: HttpStub) => openAlarm('a', new CloudWatchClient(sdkSettings(stub.url)))
const tryWith = (stub: HttpStub) => tryAlarm('a', now, new AbortController().signal, alarmOf(stub))

describe('the trial of an alarm', () => {
  it('sets it off, and says whom CloudWatch has notified', async () => {
    await using stub = await startCloudWatch(['arn:topic'], ['Successfully executed action arn:topic'])
    expect(await tryWith(stub)).toBe('a: Successfully executed action arn:topic. Wait for the message, too')
    const set = stub.calls.find(({ operation }) => operation === 'SetAlarmState')
    expect(JSON.parse(set?.body ?? '')).toMatchObject({ AlarmName: 'a', StateValue: 'ALARM' })
    const asked = stub.calls.find(({ operation }) => operation === 'DescribeAlarmHistory')
    expect(JSON.parse(asked?.body ?? '')).toMatchObject({ HistoryItemType: 'Action', StartDate: now.getTime() / 1000 })
  })

  it('fails without setting it off if it has no recipient', async () => {
    await using stub = await startCloudWatch([], [])
    await expect(tryWith(stub)).rejects.toThrow('a notifies nobody: set alarmTargets in the stage file')
    expect(stub.calls.map(({ operation }) => operation)).toEqual(['DescribeAlarms'])
  })

  it('fails if CloudWatch could not notify the recipient', async () => {
    await using stub = await startCloudWatch(
      ['arn:topic'],
      ['Failed to execute action arn:topic. Received error: denied'],
    )
    await expect(tryWith(stub)).rejects.toThrow('Failed to execute action arn:topic. Received error: denied')
  })
})
